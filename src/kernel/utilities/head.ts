/** Implements the `head` utility, which prints the first lines or bytes of files. */
import type { Program } from "../System.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { parseAmount, printTitle, skipUnits, writeAllButLast } from "./shared/firstAndLast.ts"
import type { Input } from "./shared/Input.ts"

/** Rewrites `-5` to `-n 5` and `-5c` to `-c 5`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const old = /^-([0-9]+[bkKMG]?)(c|l)?([qv]*)$/.exec(args[0] ?? "")
  if (old === null) return args
  const [, count = "", unit, flags = ""] = old
  return [unit === "c" ? "-c" : "-n", count, ...[...flags].map((flag) => `-${flag}`), ...args.slice(1)]
}

/** `head [-n [-]N] [-c [-]N] [-qvz] [FILE]...`: prints the first lines or bytes. Source: head(1). */
export const head: Program = defineUtility(
  "head",
  "n|lines: c|bytes: q|quiet|silent v|verbose z|zero-terminated",
  async (io) => {
    const { bytes, sign, titled, units } = parseAmount(io)
    let isFirst = true
    for (const input of io.inputs(io.terminator())) {
      if (titled) printTitle(io, input, isFirst)
      isFirst = false
      if (sign === "-") await writeAllButLast(io, input, bytes, units)
      else await writeFirstUnits(io, input, bytes, units)
    }
  },
  { rewriteArgs },
)

/** Writes the first lines or bytes, and seeks back to the end of what it wrote where the file can seek. */
const writeFirstUnits = async (io: UtilityIo, input: Input, bytes: boolean, units: number): Promise<void> => {
  const buffer = new Uint8Array(bytes ? Math.min(65_536, units) : 65_536)
  for (let left = units; left > 0;) {
    const count = await io.read(input, bytes && left < buffer.length ? buffer.subarray(0, left) : buffer)
    if (count === 0) return
    const [to, skipped] = skipUnits(buffer.subarray(0, count), left, bytes, input.terminator)
    left -= skipped
    if (left === 0 && to < count) io.system.seek(input.fd, to - count, 1)
    io.out.putBytes(buffer, 0, to)
    if (io.out.isFull) await io.out.flush()
  }
}
