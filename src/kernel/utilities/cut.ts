/** Implements the `cut` utility, which prints selected bytes or fields of each line. */
import type { Program } from "../System.ts"
import { textToBinary } from "../binaryString.ts"
import { invertRanges, parseRanges } from "./shared/ranges.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/**
 * `cut -b|-c|-f LIST [-d CHAR] [-s] [FILE]...`: prints parts of each line; as in GNU, `-c` counts bytes. Source: cut(1).
 */
export const cut: Program = defineUtility(
  "cut",
  "b|bytes: c|characters: f|fields: d|delimiter: s|only-delimited complement output-delimiter: z|zero-terminated",
  async (io) => {
    const { out } = io
    const lists = io.options.all.filter(([name]) => ["b", "c", "f"].includes(name))
    const [list] = lists
    if (list === undefined) return io.failUsage("you must specify a list of bytes, characters, or fields")
    if (lists.length > 1) return io.failUsage("only one list may be specified")
    const fields = list[0] === "f"
    const delimiter = textToBinary(io.value("d") ?? "\t") || "\0"
    if (delimiter.length > 1) return io.failUsage("the delimiter must be a single character")
    if (!fields && (io.has("d") || io.has("s"))) {
      const option = io.has("d") ? "an input delimiter" : "suppressing non-delimited lines"
      return io.failUsage(`${option} makes sense\n\tonly when operating on fields`)
    }
    const parsed = parseRanges(list[1])
    if (typeof parsed === "string") return io.failUsage(parsed)
    const ranges = io.has("complement") ? invertRanges(parsed) : parsed
    const outputDelimiter = textToBinary(io.value("output-delimiter") ?? (fields ? delimiter : ""))
    const end = io.terminator()
    const pick = (line: string): string => {
      let result: string | undefined
      if (!fields) {
        for (const [low, high] of ranges) {
          if (low > line.length) break
          const part = line.slice(low - 1, high)
          result = result === undefined ? part : result + outputDelimiter + part
        }
        return result ?? ""
      }
      let at = 0
      let number = 1
      let range = 0
      while (range < ranges.length) {
        const [low, high] = ranges[range] ?? [0, 0]
        // A range to the end of the line with the same delimiter is one slice.
        if (number >= low && high === Infinity && outputDelimiter === delimiter) {
          const rest = line.slice(at)
          return result === undefined ? rest : result + outputDelimiter + rest
        }
        const stop = line.indexOf(delimiter, at)
        if (number >= low) {
          const part = stop < 0 ? line.slice(at) : line.slice(at, stop)
          result = result === undefined ? part : result + outputDelimiter + part
        }
        if (stop < 0) break
        at = stop + 1
        if (++number > high) range++
      }
      return result ?? ""
    }
    await io.forEachLine(io.inputs(end), (line) => {
      const isDelimited = !fields || line.includes(delimiter)
      if (!isDelimited && io.has("s")) return
      out.putBinary(isDelimited ? pick(line) : line)
      out.putByte(end)
    })
  },
  { withoutEffect: { n: "as in cut(1)" } },
)
