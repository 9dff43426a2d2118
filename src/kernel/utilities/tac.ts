/** Implements the `tac` and `rev` utilities. */
import { cutBefore } from "../../base/text.ts"
import { yieldNow } from "../Coroutine.ts"
import type { Program } from "../System.ts"
import { binaryToText, textToBinary } from "../binaryString.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `tac [FILE]...`: prints lines in reverse order. Source: tac(1). */
export const tac: Program = defineUtility("tac", "b|before s|separator:", async (io) => {
  const separator = io.value("s") ?? "\n"
  for (const input of io.inputs()) {
    const lines = await io.readLines(input)
    const terminator = textToBinary(separator)
    const whole = separator === "\n" && !io.has("b")
      ? lines
      : io.has("b")
      ? lines.join("").split(terminator).map((part, at) => at > 0 ? terminator + part : part)
      : lines.join("").split(terminator).map((part, at, all) => at < all.length - 1 ? part + terminator : part)
    for (const line of whole.reverse()) {
      io.out.putBinary(line)
      if (io.out.isFull) await io.out.flush()
    }
  }
})

/** Characters of a long line that are reversed at once. */
const pieceLength = 65_536

/** `rev [FILE]...`: reverses the characters of each line. Source: rev(1). */
export const rev: Program = defineUtility("rev", "0|zero", async (io) => {
  await io.forEachLine(io.inputs(io.terminator("0")), async (line, input) => {
    const text = binaryToText(line)
    for (let end = text.length, start = 0; end > 0; end = start) {
      start = cutBefore(text, Math.max(0, end - pieceLength))
      io.print(Array.from(text.slice(start, end)).reverse().join(""))
      if (io.out.isFull) await io.out.flush()
      await yieldNow(io.system)
    }
    if (input.terminated) io.out.putByte(input.terminator)
  })
})
