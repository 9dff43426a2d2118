/** Implements the `cat` utility. */
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import type { Input } from "./shared/Input.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

/** Copies a file to standard output; each read is written before the next one. */
const copy = async (io: UtilityIo, input: Input): Promise<void> => {
  for await (const chunk of io.chunks(input)) {
    const written = await io.system.writeAll(1, chunk)
    if (written < 0) io.fail("write error", written)
  }
}

/** Whether the file is standard output as well: copying it would never end. */
const isOutput = (io: UtilityIo, input: Input): boolean => {
  const [source, target] = [io.system.fstat(input.fd), io.system.fstat(1)]
  return typeof target === "object" && typeof source === "object" && target.type === FileType.regularFile &&
    source.type === FileType.regularFile && target.inode === source.inode && target.device === source.device &&
    io.system.seek(input.fd, 0, 1) < source.size
}

/** `cat [-AbeEnstTuv] [FILE]...`: concatenates files to standard output. Source: cat(1). */
export const cat: Program = defineUtility(
  "cat",
  "n|number b|number-nonblank s|squeeze-blank E|show-ends T|show-tabs v|show-nonprinting A|show-all e t",
  async (io) => {
    const { out } = io
    const all = io.has("A")
    const ends = all || io.has("E") || io.has("e")
    const tabs = all || io.has("T") || io.has("t")
    const visible = all || io.has("v") || io.has("e") || io.has("t")
    const numbersNonblank = io.has("b")
    const numbers = io.has("n") || numbersNonblank
    const squeezes = io.has("s")
    const plain = !(ends || tabs || visible || numbers || squeezes)
    let number = 0
    let blank = false
    let startsLine = true
    for (const input of io.inputs()) {
      if (isOutput(io, input)) io.warn(`${input.path}: input file is output file`)
      else if (plain) await copy(io, input)
      else {
        await io.forEachLine([input], (line) => {
          const empty = line === "" && input.terminated && startsLine
          if (squeezes && empty && blank) return
          blank = empty
          if (numbers && startsLine && !(numbersNonblank && empty)) out.putBinary(`${++number}`.padStart(6) + "\t")
          // deno-lint-ignore no-control-regex -- control characters are what -v shows
          const shown = visible ? line.replace(/[\x00-\x08\x0a-\x1f\x7f-\xff]/g, showByte) : line
          out.putBinary(tabs ? shown.replaceAll("\t", "^I") : shown)
          startsLine = input.terminated
          if (startsLine) out.putBinary(ends ? "$\n" : "\n")
        })
      }
    }
  },
  { withoutEffect: { u: "output is written before each wait" } },
)

/** A byte as `cat -v` shows it. */
const showByte = (letter: string): string => {
  const code = letter.charCodeAt(0)
  const low = code & 127
  const shown = low < 32 ? `^${String.fromCharCode(low + 64)}` : low === 127 ? "^?" : String.fromCharCode(low)
  return code >= 128 ? `M-${shown}` : shown
}
