/** Implements the `hexdump` utility: canonical, octal, decimal and hexadecimal output. */
import type { Program } from "../../System.ts"
import { parseSize } from "../shared/quantities.ts"
import { formatPrintable, RowReader } from "../shared/RowReader.ts"
import { defineUtility } from "../shared/defineUtility.ts"

const rowBytes = 16

const hex = (value: number, width: number): string => value.toString(16).padStart(width, "0")

/** Two bytes each as a number, low byte first. */
const words = (row: Uint8Array, format: (value: number) => string): string => {
  let out = ""
  for (let at = 0; at < row.length; at += 2) out += format((row[at] ?? 0) | (row[at + 1] ?? 0) << 8)
  return out
}

const escapes: Readonly<Record<number, string>> = {
  ...{ 0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r" },
}

/** Each format: the row's text after its offset. */
const formats: Readonly<Record<string, (row: Uint8Array) => string>> = {
  b: (row) => Array.from(row, (byte) => ` ${byte.toString(8).padStart(3, "0")}`).join(""),
  c: (row) =>
    Array.from(row, (byte) => {
      const text = escapes[byte] ??
        (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0"))
      return text.padStart(4)
    }).join(""),
  C: (row) => {
    const cells = Array.from(row, (byte, at) => `${at === 8 ? " " : ""} ${hex(byte, 2)}`).join("")
    return ` ${cells.padEnd(49)}  |${formatPrintable(row)}|`
  },
  d: (row) => words(row, (value) => `   ${`${value}`.padStart(5, "0")}`),
  o: (row) => words(row, (value) => `  ${value.toString(8).padStart(6, "0")}`),
  x: (row) => words(row, (value) => `    ${hex(value, 4)}`),
}

/** Their width without the offset, to which the last row is filled up. */
const widths: Readonly<Record<string, number>> = { b: 64, c: 64, d: 64, o: 64, x: 64, default: 40 }

/** `hexdump [-bcCdox] [-n LENGTH] [-s SKIP] [-v] [FILE]...`: shows bytes. Source: hexdump(1). */
export const hexdump: Program = defineUtility("hexdump", "b c C d o x n: s: v", async (io) => {
  const size = (option: string, otherwise: number): number =>
    io.value(option) === undefined ? otherwise : parseSize(io.value(option) ?? "") ?? io.fail(`bad ${option} value`)
  const style = io.lastOf("b", "c", "C", "d", "o", "x")?.[0]
  const format = formats[style ?? ""] ?? ((row) => words(row, (value) => ` ${hex(value, 4)}`))
  const digits = style === "C" ? 8 : 7
  let offset = size("s", 0)
  let previous: string | undefined
  let isRepeating = false
  const show = (row: Uint8Array): void => {
    const text = format(row)
    const isSame = !io.has("v") && row.length === rowBytes && text === previous
    if (!isSame) io.print(`${hex(offset, digits)}${text.padEnd(widths[style ?? "default"] ?? 0)}\n`)
    else if (!isRepeating) io.print("*\n")
    isRepeating = isSame
    previous = text
    offset += row.length
  }
  const reader = new RowReader(io, { maxBytes: size("n", Infinity), skip: offset, width: rowBytes }, show)
  for (const input of io.inputs()) await reader.read(input)
  reader.end()
  if (offset > size("s", 0) || previous !== undefined) io.print(`${hex(offset, digits)}\n`)
})
