/** Implements the `nl` utility. */
import type { Program } from "../../System.ts"
import { textToBinary } from "../../binaryString.ts"
import { Regex } from "../../regex/Regex.ts"
import { defineUtility } from "../shared/defineUtility.ts"

/** `nl [-b STYLE] [-v N] [-i N] [-w N] [-s TEXT] [-n FORMAT] [FILE]...`: numbers lines. Source: nl(1). */
export const nl: Program = defineUtility(
  "nl",
  "b|body-numbering: v|starting-line-number: i|line-increment: w|number-width: s|number-separator: n|number-format: " +
    "h|header-numbering: f|footer-numbering: d|section-delimiter: l|join-blank-lines: p|no-renumber",
  async (io) => {
    const numberOf = (name: string, otherwise: number): number => {
      const text = io.value(name)
      return text === undefined
        ? otherwise
        : /^-?[0-9]+$/.test(text)
        ? Number(text)
        : io.fail(`invalid number: ‘${text}’`)
    }
    const tests = new Map(["h", "b", "f"].map((section) => {
      const style = io.value(section) ?? (section === "b" ? "t" : "n")
      if (style[0] === "p") {
        const pattern = new Regex([style.slice(1)])
        return [section, (line: string) => pattern.test(io.system, line)] as const
      }
      if (!/^[atn]$/.test(style)) io.fail(`invalid ${section} numbering style: ‘${style}’`)
      return [section, (line: string) => style === "a" || (style === "t" && line !== "")] as const
    }))
    const format = io.value("n") ?? "rn"
    const width = numberOf("w", 6)
    if (width < 1 || width > 65_536) return io.fail(`invalid line number field width: ‘${width}’`)
    const join = Math.max(1, numberOf("l", 1))
    const separator = textToBinary(io.value("s") ?? "\t")
    const delimiter = textToBinary(io.value("d") ?? "\\:").padEnd(2, ":")
    const step = numberOf("i", 1)
    let next = numberOf("v", 1)
    let section = "b"
    let blank = 0
    await io.forEachLine(io.inputs(), async (line) => {
      const times = line.length / delimiter.length
      if (line !== "" && Number.isInteger(times) && times <= 3 && line === delimiter.repeat(times)) {
        section = ["f", "b", "h"][times - 1] ?? "b"
        if (section === "h" || (section === "b" && times === 2)) {
          if (!io.has("p")) next = numberOf("v", 1)
        }
        return io.out.putByte(10)
      }
      blank = line === "" ? blank + 1 : 0
      const counted = await tests.get(section)?.(line) === true && (line !== "" || blank % join === 0)
      if (counted) {
        const digits = `${Math.abs(next)}`
        const sign = next < 0 ? "-" : ""
        io.out.putBinary(
          (format === "ln"
            ? (sign + digits).padEnd(width)
            : format === "rz"
            ? sign + digits.padStart(width - sign.length, "0")
            : (sign + digits).padStart(width)) + separator,
        )
        next += step
      } else io.out.putBinary(" ".repeat(width + separator.length))
      io.out.putBinary(`${line}\n`)
    })
  },
)
