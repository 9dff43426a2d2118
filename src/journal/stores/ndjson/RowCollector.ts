/**
 * Takes the rows that are meant out of blocks of lines.
 *
 * @module
 */
import { matches, type Position, type Row } from "../../Entry.ts"
import type { Scan } from "../../JournalStore.ts"
import type { Block } from "./BlockReader.ts"
import { corrupt } from "./fsError.ts"
import { bodyKey } from "./encodeLine.ts"
import { makePrefilters, type SubstringPrefilter } from "./SubstringPrefilter.ts"
import { decodeName, type LineHead, parseLine } from "./parseLine.ts"

/** Names that come again and again are kept once. */
const maxNames = 256

/** Rows of one scan. */
export class RowCollector {
  readonly rows: Array<Row> = []
  readonly #path: string
  readonly #scan: Scan
  readonly #needles: ReadonlyArray<SubstringPrefilter> | undefined
  readonly #names = new Map<string, string>()
  #bytes = 0
  #refused = false

  constructor(path: string, scan: Scan) {
    this.#path = path
    this.#scan = scan
    this.#needles = makePrefilters(scan.filter, scan.order === "backward")
  }

  /** Whether no more rows are wanted. */
  get done(): boolean {
    return this.#refused || this.rows.length >= this.#scan.limit
  }

  /** Whether the last row was one too much: it was not taken. */
  get refused(): boolean {
    return this.#refused
  }

  /** How many lines more are wanted at least, to fill it. */
  get room(): number {
    return this.#scan.filter === undefined ? this.#scan.limit - this.rows.length : Infinity
  }

  /** Takes the entry of a line, if it is meant. */
  take(block: Block, at: number, end: number, position: Position): void {
    if (this.#needles !== undefined && !this.#needles.some((needle) => needle.mayMatch(block, at, end))) return
    const { bytes, text } = block
    const keyAt = text.indexOf(bodyKey, at)
    const bodyAt = keyAt + bodyKey.length
    const bodyEnd = end - 1
    if (keyAt < 0 || bodyAt >= bodyEnd || text.charCodeAt(bodyEnd) !== 125) throw this.#broken(position)
    // A copy: what is kept of it would hold on to the whole block.
    const head = parseLine(bytes.toString("latin1", at, bodyAt), 0, this.#name)
    if (head === undefined) throw this.#broken(position)
    if (this.#scan.filter !== undefined && !matches(this.#scan.filter, head)) return
    const pruned = bodyEnd - bodyAt === 4 && text.startsWith("null", bodyAt)
    if (pruned || this.#scan.headersOnly === true) this.#add(rowOf(head, ""), 0)
    else this.#add(rowOf(head, bytes.toString("utf8", bodyAt, bodyEnd)), bodyEnd - bodyAt)
  }

  /** Takes a row that is not in a file, if it is meant. */
  takeRow(row: Row): void {
    if (this.#scan.filter !== undefined && !matches(this.#scan.filter, row)) return
    if (this.#scan.headersOnly === true) this.#add({ ...row, body: "" }, 0)
    else this.#add(row, row.body.length)
  }

  #add(row: Row, bytes: number): void {
    this.#bytes += bytes
    if (this.rows.length > 0 && this.#bytes > (this.#scan.maxBytes ?? Infinity)) this.#refused = true
    else this.rows.push(row)
  }

  readonly #name = (raw: string): string | undefined => {
    const known = this.#names.get(raw)
    if (known !== undefined) return known
    const name = decodeName(raw)
    if (name !== undefined && this.#names.size < maxNames) this.#names.set(raw, name)
    return name
  }

  #broken(position: Position): Error {
    return corrupt(this.#path, "its line is no entry", position)
  }
}

const rowOf = ({ branch, correlationId, hash, position, tag, time, version }: LineHead, body: string): Row => ({
  position,
  time,
  branch,
  correlationId,
  tag,
  version,
  hash,
  body,
})
