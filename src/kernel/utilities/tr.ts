/** Implements the `tr` utility. */
import type { Program } from "../System.ts"
import { textToBinary } from "../binaryString.ts"
import { Input } from "./shared/Input.ts"
import { classRanges } from "../regex/characterClasses.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

interface ByteSet {
  readonly bytes: ReadonlyArray<number>
  /** The index at which `[x*]` fills the set up to the length of the other one. */
  readonly fill?: readonly [at: number, byte: number]
  readonly classes: ReadonlyArray<string>
}

const controls: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 }

const parseSet = (io: UtilityIo, text: string): ByteSet => {
  const bytes: Array<number> = []
  const classes: Array<string> = []
  let fill: readonly [number, number] | undefined
  let at = 0
  const letter = (): number => {
    const code = text.charCodeAt(at++)
    if (code !== 92 || at >= text.length) return code
    const octal = /^[0-7]{1,3}/.exec(text.slice(at, at + 3))?.[0]
    if (octal !== undefined) {
      const digits = parseInt(octal, 8) > 255 ? octal.slice(0, 2) : octal
      at += digits.length
      return parseInt(digits, 8)
    }
    const next = text[at++] ?? "\\"
    return controls[next] ?? next.charCodeAt(0)
  }
  while (at < text.length) {
    const named = /^\[:([a-z]+):\]/.exec(text.slice(at, at + 16))
    if (named !== null) {
      const ranges = classRanges(named[1] ?? "", false)
      if (ranges === undefined) return io.fail(`invalid character class '${named[1] ?? ""}'`)
      for (let index = 0; index < ranges.length; index += 2) {
        for (let code = ranges[index] ?? 0; code <= (ranges[index + 1] ?? 0); code++) bytes.push(code)
      }
      classes.push(named[1] ?? "")
      at += named[0].length
      continue
    }
    const same = /^\[=([^])=\]/.exec(text.slice(at, at + 5))
    if (same !== null) {
      bytes.push((same[1] ?? "").charCodeAt(0))
      at += 5
      continue
    }
    const repeat = /^\[(\\[0-7]{1,3}|\\?[^])\*([0-9]*)\]/.exec(text.slice(at))
    if (repeat !== null) {
      at++
      const code = letter()
      const count = repeat[2] ?? ""
      const times = parseInt(count || "0", count.startsWith("0") ? 8 : 10)
      if (times === 0) fill = [bytes.length, code]
      else for (let index = 0; index < Math.min(times, 65_536); index++) bytes.push(code)
      at = text.indexOf("]", at) + 1
      continue
    }
    const low = letter()
    if (text[at] === "-" && at + 1 < text.length) {
      at++
      const high = letter()
      if (high < low) {
        const range = String.fromCharCode(low, 45, high)
        io.fail(`range-endpoints of '${range}' are in reverse collating sequence order`)
      }
      for (let code = low; code <= high; code++) bytes.push(code)
    } else bytes.push(low)
  }
  return fill === undefined ? { bytes, classes } : { bytes, classes, fill }
}

const flagsOf = (bytes: ReadonlyArray<number>): Uint8Array => {
  const set = new Uint8Array(256)
  for (const byte of bytes) set[byte] = 1
  return set
}

/** `tr [-cdst] SET1 [SET2]`: translates, deletes or squeezes bytes. Source: tr(1). */
export const tr: Program = defineUtility(
  "tr",
  "+c|complement C d|delete s|squeeze-repeats t|truncate-set1",
  async (io) => {
    const [one = "", two] = io.operands
    const remove = io.has("d")
    const squeeze = io.has("s")
    if (two === undefined && remove === squeeze) return io.failUsage(`missing operand after ‘${one}’`)
    if (two !== undefined && remove && !squeeze) return io.failExtraOperand(two)
    const first = parseSet(io, textToBinary(one))
    if (first.fill !== undefined) return io.fail("the [c*] repeat construct may not appear in string1")
    const within = flagsOf(first.bytes)
    const complement = io.has("c") || io.has("C")
    const from = complement
      ? Array.from({ length: 256 }, (_, code) => code).filter((code) => within[code] === 0)
      : first.bytes
    const second = two === undefined ? undefined : parseSet(io, textToBinary(two))
    const map = Uint8Array.from({ length: 256 }, (_, code) => code)
    if (second !== undefined && !remove) {
      let to = [...second.bytes]
      if (second.fill !== undefined) {
        const [at, byte] = second.fill
        to.splice(at, 0, ...new Array<number>(Math.max(0, from.length - to.length)).fill(byte))
      }
      if (second.classes.some((name) => name !== "upper" && name !== "lower")) {
        return io.fail(
          "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
        )
      }
      if (to.length === 0 && !io.has("t")) return io.fail("when not truncating set1, string2 must be non-empty")
      const size = io.has("t") ? Math.min(to.length, from.length) : from.length
      if (to.length < size) to = [...to, ...new Array<number>(size - to.length).fill(to[to.length - 1] ?? 0)]
      for (let at = 0; at < size; at++) map[from[at] ?? 0] = to[at] ?? 0
    }
    const gone = remove ? flagsOf(from) : new Uint8Array(256)
    const squeezed = squeeze ? flagsOf(second === undefined ? from : second.bytes) : undefined
    if (squeezed !== undefined && second?.fill !== undefined) squeezed[second.fill[1]] = 1
    let before = -1
    for await (const chunk of io.chunks(new Input(io, 0, "-"), "read error")) {
      let used = 0
      if (!remove && squeezed === undefined) {
        for (; used < chunk.length; used++) chunk[used] = map[chunk[used] ?? 0] ?? 0
      } else {
        for (const byte of chunk) {
          if (gone[byte] === 1) continue
          const mapped = map[byte] ?? 0
          if (mapped === before && squeezed?.[mapped] === 1) continue
          chunk[used++] = before = mapped
        }
      }
      io.out.putBytes(chunk, 0, used)
    }
  },
  { minOperands: 1, maxOperands: 2 },
)
