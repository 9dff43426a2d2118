import { expect, it } from "@effect/vitest"
import type { RuntimeName } from "../../../../scripts/runtimes.mjs"
import { differencesFromPage } from "../../../support/contract/record.ts"
import { runUnderWine, type WindowsSuite } from "./underWine.ts"

/** `node scripts/matrix.mjs capabilities`. */
const onlyCapabilities = process.env["SLUICE_CONTRACT"] === "capabilities"

/**
 * Runs a suite by the Windows program of a runtime. Its tests are one test here: their titles are known only there.
 * `minimum`: how many there are at least, so that a suite that lost its tests does not pass. `wanted`: parts of titles;
 * those alone are run.
 */
export const suiteUnderWine = (
  name: RuntimeName,
  suite: WindowsSuite,
  minimum: number,
  wanted: ReadonlyArray<string> = [],
): void => {
  it(`passes ${suite}.ts on ${name}.exe`, async ({ task }) => {
    const { collected, output, tests } = await runUnderWine(name, suite, onlyCapabilities ? ["declares what"] : wanted)
    if (collected === undefined) throw new Error(`it was not run to its end; it said:\n${output.slice(-4_000)}`)
    const failures = [...tests.values()].flatMap(({ failure, title }) => failure === undefined ? [] : [title, failure])
    expect(failures.join("\n")).toBe("")
    expect(tests.size).toBe(collected)
    expect(collected).toBeGreaterThanOrEqual(onlyCapabilities ? 1 : minimum)
    const records = [...tests.values()].flatMap(({ records }) => records)
    task.meta.elsewhere = records
    task.meta.runtime = name
    expect(differencesFromPage(records, name)).toEqual([])
  }, 590_000)
}

/** Whether the contracts run on the Windows programs of all runtimes, which takes minutes, and not on Deno's alone. */
export const onAllRuntimes: boolean = process.env["SLUICE_WINE_RUNTIMES"] === "all"
