/** Implements the `shuf` utility. */
import type { Program } from "../../System.ts"
import { textToBinary } from "../../binaryString.ts"
import { yieldNow } from "../../Coroutine.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { stripEnd } from "../shared/strip.ts"

const maxRange = 10_000_000

/** A number below a limit, each equally likely. */
const randomBelow = (io: UtilityIo, limit: number): number => {
  const bytes = new Uint8Array(8)
  const end = 2 ** 53 - 2 ** 53 % limit
  for (;;) {
    io.system.random(bytes)
    const value = Number(new DataView(bytes.buffer).getBigUint64(0) >> 11n)
    if (value < end) return value % limit
  }
}

/** `shuf [-erz] [-n COUNT] [-i LOW-HIGH] [-o FILE] [FILE | ARGUMENT...]`: prints lines in random order. Source: shuf(1). */
export const shuf: Program = defineUtility(
  "shuf",
  "e|echo i|input-range: n|head-count: o|output: r|repeat z|zero-terminated",
  async (io) => {
    const lines = await readLines(io)
    const count = io.count("n", io.has("r") ? Infinity : lines.length, (text) => `invalid line count: ‘${text}’`)
    const output = io.value("o")
    if (output !== undefined) {
      const fd = io.openOutput(output)
      if (fd < 0) return 1
      io.system.dup2(fd, 1)
    }
    const end = io.has("z") ? "\0" : "\n"
    if (io.has("r") && count > 0 && lines.length === 0) io.fail("no lines to repeat")
    for (let at = 0; at < count && (io.has("r") || at < lines.length); at++) {
      const chosen = io.has("r") ? randomBelow(io, lines.length) : at + randomBelow(io, lines.length - at)
      const line = lines[chosen] ?? ""
      if (!io.has("r")) {
        lines[chosen] = lines[at] ?? ""
        lines[at] = line
      }
      io.out.putBinary(line + end)
      if (io.out.isFull) await io.out.flush()
      if ((at & 255) === 255) await yieldNow(io.system)
    }
    return 0
  },
)

const readLines = async (io: UtilityIo): Promise<Array<string>> => {
  if (io.has("e")) return io.operands.map(textToBinary)
  const range = io.value("i")
  if (range !== undefined) {
    const match = /^([0-9]+)-([0-9]+)$/.exec(range)
    const [low, high] = [Number(match?.[1]), Number(match?.[2])]
    if (match === null || low > high + 1) return io.fail(`invalid input range: ‘${range}’`)
    if (high - low >= maxRange) return io.fail(`an input range holds at most ${maxRange} numbers`)
    return Array.from({ length: high - low + 1 }, (_, at) => `${low + at}`)
  }
  if (io.operands.length > 1) io.failExtraOperand(io.operands[1] ?? "")
  const lines: Array<string> = []
  for (const input of io.inputs(io.terminator())) {
    const terminator = String.fromCharCode(input.terminator)
    for (const line of await io.readLines(input)) lines.push(stripEnd(line, `${terminator}\n`))
  }
  return lines
}
