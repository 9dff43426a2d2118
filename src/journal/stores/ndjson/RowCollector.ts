/** Decodes the lines of a journal file that match a scan into rows; skips most others by a substring search. */
import { encodeUtf8 } from "../../../base/bytes.ts"
import { type Filter, matches, type Position, type Row } from "../../Entry.ts"
import type { Scan } from "../../JournalStore.ts"
import type { Block } from "./BlockReader.ts"
import { bodyKey } from "./encodeLine.ts"
import { corruptError } from "./fsError.ts"
import { decodeName, parseLine } from "./parseLine.ts"

/** A text as a {@link Block} holds it: its UTF-8 bytes decoded as Latin-1. */
const toBlockText = (text: string): string => Array.from(encodeUtf8(text), (byte) => String.fromCharCode(byte)).join("")

/** Searches for one text in lines that are tested in order, all forward or all backward: no byte is searched twice. */
class SubstringPrefilter {
  readonly #text: string
  readonly #isBackward: boolean
  #block: Block | undefined
  /** The last occurrence found in the block; -1 when the rest of the block has none. */
  #foundAt: number | undefined

  constructor(text: string, isBackward: boolean) {
    this.#text = text
    this.#isBackward = isBackward
  }

  mayMatch(block: Block, at: number, end: number): boolean {
    if (block !== this.#block) {
      this.#block = block
      this.#foundAt = undefined
    }
    if (this.#foundAt === -1) return false
    if (this.#isBackward) {
      if (this.#foundAt === undefined || this.#foundAt >= end) {
        this.#foundAt = block.text.lastIndexOf(this.#text, end)
      }
    } else if (this.#foundAt === undefined || this.#foundAt < at) {
      this.#foundAt = block.text.indexOf(this.#text, at)
    }
    return this.#foundAt >= at && this.#foundAt < end
  }
}

/** Maximum number of texts to search for: with more of them, parsing each line is as fast. */
const maxPrefilters = 16

/**
 * Makes prefilters: at least one accepts each line that a filter matches. `undefined` when every line must be parsed. The store
 * encodes each name in exactly one way, so the encoded form can be searched for.
 */
const makePrefilters = (
  filter: Filter | undefined,
  isBackward: boolean,
): ReadonlyArray<SubstringPrefilter> | undefined => {
  const { branch, correlationId, tags } = filter ?? {}
  const key = correlationId !== undefined ? "correlationId" : tags !== undefined ? "tag" : "branch"
  const values = correlationId !== undefined ? [correlationId] : tags ?? (branch === undefined ? undefined : [branch])
  if (values === undefined || values.length > maxPrefilters) return undefined
  return values.map((value) => new SubstringPrefilter(toBlockText(`,"${key}":${JSON.stringify(value)},`), isBackward))
}

const maxNames = 256

const closingBrace = 125

export class RowCollector {
  readonly rows: Array<Row> = []
  readonly #path: string
  readonly #scan: Scan
  readonly #prefilters: ReadonlyArray<SubstringPrefilter> | undefined
  readonly #names = new Map<string, string>()
  #bytes = 0
  #isFull = false

  constructor(path: string, scan: Scan) {
    this.#path = path
    this.#scan = scan
    this.#prefilters = makePrefilters(scan.filter, scan.order === "backward")
  }

  get isDone(): boolean {
    return this.#isFull || this.rows.length >= this.#scan.maxRows
  }

  /** Whether the last row exceeded `maxBytes` and was not added. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** The number of lines that are still needed; `Infinity` when a filter may skip lines. */
  get missing(): number {
    return this.#scan.filter === undefined ? this.#scan.maxRows - this.rows.length : Infinity
  }

  /** Whether a line of a block may match: a fast test before {@link addLine}. */
  mayMatch(block: Block, at: number, end: number): boolean {
    const prefilters = this.#prefilters
    if (prefilters === undefined) return true
    for (const prefilter of prefilters) if (prefilter.mayMatch(block, at, end)) return true
    return false
  }

  /** Adds the row of a line of a block, if it matches. Throws `Corrupt` when the line is no entry. */
  addLine({ bytes, text }: Block, at: number, end: number, position: Position): void {
    const keyAt = text.indexOf(bodyKey, at)
    const bodyAt = keyAt + bodyKey.length
    const bodyEnd = end - 1
    if (keyAt < 0 || bodyAt >= bodyEnd || text.charCodeAt(bodyEnd) !== closingBrace) throw this.#noEntry(position)
    // A copy: substrings of the block's text would keep all of it in memory.
    const head = parseLine(bytes.toString("latin1", at, bodyAt), 0, this.#decodeName)
    if (head === undefined) throw this.#noEntry(position)
    const { filter, headersOnly } = this.#scan
    if (filter !== undefined && !matches(filter, head)) return
    const { branch, correlationId, hash, tag, time, version } = head
    const isPruned = bodyEnd - bodyAt === 4 && text.startsWith("null", bodyAt)
    const isEmpty = isPruned || headersOnly === true
    const body = isEmpty ? "" : bytes.toString("utf8", bodyAt, bodyEnd)
    const row = { position: head.position, time, branch, correlationId, tag, version, hash, body }
    this.#add(row, isEmpty ? 0 : bodyEnd - bodyAt)
  }

  addRow(row: Row): void {
    if (this.#scan.filter !== undefined && !matches(this.#scan.filter, row)) return
    if (this.#scan.headersOnly === true) this.#add({ ...row, body: "" }, 0)
    else this.#add(row, row.body.length)
  }

  #add(row: Row, bytes: number): void {
    this.#bytes += bytes
    if (this.rows.length > 0 && this.#bytes > (this.#scan.maxBytes ?? Infinity)) this.#isFull = true
    else this.rows.push(row)
  }

  readonly #decodeName = (raw: string): string | undefined => {
    const known = this.#names.get(raw)
    if (known !== undefined) return known
    const name = decodeName(raw)
    if (name !== undefined && this.#names.size < maxNames) this.#names.set(raw, name)
    return name
  }

  #noEntry(position: Position): Error {
    return corruptError(this.#path, "its line is not an entry", position)
  }
}
