/** Implements the `cmp` utility. */
import { errnoText } from "../../Errno.ts"
import type { Program } from "../../System.ts"
import { readerOf } from "../archives/ByteReader.ts"
import { countByte } from "../shared/countByte.ts"
import type { Input } from "../shared/Input.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { parseSize } from "../shared/quantities.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const octal = (byte: number): string => byte.toString(8).padStart(3)

/** A byte as `cmp -b` shows it. */
const showByte = (byte: number): string => {
  const low = byte & 127
  const shown = low < 32 ? `^${String.fromCharCode(low + 64)}` : low === 127 ? "^?" : String.fromCharCode(low)
  return byte > 127 ? `M-${shown}` : shown
}

const open = (io: UtilityIo, path: string): Input => {
  if (path === "-") return io.openInput(path) ?? io.exit(2)
  const probe = io.system.open(path, { read: true })
  if (probe >= 0) io.system.close(probe)
  else if (io.has("s")) io.exit(2)
  else io.fail(`${path}: ${errnoText(probe)}`)
  return io.openInput(path) ?? io.exit(2)
}

/** `cmp [-bls] [-i SKIP[:SKIP2]] [-n BYTES] FILE1 [FILE2 [SKIP1 [SKIP2]]]`: compares bytes. Source: cmp(1). */
export const cmp: Program = defineUtility(
  "cmp",
  "b|print-bytes i|ignore-initial: l|verbose n|bytes: s|quiet|silent",
  async (io) => {
    const [one = "", two = "-", ...skips] = io.operands
    const size = (text: string): number => parseSize(text) ?? io.fail(`invalid --ignore-initial value '${text}'`)
    const [skipOne = "0", skipTwo = skipOne] = (io.value("i") ?? "0").split(":")
    const limit = io.value("n") === undefined ? Infinity : size(io.value("n") ?? "")
    const inputs = [open(io, one), open(io, two)]
    const readers = inputs.map((input) => readerOf(io, input))
    const [left, right] = readers
    if (left === undefined || right === undefined) return 2
    await left.skip(size(skips[0] ?? skipOne))
    await right.skip(size(skips[1] ?? skipTwo))
    let [offset, lines, differs] = [0, 0, false]
    let endedLine = true
    while (offset < limit) {
      await io.flushAndYield()
      const count = Math.min(await left.ensure(1), await right.ensure(1), limit - offset)
      if (count === 0) break
      const [a, b] = [left.bytes.subarray(left.at, left.at + count), right.bytes.subarray(right.at, right.at + count)]
      for (let at = 0; at < count; at++) {
        const [x = 0, y = 0] = [a[at], b[at]]
        if (x === y) continue
        if (io.has("s")) return 1
        differs = true
        if (io.has("l")) {
          const shown = io.has("b")
            ? `${octal(x)} ${showByte(x).padEnd(4)} ${octal(y)} ${showByte(y)}`
            : `${octal(x)} ${octal(y)}`
          io.print(`${`${offset + at + 1}`.padStart(offsetWidth(io, one, two, limit))} ${shown}\n`)
          if (io.out.isFull) await io.out.flush()
          continue
        }
        const line = lines + countByte(a, 10, 0, at) + 1
        const bytes = io.has("b") ? ` is ${octal(x)} ${showByte(x)} ${octal(y)} ${showByte(y)}` : ""
        io.print(
          `${one} ${two} differ: ${io.has("b") || isUtf8Locale(io.system.env) ? "byte" : "char"} ${
            offset + at + 1
          }, line ${line}${bytes}\n`,
        )
        return 1
      }
      lines += countByte(a, 10)
      endedLine = a[count - 1] === 10
      offset += count
      left.at += count
      right.at += count
    }
    const more = offset < limit ? [await left.ensure(1), await right.ensure(1)] : [0, 0]
    if (more[0] === more[1] || (more[0] ?? 0) > 0 === (more[1] ?? 0) > 0) return differs ? 1 : io.exitCode
    if (io.has("s")) return 1
    const short = more[0] === 0 ? one : two
    const where = offset === 0
      ? "which is empty"
      : io.has("l")
      ? `after byte ${offset}`
      : `after byte ${offset}, ${endedLine ? `line ${lines}` : `in line ${lines + 1}`}`
    io.err.putText(`cmp: EOF on ${short} ${where}\n`)
    return 1
  },
  { errorExitCode: 2, minOperands: 1, maxOperands: 4 },
)

/** As many digits as the size of the smaller file has. */
const offsetWidth = (io: UtilityIo, one: string, two: string, limit: number): number => {
  const sizes = [one, two].flatMap((path) => {
    const stat = path === "-" ? io.system.fstat(0) : io.system.stat(path)
    return typeof stat === "object" && stat.size > 0 ? [stat.size] : []
  })
  return `${Math.min(limit, ...sizes, Number.MAX_SAFE_INTEGER)}`.length
}
