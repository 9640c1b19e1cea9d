// Starts vitest's benchmarks in a file or folder, with a runner of ours where vitest itself has one for benchmarks.
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = createRequire(`${process.cwd()}/perflab.js`);
const { startVitest } = await import(pathToFileURL(here.resolve("vitest/node")).href);
const major = Number.parseInt(here("vitest/package.json").version, 10);
const runner = fileURLToPath(new URL("perflab_vitest_runner.mjs", import.meta.url));
// From 5 on tests have benchmarks, each in a Bench that has the test's name.
const own = major < 5 ? { runner } : { benchmarkOnly: true };
// Of the pools, vmThreads loads modules without the hooks.
const options = { watch: false, coverage: { enabled: false }, pool: "forks", ...own };
const vitest = await startVitest("benchmark", [process.argv[2]], options);
await vitest?.close();
