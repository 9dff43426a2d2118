/**
 * What the test runner's reports say: how many passed, which failed, and which ran nowhere.
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
 */

/**
 * @typedef {{ fullName: string, status: string, failureMessages?: ReadonlyArray<string> }} Assertion
 * @typedef {{ name: string, status?: string, message?: string, assertionResults: ReadonlyArray<Assertion> }} TestFile
 * @typedef {{ testResults: ReadonlyArray<TestFile> }} Json
 */

/** Lines of a message that a summary shows. */
const maxLines = 12

/**
 * What went wrong, without where: the whole stands far above the summary, or nowhere, where only an end is kept.
 *
 * @param {string} message
 */
const withoutStack = (message) =>
  message.split("\n").filter((line) => !/^\s+at /.test(line)).slice(0, maxLines).join("\n").trim()

/**
 * Reads a report in the JSON that vitest writes.
 *
 * @param {string} file
 * @param {string} root that the names of test files are relative to
 * @returns {Report | undefined} `undefined` where there is none
 */
export const readReport = (file, root) => {
  /** @type {Json} */
  let json
  try {
    json = JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
  const tests = json.testResults.flatMap(({ assertionResults, name }) =>
    assertionResults.map(({ failureMessages = [], fullName, status }) => ({
      title: `${relative(root, name)}: ${fullName.trim()}`,
      status,
      why: failureMessages.map(withoutStack),
    }))
  )
  // A file that could not be loaded has no tests.
  const files = json.testResults.filter(({ assertionResults, status }) =>
    status === "failed" && assertionResults.every((test) => test.status !== "failed")
  ).map(({ message = "", name }) => `${relative(root, name)}: ${message.split("\n")[0]}`)
  const failed = tests.filter(({ status }) => status === "failed")
  const failures = [...files, ...failed.map(({ title, why }) => [title, ...why].join("\n"))]
  const skips = tests.filter(({ status }) => status !== "failed" && status !== "passed").map(({ title }) => title)
  return {
    passed: tests.length - failed.length - skips.length,
    failed: failures.length,
    skipped: skips.length,
    failures,
    skips,
  }
}

/**
 * The tests that every one of the runs skipped. One that a single runtime skips has its reason there (it has not what
 * the test is about); one that all skip was not run at all.
 *
 * @param {ReadonlyArray<Report>} runs
 * @returns {ReadonlyArray<string>}
 */
export const ranNowhere = ([first, ...others]) =>
  first === undefined ? [] : first.skips.filter((title) => others.every(({ skips }) => skips.includes(title)))
