import type { Program } from "../System.ts"
import { encode } from "../shell/text.ts"
import { UtilityExit } from "./shared/UtilityExit.ts"
import { utility } from "./shared/utility.ts"

/** `yes [STRING]...`: writes a line for ever. Source: yes(1). */
export const yes: Program = utility("yes", "+", async (io) => {
  const line = encode(`${io.operands.length === 0 ? "y" : io.operands.join(" ")}\n`)
  const times = Math.max(1, Math.floor(16_384 / line.length))
  const block = new Uint8Array(times * line.length)
  for (let at = 0; at < times; at++) block.set(line, at * line.length)
  for (;;) {
    const pause = io.system.breathe()
    if (pause !== undefined) await pause
    let written = io.system.writeAll(1, block)
    if (typeof written !== "number") written = await written
    if (written < 0) throw new UtilityExit(1, "standard output", written)
  }
})
