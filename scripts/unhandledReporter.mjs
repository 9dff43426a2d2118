/**
 * Reporter of vitest that writes the unhandled errors of a run, which its JSON report lacks: the file of each, or `null`.
 *
 * @module
 */
import { writeFileSync } from "node:fs"

export default class UnhandledReporter {
  /** @param {unknown} _modules @param {ReadonlyArray<{ VITEST_TEST_PATH?: string }>} unhandledErrors */
  onTestRunEnd(_modules, unhandledErrors) {
    const file = process.env["SLUICE_UNHANDLED_REPORT"]
    if (file === undefined) return
    writeFileSync(file, JSON.stringify(unhandledErrors.map((error) => error.VITEST_TEST_PATH ?? null)))
  }
}
