import type { Program } from "../System.ts"
import { textToBinary } from "../binaryString.ts"
import { complementRanges, parseRanges } from "./shared/ranges.ts"
import { utility } from "./shared/utility.ts"

/** `cut -b|-c|-f LIST [-d CHAR] [-s] [FILE]...`: parts of each line; as in GNU, `-c` counts bytes. Source: cut(1). */
export const cut: Program = utility(
  "cut",
  "b|bytes: c|characters: f|fields: d|delimiter: s|only-delimited complement output-delimiter: z|zero-terminated n",
  async (io) => {
    const { out } = io
    const lists = io.options.all.filter(([name]) => /^[bcf]$/.test(name))
    const [list] = lists
    if (list === undefined) return io.misuse("you must specify a list of bytes, characters, or fields")
    if (lists.length > 1) return io.misuse("only one list may be specified")
    const fields = list[0] === "f"
    const delimiter = textToBinary(io.value("d") ?? "\t") || "\0"
    if (delimiter.length > 1) return io.misuse("the delimiter must be a single character")
    if (!fields && (io.has("d") || io.has("s"))) {
      return io.misuse(
        `${
          io.has("d") ? "an input delimiter" : "suppressing non-delimited lines"
        } makes sense\n\tonly when operating on fields`,
      )
    }
    const parsed = parseRanges(list[1])
    if (typeof parsed === "string") return io.misuse(parsed)
    const ranges = io.has("complement") ? complementRanges(parsed) : parsed
    const glue = textToBinary(io.value("output-delimiter") ?? (fields ? delimiter : ""))
    const end = io.has("z") ? 0 : 10
    const pick = (line: string): string => {
      let result: string | undefined
      if (!fields) {
        for (const [low, high] of ranges) {
          if (low > line.length) break
          const part = line.slice(low - 1, high)
          result = result === undefined ? part : result + glue + part
        }
        return result ?? ""
      }
      let at = 0
      let number = 1
      let range = 0
      while (range < ranges.length) {
        const [low, high] = ranges[range] ?? [0, 0]
        // To the end of the line and with the same delimiter: one slice.
        if (number >= low && high === Infinity && glue === delimiter) {
          const rest = line.slice(at)
          return result === undefined ? rest : result + glue + rest
        }
        const stop = line.indexOf(delimiter, at)
        if (number >= low) {
          const part = stop < 0 ? line.slice(at) : line.slice(at, stop)
          result = result === undefined ? part : result + glue + part
        }
        if (stop < 0) break
        at = stop + 1
        if (++number > high) range++
      }
      return result ?? ""
    }
    for (const input of io.inputs(end)) {
      for (;;) {
        let line = input.line()
        if (typeof line === "object") line = await line
        if (line === undefined) break
        if (!fields || line.includes(delimiter)) out.putBinary(pick(line))
        else if (io.has("s")) continue
        else out.putBinary(line)
        out.putByte(end)
        if (out.isFull) await out.flush()
      }
    }
  },
)
