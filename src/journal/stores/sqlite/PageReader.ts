/**
 * Reads entries from the pages of a SQLite file directly, for a salvage of entries that the tree of their table no
 * longer leads to.
 *
 * Not left to SQLite: it reads a table only through its tree, and its recovery extension is not part of `node:sqlite`.
 *
 * Source: https://www.sqlite.org/fileformat2.html, sections 1.3 (header), 1.6 (B-tree pages) and 2.1 (records)
 *
 * @module
 */
import type { Position, Row } from "../../Entry.ts"
import type { Builtins } from "./loadBuiltins.ts"

/** The page size of the store's files, if the header is damaged. */
const defaultPageSize = 4_096

/** The type of a page that is a leaf of a table. */
const tableLeaf = 0x0d

/** Columns of the table of entries. */
const columnCount = 9

/** Decodes an integer of 1 to 9 bytes; returns where it ends, too. */
const readVarint = (bytes: Uint8Array, at: number): readonly [value: number, end: number] => {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index] ?? 0
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return [value * 256 + (bytes[at + 8] ?? 0), at + 9]
}

/** Lengths of the integer types 0 (`NULL`) to 6. */
const integerLengths: ReadonlyArray<number> = [0, 1, 2, 3, 4, 6, 8]

const decoder = new TextDecoder()

/** Decodes a column of a record; `undefined` for a type that no entry has. */
const readColumn = (bytes: Uint8Array, at: number, type: number): string | number | null | undefined => {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type >= 13 && type % 2 === 1) return decoder.decode(bytes.subarray(at, at + (type - 13) / 2))
  const length = integerLengths[type]
  if (length === undefined) return undefined
  let value = 0n
  for (let index = 0; index < length; index++) value = value * 256n + BigInt(bytes[at + index] ?? 0)
  return Number(BigInt.asIntN(length * 8, value))
}

const columnLength = (type: number): number => type >= 12 ? Math.floor((type - 12) / 2) : integerLengths[type] ?? 0

/** Decodes a record as a row of the table of entries; `undefined` if it is none. */
const decodeRow = (position: Position, record: Uint8Array): Row | undefined => {
  const [headerEnd, start] = readVarint(record, 0)
  const types: Array<number> = []
  for (let at = start; at < headerEnd && types.length <= columnCount;) {
    const [type, end] = readVarint(record, at)
    types.push(type)
    at = end
  }
  let at = headerEnd
  const values = types.map((type) => {
    const value = readColumn(record, at, type)
    at += columnLength(type)
    return value
  })
  if (types.length !== columnCount || at !== record.length) return undefined
  const [key, marks, time, branch, correlationId, tag, version, hash, body] = values
  if (key !== null || typeof marks !== "number" || typeof time !== "number" || typeof version !== "number") return
  // SQLite holds larger integers, which could not be read again.
  if (!Number.isSafeInteger(time) || !Number.isSafeInteger(version)) return undefined
  if (typeof branch !== "string" || typeof correlationId !== "string" || typeof tag !== "string") return
  if (typeof hash !== "string" || hash.length !== 64 || typeof body !== "string") return undefined
  return { position, time, branch, correlationId, tag, version, hash, body }
}

/** An open database file. It throws the file system's errors. */
export class PageReader {
  readonly #fs: Builtins["fs"]
  readonly #descriptor: number
  readonly #pageSize: number
  readonly #count: number
  /** The page of each entry, and the offset of its cell there. */
  #cells: ReadonlyMap<Position, readonly [page: number, offset: number]> | undefined

  constructor({ fs }: Builtins, path: string) {
    this.#fs = fs
    this.#descriptor = fs.openSync(path, "r")
    const header = this.#read(0, 18)
    const size = ((header[16] ?? 0) << 8) + (header[17] ?? 0)
    const isSize = size >= 512 && size <= 32_768 && (size & (size - 1)) === 0
    this.#pageSize = isSize ? size : size === 1 ? 65_536 : defaultPageSize
    this.#count = Math.floor(fs.fstatSync(this.#descriptor).size / this.#pageSize)
  }

  close(): void {
    this.#fs.closeSync(this.#descriptor)
  }

  /** Reads the entries from one position to before another, in order. */
  *rowsBetween(from: Position, to: Position): Generator<Row> {
    const found = this.#cells ??= new Map(this.#findCells())
    const positions = [...found.keys()].filter((position) => position >= from && position < to).sort((a, b) => a - b)
    for (const position of positions) {
      const [page = 0, offset = 0] = found.get(position) ?? []
      const record = this.#readRecord(this.#readPage(page), offset)
      const row = record === undefined ? undefined : decodeRow(position, record)
      if (row !== undefined) yield row
    }
  }

  /** Finds what looks like an entry on all leaves of tables. */
  *#findCells(): Generator<readonly [Position, readonly [page: number, offset: number]]> {
    for (let page = 1; page <= this.#count; page++) {
      const bytes = this.#readPage(page)
      const header = page === 1 ? 100 : 0
      if (bytes[header] !== tableLeaf) continue
      const cells = ((bytes[header + 3] ?? 0) << 8) + (bytes[header + 4] ?? 0)
      for (let cell = 0; cell < cells && header + 8 + 2 * cell + 1 < this.#pageSize; cell++) {
        const at = header + 8 + 2 * cell
        const offset = ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0)
        const [length, keyAt] = readVarint(bytes, offset)
        const [position, end] = readVarint(bytes, keyAt)
        if (!Number.isSafeInteger(position) || position < 1 || length < 80) continue
        // Nine columns; the first is NULL in the record, because it is the key of the cell.
        const [headerLength, typesAt] = readVarint(bytes, end)
        if (headerLength >= 10 && headerLength <= 40 && bytes[typesAt] === 0) yield [position, [page, offset]]
      }
    }
  }

  /** Reads the record of a cell, including its overflow pages; `undefined` if their chain is broken. */
  #readRecord(bytes: Uint8Array, offset: number): Uint8Array | undefined {
    const [length, keyAt] = readVarint(bytes, offset)
    const [, start] = readVarint(bytes, keyAt)
    const pageSize = this.#pageSize
    if (length > pageSize * this.#count) return undefined
    if (length <= pageSize - 35) return bytes.slice(start, start + length)
    const minLocal = Math.floor((pageSize - 12) * 32 / 255) - 23
    const maxLocal = minLocal + (length - minLocal) % (pageSize - 4)
    const local = maxLocal <= pageSize - 35 ? maxLocal : minLocal
    const record = new Uint8Array(length)
    record.set(bytes.subarray(start, start + local))
    let next = new DataView(bytes.buffer, bytes.byteOffset).getUint32(start + local)
    for (let at = local; at < length; at += pageSize - 4) {
      if (next < 1 || next > this.#count) return undefined
      const more = this.#readPage(next)
      record.set(more.subarray(4, 4 + Math.min(pageSize - 4, length - at)), at)
      next = new DataView(more.buffer, more.byteOffset).getUint32(0)
    }
    return record
  }

  #readPage(page: number): Uint8Array {
    return this.#read((page - 1) * this.#pageSize, this.#pageSize)
  }

  #read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    for (let done = 0; done < length;) {
      const count = this.#fs.readSync(this.#descriptor, bytes, done, length - done, offset + done)
      if (count === 0) break
      done += count
    }
    return bytes
  }
}
