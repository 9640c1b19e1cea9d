// Draws each chart when it comes near the window: a notebook has dozens, and each takes time and memory.
(() => {
  "use strict";
  const CONFIG = { responsive: true, displaylogo: false, displayModeBar: "hover" };
  const AHEAD = "600px";

  // The lab's charts suit a page of unknown colour; here it is known, and text can have the contrast of the page's own.
  const ink = () => getComputedStyle(document.body).color;

  const inked = (layout) => ({ ...layout, font: { ...layout.font, color: ink() } });

  const draw = (figure) => {
    const plot = figure.querySelector(".plot");
    if (plot.dataset.drawn) return;
    plot.dataset.drawn = "yes";
    const chart = JSON.parse(figure.querySelector("script").textContent);
    Plotly.newPlot(plot, chart.data, inked(chart.layout ?? {}), CONFIG).then(() => {
      // Loose words and figures, read aloud without the lines between them, say nothing; the table does. The buttons stay.
      plot.querySelectorAll("svg.main-svg").forEach((drawing) => drawing.setAttribute("aria-hidden", "true"));
    });
  };

  const figures = [...document.querySelectorAll("figure.chart:has(> script)")];
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: AHEAD });
  figures.forEach((figure) => seen.observe(figure));

  addEventListener("perflab-theme", () => {
    document.querySelectorAll(".plot[data-drawn]").forEach((plot) => Plotly.relayout(plot, { "font.color": ink() }));
  });

  // Paper cannot scroll or unfold.
  addEventListener("beforeprint", () => {
    figures.forEach(draw);
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
  });
})();
