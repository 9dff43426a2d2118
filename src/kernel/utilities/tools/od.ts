/** Implements the `od` utility, which dumps bytes as octal, decimal or hexadecimal numbers and as characters. */
import type { Program } from "../../System.ts"
import { parseSize } from "../shared/quantities.ts"
import { formatPrintable, maxRowBytes, RowReader } from "../shared/RowReader.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const names =
  "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp"
    .split(" ")
const escapes: Readonly<Record<number, string>> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
}

interface DumpFormat {
  readonly size: number
  readonly width: number
  readonly show: (view: DataView, at: number) => string
  readonly text: boolean
}

const parseFormat = (io: UtilityIo, text: string): DumpFormat => {
  const match = /^([acdoux])([1248CSIL])?(z)?$/.exec(text) ?? io.fail(`invalid type string ‘${text}’`)
  const kind = match[1] ?? "o"
  if (kind === "a" || kind === "c") {
    const show = (view: DataView, at: number): string => {
      const byte = view.getUint8(at)
      if (kind === "a") return names[byte & 127] ?? ((byte & 127) === 127 ? "del" : String.fromCharCode(byte & 127))
      return escapes[byte] ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0"))
    }
    return { show, size: 1, text: false, width: 4 }
  }
  const sizes: Readonly<Record<string, number>> = { C: 1, I: 4, L: 8, S: 2 }
  const size = sizes[match[2] ?? ""] ?? Number(match[2] ?? "4")
  const radix = kind === "x" ? 16 : kind === "o" ? 8 : 10
  const digits = radix === 10 ? 0 : ((1n << BigInt(size * 8)) - 1n).toString(radix).length
  const maxDigits = radix === 10
    ? `${(1n << BigInt(size * 8)) - 1n}`.length + (kind === "d" ? (size === 8 ? 0 : 1) : 0)
    : digits
  const show = (view: DataView, at: number): string => {
    let value = 0n
    for (let index = size - 1; index >= 0; index--) value = value << 8n | BigInt(view.getUint8(at + index))
    if (kind === "d") value = BigInt.asIntN(size * 8, value)
    return value.toString(radix).padStart(digits, "0")
  }
  return { show, size, text: match[3] === "z", width: maxDigits + 1 }
}

/** Types of the options of one letter. */
const shortTypes: ReadonlyMap<string, string> = new Map([
  ...[["a", "a"], ["b", "o1"], ["c", "c"], ["d", "u2"], ["o", "o2"], ["s", "d2"], ["x", "x2"]] as const,
])

/** `od [-A RADIX] [-t TYPE] [-N N] [-j N] [-w N] [-bcdosxv] [FILE]...`: dumps bytes. Source: od(1). */
export const od: Program = defineUtility(
  "od",
  "A|address-radix: t|format: N|read-bytes: j|skip-bytes: w|width:: v|output-duplicates a b c d o s x",
  async (io) => {
    const types = io.options.all.flatMap(([name, value]) =>
      name === "t" ? value.match(/[acdoux][1248CSIL]?z?/g) ?? [value] : shortTypes.get(name) ?? []
    )
    const formats = (types.length === 0 ? ["o2"] : types).map((text) => parseFormat(io, text))
    const width = Number(io.value("w") ?? "16") || 32
    if (!(width > 0 && width <= maxRowBytes)) return io.fail(`invalid number of columns: ‘${io.value("w") ?? ""}’`)
    const radix = io.value("A") ?? "o"
    const size = (name: string): number => {
      const text = io.value(name)
      return text === undefined
        ? (name === "j" ? 0 : Infinity)
        : text.startsWith("0x")
        ? Number(text)
        : parseSize(text) ?? io.fail(`invalid number ‘${text}’`)
    }
    const skip = size("j")
    let offset = skip
    const radixes: Readonly<Record<string, number>> = { d: 10, x: 16 }
    const address = (at: number): string =>
      radix === "n" ? "" : at.toString(radixes[radix] ?? 8).padStart(radix === "x" ? 6 : 7, "0")
    // All formats give a byte the width that the widest format needs.
    const perByte = Math.max(...formats.map((format) => format.width / format.size))
    let before = ""
    let same = false
    const show = (row: Uint8Array): void => {
      const key = row.join()
      if (!io.has("v") && row.length === width && key === before) {
        if (!same) io.print("*\n")
        same = true
        offset += row.length
        return
      }
      before = key
      same = false
      const padded = new Uint8Array(width)
      padded.set(row)
      const view = new DataView(padded.buffer)
      formats.forEach((format, index) => {
        const cells: Array<string> = []
        for (let at = 0; at < row.length; at += format.size) {
          cells.push(format.show(view, at).padStart(Math.round(perByte * format.size)))
        }
        const lead = index === 0 ? address(offset) : " ".repeat(address(offset).length)
        const rest = " ".repeat(Math.round(perByte * (width - Math.ceil(row.length / format.size) * format.size)))
        io.print(`${lead}${cells.join("")}${format.text ? `${rest}  >${formatPrintable(row)}<` : ""}\n`)
      })
      offset += row.length
    }
    const rows = new RowReader(io, { width, skip, maxBytes: size("N") }, show)
    for (const input of io.inputs()) await rows.read(input)
    if (rows.unskipped > 0 && io.exitCode === 0) return io.fail("cannot skip past end of combined input")
    rows.end()
    if (radix !== "n" && (offset > 0 || io.exitCode === 0)) io.print(`${address(offset)}\n`)
  },
)
