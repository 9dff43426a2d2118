/** Implements the `xxd` utility, which prints a hexadecimal dump of a file, or converts one back to bytes. */
import type { Program } from "../../System.ts"
import { formatPrintable, maxRowBytes, RowReader } from "../shared/RowReader.ts"
import { defineUtility } from "../shared/defineUtility.ts"

/**
 * `xxd [-p] [-c N] [-l N] [-s N] [-g N] [-u] [-r] [FILE]`: prints a hexadecimal dump, or reverts one. Source: xxd(1).
 */
export const xxd: Program = defineUtility(
  "xxd",
  "p|ps|plain c|cols: l|len: s|seek: g|groupsize: u r|revert",
  async (io) => {
    const plain = io.has("p")
    const number = (name: string, otherwise: number): number => Number(io.value(name) ?? otherwise)
    const columns = number("c", plain ? 30 : 16) || 16
    if (!(columns > 0 && columns <= maxRowBytes)) return io.fail(`invalid number of columns (max. ${maxRowBytes})`)
    const input = io.openInput(io.operands[0] ?? "-")
    if (input === undefined) return 2
    if (io.has("r")) {
      return await io.forEachLine([input], async (line) => {
        const hex = plain
          ? line
          : /^[0-9a-fA-F]+: ?((?:[0-9a-fA-F]{2} ?)*)/.exec(line.replace(/ {2}.*$/, ""))?.[1] ?? ""
        const digits = hex.replace(/[^0-9a-fA-F]/g, "")
        for (let at = 0; at + 1 < digits.length; at += 2) {
          io.out.putByte(parseInt(digits.slice(at, at + 2), 16))
          if (io.out.isFull) await io.flushAndYield()
        }
      })
    }
    const group = number("g", 2) || columns
    const skip = number("s", 0)
    let offset = skip
    const show = (row: Uint8Array): void => {
      const hex = Array.from(row, (byte) => {
        const pair = byte.toString(16).padStart(2, "0")
        return io.has("u") ? pair.toUpperCase() : pair
      })
      if (plain) io.print(`${hex.join("")}\n`)
      else {
        let cells = ""
        for (let at = 0; at < columns; at++) cells += (hex[at] ?? "  ") + ((at + 1) % group === 0 ? " " : "")
        if (columns % group !== 0) cells += " "
        io.print(`${offset.toString(16).padStart(8, "0")}: ${cells} ${formatPrintable(row)}\n`)
      }
      offset += row.length
    }
    const rows = new RowReader(io, { width: columns, skip, maxBytes: number("l", Infinity) }, show)
    await rows.read(input)
    rows.end()
    return io.exitCode
  },
)
