/** Implements the `sleep` utility, which waits for the sum of the given times. */
import type { Program } from "../System.ts"
import { parseSeconds } from "./shared/quantities.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `sleep NUMBER[smhd]...`: waits for the sum of the times. Source: sleep(1). */
export const sleep: Program = defineUtility("sleep", "+", async (io) => {
  let seconds = 0
  for (const text of io.operands) seconds += parseSeconds(text) ?? io.failUsage(`invalid time interval ‘${text}’`)
  // Timers of JavaScript hold at most 24 days.
  for (let left = seconds * 1000; left > 0; left -= 1e9) await io.system.sleep(Math.min(left, 1e9))
}, { minOperands: 1 })
