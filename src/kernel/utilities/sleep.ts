import type { Program } from "../System.ts"
import { parseDuration } from "./shared/quantities.ts"
import { utility } from "./shared/utility.ts"

/** `sleep NUMBER[smhd]...`: waits. Source: sleep(1). */
export const sleep: Program = utility("sleep", "+", async (io) => {
  if (io.operands.length === 0) return io.missingOperand()
  let seconds = 0
  for (const text of io.operands) seconds += parseDuration(text) ?? io.misuse(`invalid time interval ‘${text}’`)
  // A timer of the host holds 24 days at most.
  for (let left = seconds * 1000; left > 0; left -= 1e9) await io.system.sleep(Math.min(left, 1e9))
})
