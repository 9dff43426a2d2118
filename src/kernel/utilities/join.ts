import type { Program } from "../System.ts"
import { compareStrings, textToBinary } from "../binaryString.ts"
import type { Input } from "./shared/Input.ts"
import { trimmed } from "./shared/trim.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"

/** `join [-1 F] [-2 F] [-j F] [-t C] [-a N] [-v N] [-e TEXT] [-o LIST] [-i] FILE1 FILE2`. Source: join(1). */
export const join: Program = utility(
  "join",
  "1: 2: j: t: a: v: e: o: i|ignore-case check-order nocheck-order header",
  async (io) => {
    const [one, two] = io.operands
    if (one === undefined || two === undefined) return io.missingOperand()
    const files = [io.open(one), io.open(two)]
    const [left, right] = files
    if (left === undefined || right === undefined) return 1
    const given = io.value("t")
    const separator = given === undefined ? undefined : textToBinary(given)
    const keys = ["1", "2"].map((name) => Number(io.value(name) ?? io.value("j") ?? "1") - 1)
    if (keys.some((key) => !(key >= 0))) return io.fail("invalid field number")
    const every = (name: string): ReadonlyArray<string> =>
      io.options.all.filter(([option]) => option === name).map(([, value]) => value)
    const alone = [...every("a"), ...every("v")]
    const paired = !io.has("v")
    const empty = textToBinary(io.value("e") ?? "")
    const [a, b] = [new Rows(io, left, keys[0] ?? 0, separator), new Rows(io, right, keys[1] ?? 0, separator)]
    const format = io.has("o") && io.value("o") !== "auto"
      ? every("o").flatMap((text) => text.split(/[ ,]+/))
      : undefined
    const put = (x: Row | undefined, y: Row | undefined): void => {
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
    let [x, y] = [await a.group(), await b.group()]
    if (io.has("header") && x.length > 0 && y.length > 0) {
      put(x[0], y[0])
      ;[x, y] = [x.length > 1 ? x.slice(1) : await a.group(), y.length > 1 ? y.slice(1) : await b.group()]
    }
    while (x.length > 0 || y.length > 0) {
      const stands = x.length === 0 ? 1 : y.length === 0 ? -1 : compareStrings(x[0]?.folded ?? "", y[0]?.folded ?? "")
      a.strict ||= stands !== 0
      b.strict ||= stands !== 0
      if (stands < 0) {
        if (alone.includes("1")) { for (const row of x) put(row, undefined) }
        x = await a.group()
      } else if (stands > 0) {
        if (alone.includes("2")) { for (const row of y) put(undefined, row) }
        y = await b.group()
      } else {
        if (paired) {
          for (const row of x) {
            for (const other of y) put(row, other)
            await io.settle()
          }
        }
        ;[x, y] = [await a.group(), await b.group()]
      }
      if (io.out.isFull) await io.out.flush()
    }
    return io.status
  },
)

interface Row {
  readonly key: string
  readonly folded: string
  readonly fields: ReadonlyArray<string>
}

/** Lines of a file by groups of the same key. */
class Rows {
  readonly #io: UtilityIo
  readonly #input: Input
  readonly #key: number
  readonly #separator: string | undefined
  #ahead: Row | undefined
  #started = false
  /** Whether a line without a partner was seen: only then the order matters. */
  strict = false

  constructor(io: UtilityIo, input: Input, key: number, separator: string | undefined) {
    this.#io = io
    this.#input = input
    this.#key = key
    this.#separator = separator
  }

  async #next(): Promise<Row | undefined> {
    const line = await this.#input.line()
    if (line === undefined) return undefined
    const fields = this.#separator === undefined
      ? trimmed(line, " \t").split(/[ \t]+/)
      : this.#separator === ""
      ? [line]
      : line.split(this.#separator)
    const key = fields[this.#key] ?? ""
    return { fields, folded: this.#io.has("i") ? key.toLowerCase() : key, key }
  }

  async group(): Promise<ReadonlyArray<Row>> {
    if (!this.#started) this.#ahead = await this.#next()
    this.#started = true
    const rows: Array<Row> = []
    while (this.#ahead !== undefined && (rows[0]?.folded ?? this.#ahead.folded) === this.#ahead.folded) {
      rows.push(this.#ahead)
      this.#ahead = await this.#next()
      if (rows.length > 1_000_000) this.#io.fail("more than 1000000 lines have the same key")
    }
    if (
      this.strict && rows[0] !== undefined && this.#ahead !== undefined &&
      compareStrings(this.#ahead.folded, rows[0].folded) < 0 &&
      !this.#io.has("nocheck-order")
    ) {
      this.#io.warn(`${this.#input.path}: is not sorted`)
    }
    return rows
  }
}
