import type { Program } from "../System.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"
import type { Input } from "./shared/Input.ts"
import { UtilityExit } from "./shared/UtilityExit.ts"

/** Copies a file to standard output; what has been read is written before the next read. */
export const copy = async (io: UtilityIo, input: Input, buffer: Uint8Array): Promise<void> => {
  const { system } = io
  for (;;) {
    const pause = io.settle()
    if (pause !== undefined) await pause
    let count = system.read(input.fd, buffer)
    if (typeof count !== "number") count = await count
    if (count < 0) io.warn(input.path, count)
    if (count <= 0) return
    let written = system.writeAll(1, count === buffer.length ? buffer : buffer.subarray(0, count))
    if (typeof written !== "number") written = await written
    if (written < 0) throw new UtilityExit(1, "write error", written)
  }
}

/** `cat [-AbeEnstTuv] [FILE]...`: joins files. Source: cat(1). */
export const cat: Program = utility(
  "cat",
  "n|number b|number-nonblank s|squeeze-blank E|show-ends T|show-tabs v|show-nonprinting A|show-all e t u",
  async (io) => {
    const { out } = io
    const all = io.has("A")
    const ends = all || io.has("E") || io.has("e")
    const tabs = all || io.has("T") || io.has("t")
    const visible = all || io.has("v") || io.has("e") || io.has("t")
    const full = io.has("b")
    const numbers = io.has("n") || full
    const squeeze = io.has("s")
    const plain = !(ends || tabs || visible || numbers || squeeze)
    const buffer = new Uint8Array(plain ? 65_536 : 0)
    let number = 0
    let blank = false
    let fresh = true
    const target = io.system.fstat(1)
    for (const input of io.inputs()) {
      const source = io.system.fstat(input.fd)
      const same = typeof target === "object" && typeof source === "object" && target.type === 4 && source.type === 4 &&
        target.inode === source.inode && target.device === source.device
      // It would never end.
      if (same && io.system.seek(input.fd, 0, 1) < source.size) {
        io.warn(`${input.path}: input file is output file`)
        continue
      }
      if (plain) {
        await copy(io, input, buffer)
        continue
      }
      for (;;) {
        let line = input.line()
        if (typeof line === "object") line = await line
        if (line === undefined) break
        const empty = line === "" && input.terminated && fresh
        if (squeeze && empty && blank) continue
        blank = empty
        if (numbers && fresh && !(full && empty)) out.putBinary(`${++number}`.padStart(6) + "\t")
        // deno-lint-ignore no-control-regex -- showing control characters is what this is for
        if (visible) line = line.replace(/[\x00-\x08\x0a-\x1f\x7f-\xff]/g, show)
        if (tabs) line = line.replaceAll("\t", "^I")
        out.putBinary(line)
        fresh = input.terminated
        if (fresh) out.putBinary(ends ? "$\n" : "\n")
        if (out.isFull) await out.flush()
      }
    }
  },
)

/** A byte as `cat -v` shows it. */
const show = (letter: string): string => {
  const code = letter.charCodeAt(0)
  const low = code & 127
  const shown = low < 32 ? `^${String.fromCharCode(low + 64)}` : low === 127 ? "^?" : String.fromCharCode(low)
  return code >= 128 ? `M-${shown}` : shown
}
