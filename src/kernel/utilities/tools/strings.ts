/** Implements the `strings` utility. */
import type { Program } from "../../System.ts"
import { bytesToBinary } from "../../binaryString.ts"
import { LineBytes } from "../shared/Input.ts"
import { defineUtility } from "../shared/defineUtility.ts"

const isPrintable = (byte: number): boolean => (byte >= 32 && byte < 127) || byte === 9

/** `strings [-af] [-n NUM] [-t d|o|x] [FILE]...`: prints runs of printable characters. Source: strings(1). */
export const strings: Program = defineUtility(
  "strings",
  "f|print-file-name n|bytes: t|radix: o",
  async (io) => {
    const min = io.count("n", 4, (text) => `invalid integer argument ${text}`)
    if (min < 1 || min > 65_536) io.fail(`invalid minimum string length ${min}`)
    const radix = { d: 10, o: 8, x: 16 }[io.value("t") ?? (io.has("o") ? "o" : "d")]
    if (radix === undefined) io.failUsage(`invalid radix '${io.value("t")}'`)
    const showsOffset = io.has("t") || io.has("o")
    for (const input of io.inputs()) {
      const size = new LineBytes(io, input.path)
      let run: Array<string> = []
      let [length, start, offset] = [0, 0, 0]
      const end = (): void => {
        if (length >= min) {
          if (io.has("f")) io.print(`${input.path}: `)
          if (showsOffset) io.print(`${start.toString(radix).padStart(7)} `)
          for (const part of run) io.out.putBinary(part)
          io.print("\n")
        }
        run = []
        length = 0
        size.set(0)
      }
      for await (const chunk of io.chunks(input)) {
        let from = 0
        for (let at = 0; at < chunk.length; at++) {
          if (isPrintable(chunk[at] ?? 0)) {
            if (length++ === 0) {
              start = offset + at
              from = at
            }
            continue
          }
          if (length === 0) continue
          if (length >= min) run.push(bytesToBinary(chunk, from, at))
          else run = []
          end()
          from = at + 1
          if (io.out.isFull) await io.out.flush()
        }
        if (length > 0) {
          run.push(bytesToBinary(chunk, from, chunk.length))
          size.set(length)
        }
        offset += chunk.length
      }
      if (length > 0) end()
    }
  },
  { withoutEffect: { "a|all": "files are always searched whole" } },
)
