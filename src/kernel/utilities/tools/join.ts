/** Implements the `join` utility, which joins the lines of two sorted files on a common field. */
import { type Coroutine, runCoroutine, stepsPerYield } from "../../Coroutine.ts"
import type { Program } from "../../System.ts"
import { compareStrings, textToBinary } from "../../binaryString.ts"
import type { Input } from "../shared/Input.ts"
import { strip } from "../shared/strip.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

/**
 * `join [-1 F] [-2 F] [-j F] [-t C] [-a N] [-v N] [-e TEXT] [-o LIST] [-i] FILE1 FILE2`: joins lines on a common field. Source:
 * join(1).
 */
export const join: Program = defineUtility(
  "join",
  "1: 2: j: t: a: v: e: o: i|ignore-case check-order nocheck-order header",
  async (io) => {
    const [one = "", two = ""] = io.operands
    const [left, right] = [io.openInput(one), io.openInput(two)]
    if (left === undefined || right === undefined) return 1
    const given = io.value("t")
    const separator = given === undefined ? undefined : textToBinary(given)
    const keys = ["1", "2"].map((name) => Number(io.value(name) ?? io.value("j") ?? "1") - 1)
    if (keys.some((key) => !(key >= 0))) return io.fail("invalid field number")
    const alone = [...io.values("a"), ...io.values("v")]
    const paired = !io.has("v")
    const empty = textToBinary(io.value("e") ?? "")
    const [a, b] = [
      new GroupReader(io, left, keys[0] ?? 0, separator),
      new GroupReader(io, right, keys[1] ?? 0, separator),
    ]
    const format = io.has("o") && io.value("o") !== "auto"
      ? io.values("o").flatMap((text) => text.split(/[ ,]+/))
      : undefined
    const putRow = (x: Row | undefined, y: Row | undefined): void => {
      const key = x?.key ?? y?.key ?? ""
      const cells = format === undefined
        ? [
          key,
          ...x?.fields.filter((_, at) => at !== keys[0]) ?? [],
          ...y?.fields.filter((_, at) => at !== keys[1]) ?? [],
        ]
        : format.map((name) => {
          if (name === "0") return key
          const [file, field] = name.split(".")
          return (file === "1" ? x : y)?.fields[Number(field) - 1] || empty
        })
      io.out.putBinary(`${cells.join(separator ?? " ")}\n`)
    }
    a.checksOrder = b.checksOrder = io.has("check-order")
    let [x, y] = [await a.next(), await b.next()]
    if (io.has("header") && x.length > 0 && y.length > 0) {
      putRow(x[0], y[0])
      ;[x, y] = [x.length > 1 ? x.slice(1) : await a.next(), y.length > 1 ? y.slice(1) : await b.next()]
    }
    while (x.length > 0 || y.length > 0) {
      const order = x.length === 0 ? 1 : y.length === 0 ? -1 : compareStrings(x[0]?.folded ?? "", y[0]?.folded ?? "")
      a.checksOrder ||= order !== 0
      b.checksOrder ||= order !== 0
      if (order < 0) {
        if (alone.includes("1")) { for (const row of x) putRow(row, undefined) }
        x = await a.next()
      } else if (order > 0) {
        if (alone.includes("2")) { for (const row of y) putRow(undefined, row) }
        y = await b.next()
      } else {
        if (paired) {
          for (const row of x) {
            for (const other of y) putRow(row, other)
            await io.flushAndYield()
          }
        }
        ;[x, y] = [await a.next(), await b.next()]
      }
      if (io.out.isFull) await io.out.flush()
    }
    return io.exitCode
  },
  { minOperands: 2, maxOperands: 2 },
)

interface Row {
  readonly key: string
  readonly folded: string
  readonly fields: ReadonlyArray<string>
}

const maxFields = 1_000_000

/** Splits a line at each separator, or at blanks; the last of too many fields is the rest of the line. */
function* splitFields(line: string, separator: string | undefined): Coroutine<ReadonlyArray<string>> {
  if (separator === "") return [line]
  const text = separator === undefined ? strip(line, " \t") : line
  const blanks = /[ \t]+/g
  const fields: Array<string> = []
  for (let from = 0;;) {
    const to = separator === undefined ? blanks.exec(text)?.index ?? -1 : text.indexOf(separator, from)
    if (to < 0 || fields.length === maxFields) {
      fields.push(text.slice(from))
      return fields
    }
    fields.push(text.slice(from, to))
    from = separator === undefined ? blanks.lastIndex : to + 1
    if (fields.length % stepsPerYield === 0) yield
  }
}

class GroupReader {
  readonly #io: UtilityIo
  readonly #input: Input
  readonly #key: number
  readonly #separator: string | undefined
  #ahead: Row | undefined
  #started = false
  /** Whether a line without a partner was seen; only then is the order checked. */
  checksOrder = false

  constructor(io: UtilityIo, input: Input, key: number, separator: string | undefined) {
    this.#io = io
    this.#input = input
    this.#key = key
    this.#separator = separator
  }

  async #readRow(): Promise<Row | undefined> {
    const line = await this.#input.line()
    if (line === undefined) return undefined
    const fields = await runCoroutine(this.#io.system, splitFields(line, this.#separator))
    if (fields.length > maxFields) this.#io.fail(`${this.#input.path}: a line has more than ${maxFields} fields`)
    const key = fields[this.#key] ?? ""
    return { fields, folded: this.#io.has("i") ? key.toLowerCase() : key, key }
  }

  async next(): Promise<ReadonlyArray<Row>> {
    if (!this.#started) this.#ahead = await this.#readRow()
    this.#started = true
    const rows: Array<Row> = []
    while (this.#ahead !== undefined && (rows[0]?.folded ?? this.#ahead.folded) === this.#ahead.folded) {
      rows.push(this.#ahead)
      this.#ahead = await this.#readRow()
      if (rows.length > 1_000_000) this.#io.fail("more than 1000000 lines have the same key")
    }
    if (
      this.checksOrder && rows[0] !== undefined && this.#ahead !== undefined &&
      compareStrings(this.#ahead.folded, rows[0].folded) < 0 &&
      !this.#io.has("nocheck-order")
    ) {
      if (this.#io.has("check-order")) this.#io.fail(`${this.#input.path}: is not sorted`)
      this.#io.warn(`${this.#input.path}: is not sorted`)
    }
    return rows
  }
}
