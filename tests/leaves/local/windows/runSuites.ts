/**
 * Runs suites of `@effect/vitest` within a bundle, with vitest's own runner and matchers as in its browser mode: vitest
 * itself needs native modules and does not start under Wine. Prints one line of JSON for each test, as it ends:
 * `{ title, failure?, millis }`, and last `{ collected }`, their number.
 */
import process from "node:process"
import type { RunnerTestCase, RunnerTestFile, SerializedConfig } from "vitest"
import { startTests } from "vitest/internal/browser"

/** A long run (`SLUICE_ROUNDS=32`) takes many minutes. */
const testTimeout = Number(process.env.SLUICE_ROUNDS ?? 0) > 1 ? 3_000_000 : 110_000

// Of the hundreds of settings, those that the runner and the matchers read.
const config: SerializedConfig = JSON.parse(JSON.stringify({
  root: ".",
  name: "",
  setupFiles: [],
  sequence: { shuffle: false, concurrent: false, hooks: "stack", setupFiles: "list" },
  // Most tests wait for processes.
  maxConcurrency: 4,
  testTimeout,
  hookTimeout: 110_000,
  retry: 0,
  passWithNoTests: true,
  allowOnly: false,
  chaiConfig: {},
  expect: { poll: { timeout: 60_000 } },
  snapshotOptions: { updateSnapshot: "none" },
  tags: [],
  benchmark: {},
}))

// What the matchers ask of vitest's worker when they are loaded.
Reflect.set(globalThis, "__vitest_worker__", { config, ctx: { pool: "forks" }, environment: { name: "node" } })

/** The titles of a test and of the suites that contain it, without the file. */
const titleOf = (test: RunnerTestCase): string => {
  const names = [test.name]
  for (let suite = test.suite; suite !== undefined; suite = suite.suite) names.unshift(suite.name)
  return names.join(" > ")
}

const testsOf = ({ tasks }: Pick<RunnerTestFile, "tasks">): Array<RunnerTestCase> =>
  tasks.flatMap((task) => task.type === "test" ? [task] : testsOf(task))

/** Runs the tests that `declare` declares, or those of them whose titles contain one of `wanted`. */
export const runSuites = async (declare: () => unknown, wanted: ReadonlyArray<string>): Promise<void> => {
  const isWanted = (test: RunnerTestCase): boolean =>
    wanted.length === 0 || wanted.some((part) => titleOf(test).includes(part))
  const files = await startTests(["suites"], {
    config,
    importFile: declare,
    onBeforeRunTask: (test) => {
      if (!isWanted(test)) test.mode = "skip"
    },
    onAfterRunTask: (test) => {
      const { duration = 0, errors = [] } = test.result ?? {}
      const failed = errors.length === 0
        ? undefined
        : { failure: errors.map(({ diff, message, stack }) => [message, diff, stack].join("\n")).join("\n\n") }
      const { contract, leaf } = test.meta
      const records = [contract, leaf].filter((record) => record !== undefined)
      console.log(JSON.stringify({ title: titleOf(test), ...failed, millis: Math.round(duration), records }))
    },
  })
  for (const { result } of files) for (const { message, stack } of result?.errors ?? []) console.log(message, stack)
  console.log(JSON.stringify({ collected: files.flatMap(testsOf).filter(({ mode }) => mode === "run").length }))
}
