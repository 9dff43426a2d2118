/**
 * Reads the test runner's reports: how many passed, which failed, which are flaky, and which ran nowhere.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"

/**
 * @typedef {object} Report
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {ReadonlyArray<string>} failures which tests failed, file and title, and why; and files that failed as a whole
 * @property {ReadonlyArray<string>} skips which tests were skipped
 * @property {ReadonlyArray<string>} files which files ran
 * @property {ReadonlyArray<string>} slowest files whose tests took longest, with their seconds
 */

/**
 * @typedef {{ fullName: string, status: string, failureMessages?: ReadonlyArray<string> }} Assertion
 * @typedef {object} TestFile
 * @property {string} name
 * @property {string} [status]
 * @property {string} [message]
 * @property {number} [startTime]
 * @property {number} [endTime]
 * @property {ReadonlyArray<Assertion>} assertionResults
 */

/**
 * A file that failed, and passed when it was run again alone.
 *
 * @typedef {{ step: string, file: string, error: string }} FlakyFile
 */

/** Lines of a message that a summary shows. */
const maxLines = 12

/** Slow files that a summary names, and from when a file is one. */
const maxSlowest = 10
const minSlowSeconds = 5

/**
 * The message of a failure without its stack: the whole is printed far above the summary, or is cut off.
 *
 * @param {string} message
 */
const withoutStack = (message) =>
  message.split("\n").filter((line) => !/^\s+at /.test(line)).slice(0, maxLines).join("\n").trim()

/**
 * Reads the JSON that vitest writes: the results of each test file, named relative to the root.
 *
 * @param {string} file
 * @param {string} root
 * @returns {ReadonlyArray<TestFile> | undefined} `undefined` where there is no report
 */
export const readResults = (file, root) => {
  try {
    /** @type {{ testResults: ReadonlyArray<TestFile> }} */
    const { testResults } = JSON.parse(readFileSync(file, "utf8"))
    return testResults.map((result) => ({ ...result, name: relative(root, result.name) }))
  } catch {
    return undefined
  }
}

/** @param {TestFile} result @returns {ReadonlyArray<string>} */
const failuresOf = ({ assertionResults, message = "", name, status }) => {
  const failed = assertionResults.filter((test) => test.status === "failed")
  // A file that could not be loaded has no tests.
  if (failed.length === 0) return status === "failed" ? [`${name}: ${message.split("\n")[0]}`] : []
  return failed.map(({ failureMessages = [], fullName }) =>
    [`${name}: ${fullName.trim()}`, ...failureMessages.map(withoutStack)].join("\n")
  )
}

/**
 * Adds up what files said.
 *
 * @param {ReadonlyArray<TestFile>} results
 * @returns {Report}
 */
export const summarize = (results) => {
  const tests = results.flatMap(({ assertionResults, name }) =>
    assertionResults.map(({ fullName, status }) => ({ title: `${name}: ${fullName.trim()}`, status }))
  )
  const failures = results.flatMap(failuresOf)
  const slowest = results
    .map(({ endTime = 0, name, startTime = 0 }) => ({ name, seconds: Math.round((endTime - startTime) / 1000) }))
    .filter(({ seconds }) => seconds >= minSlowSeconds)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, maxSlowest)
    .map(({ name, seconds }) => `${seconds} s ${name}`)
  return {
    passed: tests.filter(({ status }) => status === "passed").length,
    failed: failures.length,
    skipped: tests.filter(({ status }) => status !== "failed" && status !== "passed").length,
    failures,
    skips: tests.filter(({ status }) => status !== "failed" && status !== "passed").map(({ title }) => title),
    files: results.map(({ name }) => name),
    slowest,
  }
}

/**
 * The files that failed, each with its first error.
 *
 * @param {ReadonlyArray<TestFile>} results
 */
export const failedFiles = (results) =>
  results.flatMap((result) => {
    const [error] = failuresOf(result)
    return error === undefined ? [] : [{ file: result.name, error }]
  })

/** A run with more flaky files than these fails. */
export const maxFlakyFiles = 3

/**
 * Reasons why flaky files fail the whole run.
 *
 * @param {ReadonlyArray<FlakyFile>} flaky
 * @param {Readonly<Record<string, string>>} known files that were flaky in earlier runs (tests/flaky.json)
 * @returns {ReadonlyArray<string>} nothing where they may pass
 */
export const flakyProblems = (flaky, known) => {
  const files = [...new Set(flaky.map(({ file }) => file))]
  const stepsOf = (/** @type {string} */ wanted) => flaky.flatMap(({ file, step }) => file === wanted ? [step] : [])
  return [
    ...(files.length > maxFlakyFiles ? [`${files.length} flaky files: a run may have ${maxFlakyFiles}`] : []),
    ...files.filter((file) => stepsOf(file).length > 1).map((file) =>
      `${file} was flaky twice: ${stepsOf(file).join(", ")}`
    ),
    ...files.filter((file) => Object.hasOwn(known, file)).map((file) =>
      `${file} was flaky before, says tests/flaky.json: ${known[file]}`
    ),
  ]
}

/**
 * The tests that each run which has their file skipped. One that a single runtime skips has its reason there (it has not what
 * the test is about); one that all skip was not run at all.
 *
 * @param {ReadonlyArray<Report>} runs
 * @returns {ReadonlyArray<string>}
 */
export const ranNowhere = (runs) =>
  [...new Set(runs.flatMap(({ skips }) => skips))].filter((title) =>
    runs.every(({ files, skips }) => skips.includes(title) || !files.some((file) => title.startsWith(`${file}: `)))
  )
