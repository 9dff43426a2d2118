/**
 * Takes the rows that are meant out of blocks of lines.
 *
 * @module
 */
import { type Filter, matches, type Position, type Row } from "../../Entry.ts"
import type { Scan } from "../../JournalStore.ts"
import type { Block } from "./BlockReader.ts"
import { corrupt } from "./fsError.ts"
import { bodyKey } from "./line.ts"
import { type LineHead, parseLine } from "./parseLine.ts"

const utf8 = new TextEncoder()

/** A text as it stands in a block: its UTF-8, read as Latin-1. */
const inBlock = (text: string): string => Array.from(utf8.encode(text), (byte) => String.fromCharCode(byte)).join("")

/** Names that come again and again are kept once. */
const maxNames = 256

/** Rows of one scan. */
export class RowReader {
  readonly rows: Array<Row> = []
  readonly #path: string
  readonly #scan: Scan
  readonly #filter: Filter | undefined
  /** What a line that is meant holds somewhere. The store writes each text in one way, so it can be looked for. */
  readonly #needle: string | undefined
  readonly #names = new Map<string, string>()
  #block: Block | undefined
  /** Where the needle was found last; -1 when it is not in what is left of the block. */
  #hit: number | undefined
  #bytes = 0
  #refused = false

  constructor(path: string, scan: Scan) {
    this.#path = path
    this.#scan = scan
    this.#filter = scan.filter
    const { correlationId } = scan.filter ?? {}
    if (correlationId !== undefined) this.#needle = inBlock(`"correlationId":${JSON.stringify(correlationId)},`)
  }

  /** Whether no more rows are wanted. */
  get done(): boolean {
    return this.#refused || this.rows.length >= this.#scan.limit
  }

  /** Whether the last row was one too much: it was not taken. */
  get refused(): boolean {
    return this.#refused
  }

  /** Takes the entry of a line, if it is meant. */
  take(block: Block, at: number, end: number, position: Position): void {
    if (!this.#mayBeMeant(block, at, end)) return
    const { text } = block
    const keyAt = text.indexOf(bodyKey, at)
    const bodyAt = keyAt + bodyKey.length
    if (keyAt < 0 || bodyAt >= end || text.charCodeAt(end - 1) !== 125) throw this.#broken(position)
    // On a line of many it is decided in the block; what is kept is copied, as a slice holds on to the whole block.
    if (this.#filter !== undefined && this.#needle === undefined) {
      const head = parseLine(text, at)
      if (head === undefined) throw this.#broken(position)
      if (!matches(this.#filter, head)) return
    }
    const head = parseLine(block.bytes.toString("latin1", at, bodyAt), 0)
    if (head === undefined) throw this.#broken(position)
    if (this.#needle !== undefined && this.#filter !== undefined && !matches(this.#filter, head)) return
    const bodyEnd = end - 1
    const pruned = bodyEnd - bodyAt === 4 && text.startsWith("null", bodyAt)
    const bare = pruned || this.#scan.headersOnly === true
    const body = bare ? "" : block.bytes.toString("utf8", bodyAt, bodyEnd)
    this.#add(this.#row(head, body), bare ? 0 : bodyEnd - bodyAt)
  }

  /** Takes a row that is not in a file, if it is meant. */
  takeRow(row: Row): void {
    if (this.#filter !== undefined && !matches(this.#filter, row)) return
    this.#add(this.#scan.headersOnly === true ? { ...row, body: "" } : row, row.body.length)
  }

  #add(row: Row, bytes: number): void {
    this.#bytes += this.#scan.headersOnly === true ? 0 : bytes
    if (this.rows.length > 0 && this.#bytes > (this.#scan.maxBytes ?? Infinity)) this.#refused = true
    else this.rows.push(row)
  }

  #mayBeMeant(block: Block, at: number, end: number): boolean {
    if (this.#needle === undefined) return true
    if (block !== this.#block) {
      this.#block = block
      this.#hit = undefined
    }
    if (this.#hit === -1) return false
    if (this.#scan.order === "backward") {
      if (this.#hit === undefined || this.#hit > end) this.#hit = block.text.lastIndexOf(this.#needle, end)
    } else if (this.#hit === undefined || this.#hit < at) {
      this.#hit = block.text.indexOf(this.#needle, at)
    }
    return this.#hit >= at && this.#hit < end
  }

  #row({ branch, correlationId, hash, position, tag, time, version }: LineHead, body: string): Row {
    return {
      position,
      time,
      branch: this.#name(branch),
      correlationId: this.#name(correlationId),
      tag: this.#name(tag),
      version,
      hash,
      body,
    }
  }

  #name(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size < maxNames) this.#names.set(name, name)
    return name
  }

  #broken(position: Position): Error {
    return corrupt(this.#path, "its line is no entry", position)
  }
}
