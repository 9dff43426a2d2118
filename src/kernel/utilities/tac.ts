import type { Program } from "../System.ts"
import { fromBinary, toBinary } from "../regex/bytes.ts"
import { longestLine } from "./kit/Input.ts"
import { utility } from "./kit/utility.ts"

/** `tac [FILE]...`: lines from the last to the first. Source: tac(1). */
export const tac: Program = utility("tac", "b|before s|separator:", async (io) => {
  const separator = io.value("s") ?? "\n"
  for (const input of io.inputs()) {
    const lines: Array<string> = []
    let held = 0
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      held += line.length + 16
      if (held > longestLine) return io.fail(`${input.path}: more than ${longestLine} bytes would have to be held`)
      lines.push(input.terminated ? `${line}\n` : line)
    }
    const mark = toBinary(separator)
    const whole = separator === "\n"
      ? lines
      : lines.join("").split(mark).map((part, at, all) => at < all.length - 1 ? part + mark : part)
    for (const line of whole.reverse()) {
      io.out.bin(line)
      if (io.out.full) await io.out.flush()
    }
  }
})

/** `rev [FILE]...`: the characters of each line from the last to the first. Source: rev(1). */
export const rev: Program = utility("rev", "0|zero", async (io) => {
  for (const input of io.inputs(io.has("0") ? 0 : 10)) {
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      io.out.text(Array.from(fromBinary(line)).reverse().join(""))
      if (input.terminated) io.out.byte(input.terminator)
      if (io.out.full) await io.out.flush()
    }
  }
})
