/**
 * Entries from the pages of a database file, without its trees: for those that no tree leads to any more.
 *
 * Source: https://www.sqlite.org/fileformat2.html, sections 1.3 (header), 1.6 (pages of trees) and 2.1 (records)
 *
 * @module
 */
import type { Position, Row } from "../../Entry.ts"
import type { Builtins } from "./driver.ts"

/** What the files of this store have, where the header cannot say it. */
const usualPageSize = 4_096
const leafOfTable = 0x0d

/** A number of 1 to 9 bytes, and where it ends. */
const varint = (bytes: Uint8Array, at: number): readonly [value: number, end: number] => {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index] ?? 0
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return [value * 256 + (bytes[at + 8] ?? 0), at + 9]
}

const bytesOfInteger: ReadonlyArray<number> = [0, 1, 2, 3, 4, 6, 8]

const decoder = new TextDecoder()

/** A column of a record: a number, a text, `null`, or `undefined` for what no entry has. */
const column = (bytes: Uint8Array, at: number, type: number): string | number | null | undefined => {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type >= 13 && type % 2 === 1) return decoder.decode(bytes.subarray(at, at + (type - 13) / 2))
  const length = bytesOfInteger[type]
  if (length === undefined) return undefined
  let value = 0n
  for (let index = 0; index < length; index++) value = value * 256n + BigInt(bytes[at + index] ?? 0)
  return Number(BigInt.asIntN(length * 8, value))
}

const lengthOf = (type: number): number => type >= 12 ? Math.floor((type - 12) / 2) : bytesOfInteger[type] ?? 0

/** The row of a record of the table of entries; `undefined` when it is none. */
const rowOf = (position: Position, record: Uint8Array): Row | undefined => {
  const [headerEnd, start] = varint(record, 0)
  const types: Array<number> = []
  for (let at = start; at < headerEnd && types.length <= 9;) {
    const [type, end] = varint(record, at)
    types.push(type)
    at = end
  }
  let at = headerEnd
  const values = types.map((type) => {
    const value = column(record, at, type)
    at += lengthOf(type)
    return value
  })
  if (types.length !== 9 || at !== record.length) return undefined
  const [key, marks, time, branch, correlationId, tag, version, hash, body] = values
  if (key !== null || typeof marks !== "number" || typeof time !== "number" || typeof version !== "number") return
  // A larger one could be written, and not be read again.
  if (!Number.isSafeInteger(time) || !Number.isSafeInteger(version)) return undefined
  if (typeof branch !== "string" || typeof correlationId !== "string" || typeof tag !== "string") return
  if (typeof hash !== "string" || hash.length !== 64 || typeof body !== "string") return undefined
  return { position, time, branch, correlationId, tag, version, hash, body }
}

/** A file of pages. */
export class RawPages {
  readonly #fs: Builtins["fs"]
  readonly #descriptor: number
  readonly #pageSize: number
  readonly #count: number
  /** Where each entry stands: its page, and the offset there. */
  #found: ReadonlyMap<Position, readonly [page: number, offset: number]> | undefined

  constructor({ fs }: Builtins, path: string) {
    this.#fs = fs
    this.#descriptor = fs.openSync(path, "r")
    const header = this.#read(0, 18)
    const size = ((header[16] ?? 0) << 8) + (header[17] ?? 0)
    const isSize = size >= 512 && size <= 32_768 && (size & (size - 1)) === 0
    this.#pageSize = isSize ? size : size === 1 ? 65_536 : usualPageSize
    this.#count = Math.floor(fs.fstatSync(this.#descriptor).size / this.#pageSize)
  }

  close(): void {
    this.#fs.closeSync(this.#descriptor)
  }

  /** The entries from one position to before another, in order. */
  *between(from: Position, to: Position): Generator<Row> {
    const found = this.#found ??= new Map(this.#leaves())
    const positions = [...found.keys()].filter((position) => position >= from && position < to).sort((a, b) => a - b)
    for (const position of positions) {
      const [page = 0, offset = 0] = found.get(position) ?? []
      const record = this.#record(this.#page(page), offset)
      const row = record === undefined ? undefined : rowOf(position, record)
      if (row !== undefined) yield row
    }
  }

  /** What looks like an entry, on all pages that are leaves of a table. */
  *#leaves(): Generator<readonly [Position, readonly [page: number, offset: number]]> {
    for (let page = 1; page <= this.#count; page++) {
      const bytes = this.#page(page)
      const header = page === 1 ? 100 : 0
      if (bytes[header] !== leafOfTable) continue
      const cells = ((bytes[header + 3] ?? 0) << 8) + (bytes[header + 4] ?? 0)
      for (let cell = 0; cell < cells && header + 8 + 2 * cell + 1 < this.#pageSize; cell++) {
        const at = header + 8 + 2 * cell
        const offset = ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0)
        const [length, keyAt] = varint(bytes, offset)
        const [position, end] = varint(bytes, keyAt)
        if (!Number.isSafeInteger(position) || position < 1 || length < 80) continue
        // Nine columns of which the first stands beside the record.
        const [headerLength, typesAt] = varint(bytes, end)
        if (headerLength >= 10 && headerLength <= 40 && bytes[typesAt] === 0) yield [position, [page, offset]]
      }
    }
  }

  /** The record of a cell, with what lies on other pages. */
  #record(bytes: Uint8Array, offset: number): Uint8Array | undefined {
    const [length, keyAt] = varint(bytes, offset)
    const [, start] = varint(bytes, keyAt)
    const usable = this.#pageSize
    if (length > usable * this.#count) return undefined
    if (length <= usable - 35) return bytes.slice(start, start + length)
    const least = Math.floor((usable - 12) * 32 / 255) - 23
    const wanted = least + (length - least) % (usable - 4)
    const local = wanted <= usable - 35 ? wanted : least
    const record = new Uint8Array(length)
    record.set(bytes.subarray(start, start + local))
    let next = new DataView(bytes.buffer, bytes.byteOffset).getUint32(start + local)
    for (let at = local; at < length; at += usable - 4) {
      if (next < 1 || next > this.#count) return undefined
      const more = this.#page(next)
      record.set(more.subarray(4, 4 + Math.min(usable - 4, length - at)), at)
      next = new DataView(more.buffer, more.byteOffset).getUint32(0)
    }
    return record
  }

  #page(page: number): Uint8Array {
    return this.#read((page - 1) * this.#pageSize, this.#pageSize)
  }

  #read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    for (let done = 0; done < length;) {
      const got = this.#fs.readSync(this.#descriptor, bytes, done, length - done, offset + done)
      if (got === 0) break
      done += got
    }
    return bytes
  }
}
