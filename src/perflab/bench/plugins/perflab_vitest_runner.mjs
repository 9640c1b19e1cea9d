// A runner of vitest's up to 4: each benchmark has a Bench of its own that knows the names of the groups around it.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const here = createRequire(`${process.cwd()}/perflab.js`);
const { NodeBenchmarkRunner } = await import(pathToFileURL(here.resolve("vitest/runners")).href);
const { getBenchFn, getBenchOptions } = await import(pathToFileURL(here.resolve("vitest/suite")).href);
const { name: selected } = JSON.parse(process.env.PERFLAB_BENCH);

export default class extends NodeBenchmarkRunner {
  async runSuite(suite, path = "") {
    for (const task of suite.tasks) {
      const name = path + task.name;
      if (task.mode !== "run" && task.mode !== "queued") continue;
      if (task.type === "suite") await this.runSuite(task, `${name}/`);
      else if (task.meta?.benchmark && (selected === undefined || selected === name)) {
        const { Bench } = await this.importTinybench();
        const bench = new Bench(getBenchOptions(task));
        bench.perflab = path;
        bench.add(task.name, getBenchFn(task));
        await bench.run();
      }
    }
  }
}
