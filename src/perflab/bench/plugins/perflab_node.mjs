// Preloaded into Node by `--import`: lists the benchmarks of tinybench (which vitest uses) and mitata, or measures one.
// PERFLAB_BENCH is JSON: the file that gets a line of JSON for each finding, and without a name what is to be listed.
import { appendFileSync } from "node:fs";
import Module, { register } from "node:module";

const { result, name: selected, file, warmup_ms, sample_ms, samples } = JSON.parse(process.env.PERFLAB_BENCH);
const inVitest = () => globalThis.__vitest_worker__ !== undefined;

const tell = (what) => appendFileSync(result, `${JSON.stringify(what)}\n`);
const tellError = (error) => tell({ error: String(error?.stack ?? error) });

/** Lists a benchmark, or says whether it is the one that is asked for. */
function isSelected(name) {
  const own = globalThis.__vitest_worker__?.filepath;
  if (selected === undefined) tell({ name, file: own });
  return name === selected && (file === undefined || file === own);
}

function ended() {
  // vitest ends by itself; any other script is not needed any more.
  if (!inVitest()) process.exit(0);
}

/** Sets up each run of a Bench: of the selected benchmark the warm-up and the samples, else one iteration of all. */
function* runs(bench) {
  const prefix = bench.perflab ?? (bench.name ? `${bench.name}/` : "");
  const chosen = bench.tasks.find((task) => isSelected(prefix + task.name));
  if (chosen) for (const task of bench.tasks) if (task !== chosen) bench.remove(task.name);
  const settings = bench.opts ?? bench;
  const times = chosen ? [warmup_ms, ...Array(samples).fill(sample_ms)] : [0];
  for (const [i, time] of times.entries()) {
    Object.assign(settings, { time, iterations: 1 });
    if (typeof settings.warmup !== "function") settings.warmup = false;
    bench.reset();
    yield;
    const { error, totalTime } = chosen?.result ?? {};
    if (error) return tellError(error), ended();
    if (chosen && i) tell({ ops: chosen.runs, ns: totalTime * 1e6 });
  }
  if (chosen) ended();
}

const patched = new WeakSet();

function tinybench({ Bench }) {
  if (patched.has(Bench)) return {};
  patched.add(Bench);
  const { run, runSync, warmup } = Bench.prototype;
  Bench.prototype.run = async function () {
    let tasks;
    for (const _ of runs(this)) tasks = await run.call(this);
    return tasks;
  };
  Bench.prototype.runSync = function () {
    let tasks;
    for (const _ of runs(this)) tasks = runSync.call(this);
    return tasks;
  };
  if (warmup) Bench.prototype.warmup = async () => {};
  return {};
}

/** Yields the arguments of a mitata benchmark with each of its names, in mitata's order. */
function* points(trial) {
  let all = [{}];
  for (const [name, values] of Object.entries(trial._args))
    all = values.flatMap((value) => all.map((point) => ({ ...point, [name]: value })));
  const names = [...trial._names()];
  const alike = new Set(names).size < names.length;
  for (const [i, name] of names.entries()) {
    const told = Object.entries(all[i]).map(([key, value]) => `${key}=${value}`);
    yield [alike ? `${name}/${told}` : name, all[i]];
  }
}

function mitata(real) {
  let [trials, prefix] = [[], ""];
  return {
    group(name, fill) {
      const outer = prefix;
      if (typeof name === "string") prefix = `${name}/`;
      const filled = real.group(name, fill);
      if (filled instanceof Promise) return filled.then(() => void (prefix = outer));
      prefix = outer;
    },
    bench(...own) {
      const trial = real.bench(...own);
      trials.push([prefix, trial]);
      return trial;
    },
    async run() {
      const found = trials;
      trials = [];
      for (const [prefix, trial] of found)
        for (const [name, args] of points(trial)) {
          if (!isSelected(prefix + name)) continue;
          const once = (ms) => {
            const gc = { gc: trial._gc ? undefined : false, inner_gc: trial._gc === "inner" };
            return real.measure(trial.f, { args, ...gc, min_samples: 1, min_cpu_time: ms * 1e6 });
          };
          try {
            await once(warmup_ms);
            const { avg, ticks } = await once(sample_ms * samples);
            tell({ ops: ticks, ns: avg * ticks });
          } catch (error) {
            tellError(error);
          }
          ended();
        }
      return { layout: [], context: {}, benchmarks: [] };
    },
  };
}

const replaced = { tinybench, mitata };
globalThis.perflab = replaced;

const { _load } = Module;
Module._load = function (request, ...more) {
  const found = _load.call(this, request, ...more);
  return Object.hasOwn(replaced, request) ? { ...found, ...replaced[request](found) } : found;
};

// A module of that name is one of ours, which exports what the real one does.
const hooks = `
const SCHEME = "perflab:";
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (specifier !== "tinybench" && specifier !== "mitata") return found;
  return { url: SCHEME + specifier + ":" + found.url, format: "module", shortCircuit: true };
}
export async function load(url, context, next) {
  if (!url.startsWith(SCHEME)) return next(url, context);
  const [, name, place] = /^perflab:(\\w+):(.*)$/.exec(url);
  const from = JSON.stringify(place);
  const own = name === "mitata" ? "export const { bench, group, run } = own;" : "";
  const source = "import * as real from " + from + "; export * from " + from + ";"
    + "const own = globalThis.perflab." + name + "(real);" + own;
  return { format: "module", source, shortCircuit: true };
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
