//! Progress as a line of text and as a bar of HTML.

use crate::stream::Progress;

const BAR_CELLS: usize = 24;

pub(crate) fn plain(progress: &Progress) -> String {
    let full = (1..=BAR_CELLS)
        .filter(|cell| *cell as f64 <= progress.done * BAR_CELLS as f64 + 0.5)
        .count();
    let bar = "#".repeat(full) + &".".repeat(BAR_CELLS - full);
    format!("[{bar}] {}", words(progress))
}

pub(crate) fn html(progress: &Progress) -> String {
    let done = progress.done;
    let words = escape(&words(progress));
    format!(r#"<progress max="1" value="{done}" style="width: 18em; vertical-align: middle"></progress> {words}"#)
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn words(progress: &Progress) -> String {
    let mut words = vec![format!("{:.0} %", progress.done * 100.0)];
    if !progress.text.trim().is_empty() {
        words.push(progress.text.clone());
    }
    if let Some(left) = progress.seconds_left {
        words.push(format!("{left:.0} s left"));
    }
    words.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(done: f64) -> Progress {
        Progress {
            done,
            text: "round 1 of 3: <linked>".into(),
            seconds_left: Some(3.2),
        }
    }

    #[test]
    fn the_bar_fills() {
        for (done, full) in [(0.0, 0), (0.5, 12), (1.0, 24)] {
            assert_eq!(plain(&at(done)).matches('#').count(), full);
        }
        assert_eq!(
            plain(&at(0.0)),
            format!("[{}] 0 % · round 1 of 3: <linked> · 3 s left", ".".repeat(24))
        );
    }

    #[test]
    fn html_shows_what_looks_like_a_tag() {
        assert!(html(&at(0.5)).contains("&lt;linked&gt;"));
    }
}
