import type { Program } from "../System.ts"
import type { Input } from "./shared/Input.ts"
import { parseSize } from "./shared/quantities.ts"
import { UtilityExit } from "./shared/UtilityExit.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"
import { writeAllButLast } from "./tail.ts"

/** `head -5` means `head -n 5`, `-5c` bytes. */
const rewrite = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const old = /^-([0-9]+[bkKMG]?)(c|l)?([qv]*)$/.exec(args[0] ?? "")
  if (old === null) return args
  const [, count = "", unit, flags = ""] = old
  return [unit === "c" ? "-c" : "-n", count, ...[...flags].map((flag) => `-${flag}`), ...args.slice(1)]
}

/** `head [-n [-]N] [-c [-]N] [-qvz] [FILE]...`: the first lines or bytes. Source: head(1). */
export const head: Program = utility(
  "head",
  "n|lines: c|bytes: q|quiet|silent v|verbose z|zero-terminated",
  async (io) => {
    const [unit, text] = io.options.all.findLast(([name]) => name === "n" || name === "c") ?? ["n", "10"]
    const count = parseSize(text.replace(/^[-+]/, ""))
    if (count === undefined) {
      throw new UtilityExit(1, `invalid number of ${unit === "n" ? "lines" : "bytes"}: ‘${text}’`)
    }
    const titles = io.has("v") || (io.operands.length > 1 && !io.has("q"))
    let first = true
    for (const input of io.inputs(io.has("z") ? 0 : 10)) {
      if (titles) io.out.putText(`${first ? "" : "\n"}==> ${input.path === "-" ? "standard input" : input.path} <==\n`)
      first = false
      if (text[0] === "-") await writeAllButLast(io, input, unit === "c", count)
      else await take(io, input, unit === "c", count)
    }
  },
  { rewrite },
)

/** Writes the first lines or bytes, and gives back what it has read too much where the file can seek. */
const take = async (io: UtilityIo, input: Input, bytes: boolean, count: number): Promise<void> => {
  const { out, system } = io
  const buffer = new Uint8Array(bytes ? Math.min(65_536, count) : 65_536)
  for (let left = count; left > 0;) {
    const pause = io.settle()
    if (pause !== undefined) await pause
    let got = system.read(input.fd, bytes && left < buffer.length ? buffer.subarray(0, left) : buffer)
    if (typeof got !== "number") got = await got
    if (got < 0) io.warn(input.path, got)
    if (got <= 0) return
    let to = got
    if (bytes) left -= got
    else {
      for (to = 0; left > 0 && to < got; left--) {
        const at = buffer.indexOf(input.terminator, to)
        if (at < 0 || at >= got) {
          to = got
          break
        }
        to = at + 1
      }
      if (left === 0 && to < got) system.seek(input.fd, to - got, 1)
    }
    out.putBytes(buffer, 0, to)
    if (out.isFull) await out.flush()
  }
}
