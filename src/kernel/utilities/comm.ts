import type { Program } from "../System.ts"
import { compareStrings, textToBinary } from "../binaryString.ts"
import { utility } from "./shared/utility.ts"

/** `comm [-123z] FILE1 FILE2`: lines of one, of the other and of both of two sorted files. Source: comm(1). */
export const comm: Program = utility(
  "comm",
  "1 2 3 z|zero-terminated output-delimiter: check-order nocheck-order total",
  async (io) => {
    const [one, two, more] = io.operands
    if (one === undefined || two === undefined) return io.missingOperand()
    if (more !== undefined) return io.extraOperand(more)
    const end = io.has("z") ? 0 : 10
    const [first, second] = [io.open(one, end), io.open(two, end)]
    if (first === undefined || second === undefined) return 1
    const glue = textToBinary(io.value("output-delimiter") ?? "\t")
    const columns = ["1", "2", "3"].map((name) => !io.has(name))
    const counts = [0, 0, 0]
    const show = (column: number, line: string): void => {
      counts[column] = (counts[column] ?? 0) + 1
      if (!columns[column]) return
      for (let at = 0; at < column; at++) if (columns[at]) io.out.putBinary(glue)
      io.out.putBinary(line)
      io.out.putByte(end)
    }
    let [a, b] = [await first.line(), await second.line()]
    let warned = false
    const ordered = (before: string, after: string | undefined, file: number): void => {
      if (after === undefined || compareStrings(before, after) <= 0 || warned || io.has("nocheck-order")) return
      warned = true
      io.warn(`file ${file} is not in sorted order`)
    }
    while (a !== undefined || b !== undefined) {
      const stands = a === undefined ? 1 : b === undefined ? -1 : compareStrings(a, b)
      show(stands < 0 ? 0 : stands > 0 ? 1 : 2, (stands <= 0 ? a : b) ?? "")
      const [oldA, oldB] = [a, b]
      if (stands <= 0) a = await first.line()
      if (stands >= 0) b = await second.line()
      if (stands <= 0 && oldA !== undefined && b !== undefined) ordered(oldA, a, 1)
      if (stands >= 0 && oldB !== undefined && a !== undefined) ordered(oldB, b, 2)
      if (io.out.isFull) await io.out.flush()
    }
    if (io.has("total")) io.out.putBinary(`${counts.join(glue)}${glue}total\n`)
    return io.status
  },
)
