/**
 * How one store gets at its file.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import { Cleaner, needsCleaning } from "./Cleaner.ts"
import { JournalError } from "../../JournalError.ts"
import { connectBeside, connectReading, connectWriting, inspect, stampOf, takeBack } from "./connect.ts"
import type { Builtins } from "./driver.ts"
import { bytesOf, ensureFile, factsOf, isWritable, logOf } from "./file.ts"
import { checkIntegrity, type Findings } from "./integrity.ts"
import { checkLayout } from "./layout.ts"
import { Reader } from "./Reader.ts"
import { isUnopenable } from "./sqliteError.ts"
import { Writer } from "./Writer.ts"

/** How a file is opened. */
export interface AccessOptions {
  readonly create: boolean
  readonly readOnly: boolean
}

/**
 * The connections of a store. One writes, and reads too while no transaction is open: what it has in memory stays true
 * as long as nobody else writes. Another reads while a transaction waits for something, so that nobody sees what is not
 * kept. Everything here throws what SQLite says, or a {@link JournalError}.
 */
export class Access {
  readonly path: string
  readonly #builtins: Builtins
  readonly #identity: string | undefined
  readonly #writer: Writer | undefined
  #beside: Reader | undefined
  #reading: { readonly reader: Reader; readonly stamp: string | undefined } | undefined
  #opened = 0
  #isLost = false
  #closed = false

  constructor(builtins: Builtins, path: string, { create, readOnly }: AccessOptions) {
    this.#builtins = builtins
    this.path = path
    ensureFile(builtins, path, create && !readOnly)
    takeBack(builtins, path)
    const layout = inspect(builtins, path)
    if (layout !== undefined) checkLayout(layout, path)
    this.#identity = factsOf(builtins, path)?.identity
    this.#writer = readOnly || !isWritable(builtins, path) ? undefined : this.#openWriting()
    if (this.#writer === undefined) this.#openReading()
  }

  /** Not every runtime says beforehand that nothing can be written; then it turns out here. */
  #openWriting(): Writer | undefined {
    try {
      return new Writer(connectWriting(this.#builtins, this.path), this.path)
    } catch (error) {
      if (isUnopenable(error)) return undefined
      throw error
    }
  }

  /** Writes; throws when it may not. */
  get writer(): Writer {
    this.#check()
    if (this.#writer !== undefined) return this.#writer
    throw JournalError.because(
      { _tag: "ReadOnly" },
      `journal: nothing was written to ${this.path}: it was opened for reading, or may not be written`,
    )
  }

  /** Looks whether the path still has the file that was opened: what is written into one that is gone is lost. */
  checkFile(): void {
    if (factsOf(this.#builtins, this.path)?.identity !== this.#identity) this.#isLost = true
    this.#check()
  }

  /** Reads from what is kept. */
  read<A>(work: (reader: Reader) => A): A {
    this.#check()
    const writer = this.#writer
    if (writer === undefined) return this.#readUnlocked(work)
    if (!writer.inTransaction) return work(writer.reader)
    this.#beside ??= new Reader(connectBeside(this.#builtins, this.path))
    return work(this.#beside)
  }

  /** Whether there is something to clean, and it may be. */
  get needsCleaning(): boolean {
    return this.#writer !== undefined && this.read((reader) => needsCleaning(reader.connection))
  }

  /** Cleans the file of what was removed, on a connection of its own. */
  cleaner(): Cleaner {
    this.#check()
    return new Cleaner(connectWriting(this.#builtins, this.path))
  }

  /** Changes when another connection, of whatever process, has written. */
  version(): string {
    this.checkFile()
    const reader = this.#writer?.reader ?? this.#fresh().reader
    return `${this.#opened} ${reader.connection.number("PRAGMA data_version")}`
  }

  /** What SQLite's own checks find, in a thread of its own. */
  get integrity(): Effect.Effect<Findings, unknown> {
    return checkIntegrity(this.#builtins, this.path)
  }

  /** Bytes of the write-ahead log. */
  get logBytes(): number {
    return bytesOf(this.#builtins, logOf(this.path))
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#reading?.reader.connection.close()
    this.#beside?.connection.close()
    this.#writer?.reader.connection.close()
  }

  #check(): void {
    if (this.#closed) throw JournalError.because({ _tag: "Closed" }, `journal: ${this.path} is closed`)
    if (!this.#isLost) return
    throw JournalError.because(
      { _tag: "Missing", path: this.path },
      `journal: ${this.path} was removed or replaced while it was open`,
    )
  }

  #openReading(): { readonly reader: Reader; readonly stamp: string | undefined } {
    const { connection, stamp } = connectReading(this.#builtins, this.path)
    this.#opened++
    return this.#reading = { reader: new Reader(connection), stamp }
  }

  /** The connection that reads a file nobody writes to; another one when that is no longer so. */
  #fresh(): { readonly reader: Reader; readonly stamp: string | undefined } {
    const reading = this.#reading
    if (reading !== undefined && !this.#isStale(reading.stamp)) return reading
    this.checkFile()
    reading?.reader.connection.close()
    this.#reading = undefined
    return this.#openReading()
  }

  #isStale(stamp: string | undefined): boolean {
    return stamp !== undefined && stamp !== stampOf(this.#builtins, this.path)
  }

  /** No lock tells that nobody wrote meanwhile: it is looked at again afterwards. */
  #readUnlocked<A>(work: (reader: Reader) => A): A {
    for (;;) {
      const { reader, stamp } = this.#fresh()
      try {
        const result = work(reader)
        if (!this.#isStale(stamp)) return result
      } catch (error) {
        if (!this.#isStale(stamp)) throw error
      }
    }
  }
}
