/**
 * Appends long bodies to the text files of a SQLite journal within its write transactions, which no other process
 * overlaps: so all processes append to the same file, in turn.
 *
 * A body is written before the row that names it is committed. What a rolled-back or killed transaction leaves at the end
 * of a file is named by no row.
 *
 * @module
 */
import { encodeUtf8, encodeUtf8Into } from "../../../base/bytes.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import type { LongBody } from "../../LongBody.ts"
import { formatTextHead } from "./textFrame.ts"
import { formatTextRef, isTextRef, parseTextRef, refsOf } from "./textRef.ts"

/** A file of this size gets no further body: when all of its entries are pruned, it is removed. */
const maxFileBytes = 64 * 1024 * 1024

/** A longer body is encoded into bytes of its own. */
const maxScratchBytes = 1024 * 1024

/** An open file. */
interface Current {
  readonly file: number
  readonly descriptor: number
}

/** Appends bodies. Its methods throw SQLite's errors, or those of the file system. */
export class TextAppender {
  readonly #connection: Connection
  #current: Current | undefined
  /** The length of the current file; `undefined` before the first body of a transaction. */
  #end: number | undefined
  /** The length of the current file before this transaction. */
  #start = 0
  /** The length of a file up to which this process has synced it. */
  #synced: { readonly file: number; readonly size: number } | undefined
  /** The files that this transaction has created. */
  #created: Array<number> = []
  #scratch = new Uint8Array(0)

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Appends a body; returns its place as the column `body` holds it. */
  append(body: string): string {
    return this.#append(this.#encode(body))
  }

  /** Appends a body whose long texts are bytes; returns its place. */
  appendLong(body: LongBody): string {
    return this.#append(this.#frame(body))
  }

  #append(bytes: Uint8Array): string {
    const { descriptor, file } = this.#open()
    const at = this.#end ?? 0
    this.#connection.texts.append(descriptor, bytes)
    this.#end = at + bytes.length
    return formatTextRef({ file, at, bytes: bytes.length })
  }

  /** Waits until the disk has the bodies of all processes so far. */
  sync(): void {
    const { texts } = this.#connection
    const [last, synced] = this.#state()
    for (let file = Math.max(synced, 1); file <= last; file++) {
      const size = texts.sizeOf(file)
      if (size === undefined || (this.#synced?.file === file && this.#synced.size === size)) continue
      texts.sync(file)
      this.#synced = { file, size }
    }
    if (last === synced) return
    texts.syncNames()
    // The last one still grows.
    this.#connection.run("UPDATE texts SET synced = ?", last)
  }

  /** Call it when the transaction has ended. */
  end(): void {
    this.#end = undefined
    this.#created = []
  }

  /** Cuts off what this transaction has appended, and removes what it has created. Call it before others can append. */
  rollback(): void {
    const { texts } = this.#connection
    // The next transaction may grow the file to the same size with bytes that the disk does not have.
    this.#synced = undefined
    try {
      if (this.#end !== undefined && this.#current !== undefined) texts.truncate(this.#current.descriptor, this.#start)
      if (this.#created.length > 0) this.close()
      for (const file of this.#created) texts.remove(file)
    } catch {
      // It stays, and no row names it.
    }
    this.end()
  }

  close(): void {
    if (this.#current !== undefined) this.#connection.texts.close(this.#current.descriptor)
    this.#current = undefined
    this.#end = undefined
  }

  /** The last file that was ever created, and the one before which all are on the disk. */
  #state(): readonly [last: number, synced: number] {
    const cells = this.#connection.row("SELECT last, synced FROM texts") ?? []
    return [numberAt(cells, 0), numberAt(cells, 1)]
  }

  /** The file to append to. */
  #open(): Current {
    if (this.#end === undefined) this.#take()
    if (this.#current === undefined || this.#end === undefined || this.#end >= maxFileBytes) return this.#create()
    return this.#current
  }

  /** Opens the last file at the beginning of a transaction, unless it was removed. */
  #take(): void {
    const { texts } = this.#connection
    const [file] = this.#state()
    if (this.#current?.file !== file) this.close()
    const size = file === 0 ? undefined : texts.sizeOf(file)
    if (size === undefined) return this.close()
    if (this.#current === undefined) {
      // After a power failure a file may be shorter than its rows say: a new body must not get the place of another.
      const descriptor = size < this.#endOf(file) ? undefined : texts.open(file, "append")
      if (descriptor === undefined) return
      this.#current = { file, descriptor }
    }
    this.#end = size
    this.#start = size
  }

  /** The length of a file according to the rows. */
  #endOf(file: number): number {
    const found = this.#connection.row(
      `SELECT body FROM entries WHERE ${isTextRef} AND body >= ? AND body < ? ORDER BY body DESC LIMIT 1`,
      ...refsOf(file),
    )
    const ref = found === undefined ? undefined : parseTextRef(textAt(found, 0))
    return ref === undefined ? 0 : ref.at + ref.bytes
  }

  #create(): Current {
    const { texts } = this.#connection
    const [last] = this.#state()
    this.close()
    let file = last + 1
    let descriptor = texts.create(file)
    // The name may be left over from a transaction that was rolled back, or from another journal at this path.
    while (descriptor === undefined) descriptor = texts.create(++file)
    this.#current = { file, descriptor }
    this.#created.push(file)
    this.#start = 0
    this.#end = 0
    // A number is never used again: an erasure that was interrupted may still name it.
    this.#connection.run("UPDATE texts SET last = ?", file)
    return this.#current
  }

  #encode(body: string): Uint8Array {
    const maxBytes = body.length * 3
    if (maxBytes > maxScratchBytes) return encodeUtf8(body)
    const scratch = this.#room(maxBytes)
    return scratch.subarray(0, encodeUtf8Into(body, scratch).written)
  }

  /** One write costs less than one for each text. */
  #frame(body: LongBody): Uint8Array {
    const head = formatTextHead(body)
    const { texts } = body
    const maxBytes = texts.reduce((sum, text) => sum + text.length, head.length * 3)
    const scratch = maxBytes > maxScratchBytes ? new Uint8Array(maxBytes) : this.#room(maxBytes)
    let at = encodeUtf8Into(head, scratch).written
    for (const text of texts) {
      scratch.set(text, at)
      at += text.length
    }
    return scratch.subarray(0, at)
  }

  #room(bytes: number): Uint8Array {
    if (this.#scratch.length < bytes) this.#scratch = new Uint8Array(bytes)
    return this.#scratch
  }
}
