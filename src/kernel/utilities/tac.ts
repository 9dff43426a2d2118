import type { Program } from "../System.ts"
import { binaryToText, textToBinary } from "../binaryString.ts"
import { maxLineBytes } from "./shared/Input.ts"
import { utility } from "./shared/utility.ts"

/** `tac [FILE]...`: lines from the last to the first. Source: tac(1). */
export const tac: Program = utility("tac", "b|before s|separator:", async (io) => {
  const separator = io.value("s") ?? "\n"
  for (const input of io.inputs()) {
    const lines: Array<string> = []
    let held = 0
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      held += line.length + 16
      if (held > maxLineBytes) return io.fail(`${input.path}: more than ${maxLineBytes} bytes would have to be held`)
      lines.push(input.terminated ? `${line}\n` : line)
    }
    const mark = textToBinary(separator)
    const whole = separator === "\n"
      ? lines
      : lines.join("").split(mark).map((part, at, all) => at < all.length - 1 ? part + mark : part)
    for (const line of whole.reverse()) {
      io.out.putBinary(line)
      if (io.out.isFull) await io.out.flush()
    }
  }
})

/** Characters of a long line that are turned round at once. */
const pieceLength = 65_536

/** The index, or the one before it when it stands within a surrogate pair. */
const wholeFrom = (text: string, at: number): number => at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at

/** `rev [FILE]...`: the characters of each line from the last to the first. Source: rev(1). */
export const rev: Program = utility("rev", "0|zero", async (io) => {
  for (const input of io.inputs(io.has("0") ? 0 : 10)) {
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      const text = binaryToText(line)
      for (let end = text.length, start = 0; end > 0; end = start) {
        start = wholeFrom(text, Math.max(0, end - pieceLength))
        io.out.putText(Array.from(text.slice(start, end)).reverse().join(""))
        if (io.out.isFull) await io.out.flush()
        const pause = io.system.breathe(Infinity)
        if (pause !== undefined) await pause
      }
      if (input.terminated) io.out.putByte(input.terminator)
      if (io.out.isFull) await io.out.flush()
    }
  }
})
