/**
 * `npm test`: installs what is missing, then checks and tests what a change must pass, and adds it up. With `--all`
 * (`npm run test:all`) the same steps run everything: storms, kills, load, oracles, all random cases, and every test on
 * each runtime that it may differ on (vitest.config.ts); and further steps follow.
 *
 * `npm test -- NAME...` runs only the named steps (`npm test -- types lint deno`); `--list` names them. Some run only when
 * they are named. With `--install` or `CI=true` it installs what suites need of the system; otherwise it leaves those out
 * that lack something, and names them. The exit code is 0 when all passed. With `SLUICE_STRICT=1` a suite that was left
 * out is a failure as well.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { allExamples, root, writeExamples } from "./examples.mjs"
import { ensureInstalled } from "./install.mjs"
import { failedFiles, flakyProblems, maxFlakyFiles, ranNowhere, readResults, summarize } from "./reports.mjs"
import { findRuntime, runtimeNames } from "./runtimes.mjs"
import { prepareSystem, slowSuite, suites } from "./system.mjs"

/** @typedef {{ ok: boolean, output: string, report?: import("./reports.mjs").Report }} Result */
/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} about
 * @property {boolean} alone whether nothing else runs beside it
 * @property {"all" | "named"} [only] with `--all`, or when it is named; default: always
 * @property {() => Promise<Result>} run
 */

const words = process.argv.slice(2)
const all = words.includes("--all")

/** @param {import("./runtimes.mjs").RuntimeName} name */
const runtime = (name) => {
  const program = findRuntime(name, root)
  if (program === undefined) throw new Error(`${name} is not here, though npm should have brought it`)
  return program
}

/**
 * Runs a program of the workshop. Its output is kept, or shown as it comes.
 *
 * @param {ReadonlyArray<string>} command
 * @param {{ env?: Record<string, string>, show?: boolean }} [options]
 * @returns {Promise<Result>}
 */
const run = ([program = "", ...args], { env = {}, show = false } = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: show ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
    })
    let output = ""
    const keep = (/** @type {Buffer} */ part) => void (output += part.toString())
    child.stdout?.on("data", keep)
    child.stderr?.on("data", keep)
    child.on("error", (error) => resolve({ ok: false, output: error.message }))
    child.on("close", (code, signal) => {
      if (signal !== null) output += `\n${program} was ended by ${signal}\n`
      resolve({ ok: code === 0, output })
    })
  })

/**
 * One after the other; stops at the first that fails.
 *
 * @param {ReadonlyArray<ReadonlyArray<string>>} commands
 * @returns {Promise<Result>}
 */
const runAll = async (commands) => {
  for (const command of commands) {
    const result = await run(command)
    if (!result.ok) return result
  }
  return { ok: true, output: "" }
}

const tsc = (/** @type {string} */ project) => [process.execPath, "node_modules/typescript/bin/tsc", "-p", project]

/** Every example of the documentation, checked as the files that users will make of them. */
const checkExamples = () => {
  const examples = allExamples().filter(({ language }) => language === "ts")
  const forDeno = examples.filter(({ words }) => words.includes("deno"))
  const folder = writeExamples("check", examples.filter((example) => !forDeno.includes(example)))
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../tsconfig.tests.json",
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
      include: ["*.ts"],
    }),
  )
  const denoFolder = writeExamples("check-deno", forDeno)
  return runAll([
    tsc(join(folder, "tsconfig.json")),
    ...(forDeno.length === 0 ? [] : [[runtime("deno"), "check", "--quiet", denoFolder]]),
  ])
}

/** @type {string} */
let leftOutFiles = ""

/** @type {Array<import("./reports.mjs").FlakyFile>} */
const flaky = []

/**
 * One run of the test runner, which is the same program on every runtime.
 *
 * @param {string} name
 * @param {ReadonlyArray<string>} on the runtime
 * @param {Record<string, string>} env
 * @param {ReadonlyArray<string>} [files] all of the suite when left out
 */
const runVitest = async (name, on, env, files = []) => {
  const report = join(root, ".cache", "reports", `${name}.json`)
  const unhandledReport = join(root, ".cache", "reports", `${name}.unhandled.json`)
  mkdirSync(join(report, ".."), { recursive: true })
  for (const file of [report, unhandledReport]) rmSync(file, { force: true })
  const { ok } = await run(
    [
      ...on,
      "node_modules/vitest/vitest.mjs",
      "run",
      "--reporter=default",
      "--reporter=./scripts/unhandledReporter.mjs",
      "--reporter=json",
      `--outputFile=${report}`,
      ...files,
    ],
    {
      show: true,
      env: {
        // Starting Node with our sources takes half the processor time with it; Deno keeps such a cache by itself.
        NODE_COMPILE_CACHE: join(root, ".cache", "node-compile"),
        ...env,
        SLUICE_LEFT_OUT_FILES: leftOutFiles,
        SLUICE_UNHANDLED_REPORT: unhandledReport,
      },
    },
  )
  const results = readResults(report, root)
  // A run that found no test has proved nothing.
  return { ok: ok && results !== undefined && summarize(results).passed > 0, results, unhandledReport }
}

/** Whether each unhandled error came from one of the files. @param {string} report @param {ReadonlyArray<string>} files */
const unhandledIn = (report, files) => {
  /** @type {ReadonlyArray<string | null>} */
  const errors = JSON.parse(readFileSync(report, "utf8"))
  return errors.every((file) => file !== null && files.includes(relative(root, file)))
}

/**
 * Runs a suite. A file that fails is run again alone, once, at the end: when it passes then, the suite passes, and the
 * file is flaky.
 *
 * @param {string} name
 * @param {ReadonlyArray<string>} on the runtime
 * @param {Record<string, string>} [env]
 * @returns {Promise<Result>}
 */
const vitest = async (name, on, env = {}) => {
  const first = await runVitest(name, on, env)
  if (first.results === undefined) return { ok: false, output: `${name}: the test runner ended without a report` }
  const failed = failedFiles(first.results)
  const fails = (/** @type {string} */ output) => ({ ok: false, output, report: summarize(first.results ?? []) })
  if (first.ok) return { ok: true, output: "", report: summarize(first.results) }
  if (failed.length === 0 || !unhandledIn(first.unhandledReport, failed.map(({ file }) => file))) {
    return fails(`${name}: errors outside the tests, which stand above`)
  }
  if (flaky.length + failed.length > maxFlakyFiles) {
    return fails(`${name}: not run again, since a run may have ${maxFlakyFiles} flaky files`)
  }
  let results = first.results
  for (const { error, file } of failed) {
    console.log(`\n${name}: ${file} failed; it runs again alone`)
    const again = await runVitest(`${name}-again`, on, env, [file])
    if (!again.ok) continue
    flaky.push({ step: name, file, error })
    results = results.flatMap((result) => result.name === file ? again.results ?? [] : [result])
  }
  const report = summarize(results)
  return { ok: report.failed === 0, output: "", report }
}

/**
 * @param {string} name
 * @param {ReadonlyArray<string>} on the runtime
 */
const slow = async (name, on) => {
  const folder = join(root, "tests", "slow")
  ensureInstalled(folder)
  const built = await run([process.execPath, join(folder, "programs", "build.mjs")], { show: true })
  return built.ok ? vitest(name, on, { SLUICE_SUITE: "slow" }) : built
}

/**
 * Generated scripts under the witness, with a seed of the day.
 *
 * @param {string} name
 * @param {import("./runtimes.mjs").RuntimeName} on
 */
const witness = (name, on) =>
  vitest(name, [runtime(on), ...(on === "deno" ? ["run", "-A"] : on === "bun" ? ["--bun"] : [])], {
    SLUICE_SUITE: "witness",
    SLUICE_WITNESS_SECONDS: process.env["SLUICE_WITNESS_SECONDS"] ?? "60",
  })

/** The journals, leaves and scripts on the oldest Node that is supported, which tests/node22 brings. */
const oldestNode = () => {
  const folder = join(root, "tests", "node22")
  ensureInstalled(folder)
  const program = join(folder, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node")
  return vitest("node22", [program, "--disable-warning=ExperimentalWarning"], { SLUICE_SUITE: "node22" })
}

/** @type {Record<string, string>} */
const usual = { SLUICE_SUITE: all ? "all" : "usual" }
const ofRuntime = all ? "what may differ" : "what touches the runtime"

/** @type {ReadonlyArray<Step>} */
const steps = [
  {
    // First, and beside the checks: it takes longest, and waits for npm more than it works.
    name: "package",
    about: "npm pack and JSR's dry run; the package in an empty project on every runtime",
    alone: false,
    run: () => vitest("package", [runtime("node")], { SLUICE_SUITE: "package" }),
  },
  {
    name: "types",
    about: "tsc over the sources (isolated declarations) and the tests; deno check",
    alone: false,
    run: () =>
      // The second one checks the types of the sources as well, as does the build of the package.
      runAll([[...tsc("tsconfig.json"), "--noCheck"], tsc("tsconfig.tests.json"), [
        runtime("deno"),
        "check",
        "--quiet",
        "mod.ts",
        "src",
      ]]),
  },
  { name: "lint", about: "deno lint", alone: false, run: () => run([runtime("deno"), "lint", "--quiet"]) },
  { name: "format", about: "deno fmt --check", alone: false, run: () => run([runtime("deno"), "fmt", "--check"]) },
  { name: "examples", about: "types of every example in the documentation", alone: false, run: checkExamples },
  {
    name: "deno",
    about: all ? "everything on Deno" : "the suite on Deno",
    alone: true,
    run: () => vitest("deno", [runtime("deno"), "run", "-A"], usual),
  },
  {
    name: "bun",
    about: `${ofRuntime}, on Bun`,
    alone: true,
    run: () => vitest("bun", [runtime("bun"), "--bun"], usual),
  },
  {
    name: "node",
    about: `${ofRuntime}, on Node; what is about the repository`,
    alone: true,
    run: () => vitest("node", [runtime("node")], usual),
  },
  { name: "node22", about: "journals, leaves and scripts on Node 22.19", alone: true, only: "all", run: oldestNode },
  {
    name: "quick",
    about: "the units on Deno: what needs no server, no second runtime and no installation",
    alone: true,
    only: "named",
    run: () => vitest("quick", [runtime("deno"), "run", "-A"], { SLUICE_SUITE: "quick" }),
  },
  {
    name: "slow-deno",
    about: "real programs in the kernel, on Deno; the first time they are built",
    alone: true,
    only: "named",
    run: () => slow("slow-deno", [runtime("deno"), "run", "-A"]),
  },
  {
    name: "slow-bun",
    about: "the same on Bun",
    alone: true,
    only: "named",
    run: () => slow("slow-bun", [runtime("bun"), "--bun"]),
  },
  ...runtimeNames.map(/** @returns {Step} */ (name) => ({
    name: `witness-${name}`,
    about: `generated scripts behind a policy, on ${name}: a minute, or SLUICE_WITNESS_SECONDS`,
    alone: true,
    only: "named",
    run: () => witness(`witness-${name}`, name),
  })),
  {
    name: "load-deno",
    about: "the server under load for minutes, on Deno",
    alone: true,
    only: "named",
    run: () => vitest("load-deno", [runtime("deno"), "run", "-A"], { SLUICE_SUITE: "load" }),
  },
  {
    name: "load-bun",
    about: "the same on Bun",
    alone: true,
    only: "named",
    run: () => vitest("load-bun", [runtime("bun"), "--bun"], { SLUICE_SUITE: "load" }),
  },
]

const install = words.includes("--install") || process.env["CI"] === "true"
const asked = words.filter((word) => word !== "--install" && word !== "--all")
if (asked.includes("--list")) {
  const notes = { all: " (only with --all, or when it is named)", named: " (only when it is named)" }
  for (const { name, about, only } of steps) {
    console.log(`${name.padEnd(13)}${about}${only === undefined ? "" : notes[only]}`)
  }
  process.exit(0)
}
const unknown = asked.filter((name) => !steps.some((step) => step.name === name))
if (unknown.length > 0) {
  console.error(`no step is called ${unknown.join(", ")}; npm test -- --list names them`)
  process.exit(2)
}

ensureInstalled(root)
const page = await run([process.execPath, "scripts/console.mjs"])
if (!page.ok) throw new Error(`the console's page cannot be built: ${page.output}`)
const chosen = steps.filter(({ name, only }) =>
  asked.length === 0 ? only === undefined || (only === "all" && all) : asked.includes(name)
)
const leftOut = prepareSystem([
  ...(chosen.every(({ only }) => only === "named") ? [] : suites.filter(({ onlyAll }) => all || onlyAll !== true)),
  ...(chosen.some(({ name }) => name.startsWith("slow-")) ? [slowSuite] : []),
  ...(chosen.some(({ name }) => name.startsWith("witness-")) ? suites.filter(({ name }) => /witness/.test(name)) : []),
], { install })
leftOutFiles = leftOut.flatMap(({ suite }) => suite.files ?? []).join("\n")

/** @type {Map<string, Result>} */
const results = new Map()

/** Seconds that each step took when it was last run. */
const durationsFile = join(root, ".cache", "durations.json")

/** @returns {Record<string, number>} */
const readDurations = () => {
  try {
    return JSON.parse(readFileSync(durationsFile, "utf8"))
  } catch {
    return {}
  }
}

const durations = readDurations()

/** @param {Step} step */
const heading = ({ about, name }) => {
  const last = durations[name]
  const before = last === undefined ? "" : ` (last time ${Math.round(last)} s)`
  return `step ${chosen.findIndex((step) => step.name === name) + 1} of ${chosen.length}: ${name}, ${about}${before}`
}

/** @param {Step} step */
const perform = async (step) => {
  console.log(`${step.alone ? "\n== " : ""}${heading(step)}`)
  const start = performance.now()
  /** @type {Result} */
  let result
  try {
    result = await step.run()
  } catch (error) {
    result = { ok: false, output: String(error) }
  }
  results.set(step.name, result)
  const seconds = (performance.now() - start) / 1000
  durations[step.name] = seconds
  console.log(`${result.ok ? "ok    " : "FAILED"} ${step.name} (${seconds.toFixed(1)} s)`)
  if (!result.ok && result.output !== "") console.log(result.output)
}

// Checks and the package share the cores two by two; suites have them to themselves, since some look at how processes behave
// in time.
const checks = chosen.filter(({ alone }) => !alone)
const lane = async () => {
  for (let step = checks.shift(); step !== undefined; step = checks.shift()) await perform(step)
}
await Promise.all([lane(), lane()])
for (const step of chosen.filter(({ alone }) => alone)) await perform(step)
mkdirSync(join(root, ".cache"), { recursive: true })
writeFileSync(durationsFile, `${JSON.stringify(durations)}\n`)

const total = { passed: 0, failed: 0, skipped: 0 }
for (const { name } of chosen) {
  const { slowest = [] } = results.get(name)?.report ?? {}
  if (slowest.length > 0) console.log(`\nslowest of ${name}: ${slowest.join(", ")}`)
}
console.log("")
for (const { name } of chosen) {
  const result = results.get(name)
  const { failed = 0, failures = [], passed = 0, skipped = 0 } = result?.report ?? {}
  total.passed += passed
  // A step that failed without a failed test (a type error, a crash, an unhandled rejection) counts as one.
  total.failed += result?.ok === true ? 0 : Math.max(failed, 1)
  total.skipped += skipped
  const tests = result?.report === undefined ? "" : `${passed} passed, ${failed} failed, ${skipped} skipped`
  console.log(`${name.padEnd(13)}${(result?.ok ? "ok" : "FAILED").padEnd(8)}${tests}`)
  for (const failure of failures) console.log(`          failed: ${failure.replaceAll("\n", "\n            ")}`)
}

const suiteRuns = ["deno", "bun", "node"].flatMap((name) => results.get(name)?.report ?? [])
const missing = [
  ...leftOut.map(({ suite, why }) => `${suite.name} (${why})`),
  // Where not all three ran everything, what one skips says nothing.
  ...(all && suiteRuns.length === 3 ? ranNowhere(suiteRuns).map((title) => `${title} (ran on no runtime)`) : []),
]
for (const name of missing) console.log(`left out: ${name}`)
if (leftOut.length > 0 && !install) console.log("npm test -- --install installs what can be had of it (Debian, root).")
for (const { error, file, step } of flaky) {
  console.log(`flaky: ${file} on ${step}; it passed alone. ${error.replaceAll("\n", "\n  ")}`)
}
const problems = flakyProblems(flaky, JSON.parse(readFileSync(join(root, "tests", "flaky.json"), "utf8")))
for (const problem of problems) console.log(`FAILED: ${problem}`)
if (flaky.length > 0 && problems.length === 0) {
  console.log(
    "Mend flaky files, or name them with what is known in tests/flaky.json: there, the next time is a failure.",
  )
}
total.failed += problems.length
const strict = process.env["SLUICE_STRICT"] === "1" && missing.length > 0
if (strict) console.log("This run allows nothing to be left out.")
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped === 0 ? "" : `, ${total.skipped} skipped`}`)
process.exitCode = total.failed > 0 || strict ? 1 : 0
