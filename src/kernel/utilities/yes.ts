/** Implements the `yes` utility, which prints a line repeatedly until its output is closed. */
import type { Program } from "../System.ts"
import { encodeLossless } from "../../base/surrogateEscape.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `yes [STRING]...`: prints a line until it is ended. Source: yes(1). */
export const yes: Program = defineUtility("yes", "+", async (io) => {
  const line = encodeLossless(`${io.operands.length === 0 ? "y" : io.operands.join(" ")}\n`)
  const times = Math.max(1, Math.floor(16_384 / line.length))
  const block = new Uint8Array(times * line.length)
  for (let at = 0; at < times; at++) block.set(line, at * line.length)
  for (;;) {
    await io.system.yield()
    const written = await io.system.writeAll(1, block)
    if (written < 0) io.fail("standard output", written)
  }
})
