/** Implements the `comm` utility. */
import { compareStrings, textToBinary } from "../../binaryString.ts"
import type { Program } from "../../System.ts"
import { defineUtility } from "../shared/defineUtility.ts"

/**
 * `comm [-123z] FILE1 FILE2`: prints the lines of one, of the other and of both sorted files. Source: comm(1).
 */
export const comm: Program = defineUtility(
  "comm",
  "1 2 3 z|zero-terminated output-delimiter: check-order nocheck-order total",
  async (io) => {
    const [one = "", two = ""] = io.operands
    const end = io.terminator()
    const [first, second] = [io.openInput(one, end), io.openInput(two, end)]
    if (first === undefined || second === undefined) return 1
    const delimiter = textToBinary(io.value("output-delimiter") ?? "\t")
    const columns = ["1", "2", "3"].map((name) => !io.has(name))
    const counts = [0, 0, 0]
    const show = (column: number, line: string): void => {
      counts[column] = (counts[column] ?? 0) + 1
      if (!columns[column]) return
      for (let at = 0; at < column; at++) if (columns[at]) io.out.putBinary(delimiter)
      io.out.putBinary(line)
      io.out.putByte(end)
    }
    let [a, b] = [await first.line(), await second.line()]
    const orders = [new Order(a), new Order(b)] as const
    // Before a line that only one file has, equal files may be in any order.
    let checks = io.has("check-order")
    const step = (file: 0 | 1, line: string | undefined): string | undefined => {
      if (orders[file].isBroken(line, checks && !io.has("nocheck-order"))) {
        io.printError(`file ${file + 1} is not in sorted order`)
        if (io.has("check-order")) io.exit(1)
      }
      return line
    }
    while (a !== undefined || b !== undefined) {
      const order = a === undefined ? 1 : b === undefined ? -1 : compareStrings(a, b)
      show(order < 0 ? 0 : order > 0 ? 1 : 2, (order <= 0 ? a : b) ?? "")
      if (order !== 0) checks = true
      if (order <= 0) a = step(0, await first.line())
      if (order >= 0) b = step(1, await second.line())
      if (io.out.isFull) await io.out.flush()
    }
    if (io.has("total")) io.out.putBinary(`${counts.join(delimiter)}${delimiter}total\n`)
    if (orders.some(({ warned }) => warned)) {
      io.printError("input is not in sorted order")
      return 1
    }
    return io.exitCode
  },
  { minOperands: 2, maxOperands: 2 },
)

/** Whether the lines of a file are sorted. At its end the last two lines are compared again, as they may not have been. */
class Order {
  warned = false
  #before: string | undefined
  #last: string | undefined

  constructor(first: string | undefined) {
    this.#last = first
  }

  /** Takes the next line, and returns whether the order is broken for the first time. */
  isBroken(line: string | undefined, checks: boolean): boolean {
    if (line !== undefined) [this.#before, this.#last] = [this.#last, line]
    const [before, last] = [this.#before, this.#last]
    if (!checks || this.warned || before === undefined || last === undefined) return false
    return this.warned = compareStrings(before, last) > 0
  }
}
