/** Holds the SQLite connections of one store, and chooses the one that a read or a write uses. */
import { JournalError } from "../../JournalError.ts"
import {
  connectReading,
  connectReadOnly,
  connectWriting,
  fileVersion,
  inspectLayout,
  type ReadConnection,
  recoverRollbackJournal,
} from "./connect.ts"
import type { Connection } from "./Connection.ts"
import { isUnopenable } from "./errors.ts"
import { checkPath, ensureFile, isWritable, statFile, walPath } from "./file.ts"
import type { Builtins } from "./loadBuiltins.ts"
import type { SqliteSettings } from "./options.ts"
import { checkLayout } from "./schema.ts"
import { SqliteWriter } from "./SqliteWriter.ts"

/**
 * The connections of a store. The writing connection also reads while it has no transaction open: its page cache stays
 * valid as long as no other connection writes. A second connection reads during a transaction, so that a read sees only
 * committed entries. All methods throw SQLite's errors, or a {@link JournalError}.
 */
export class ConnectionSet {
  readonly path: string
  readonly builtins: Builtins
  readonly #identity: string | undefined
  readonly #writer: SqliteWriter | undefined
  #readerDuringTransaction: Connection | undefined
  #reading: ReadConnection | undefined
  #opened = 0
  #isLost = false
  #isClosed = false

  constructor(builtins: Builtins, { create, path, readOnly }: Pick<SqliteSettings, "path" | "create" | "readOnly">) {
    checkPath(path)
    this.builtins = builtins
    this.path = builtins.path.resolve(path)
    ensureFile(builtins, this.path, create && !readOnly)
    recoverRollbackJournal(builtins, this.path)
    const layout = inspectLayout(builtins, this.path)
    if (layout !== undefined) checkLayout(layout, this.path)
    this.#identity = statFile(builtins, this.path)?.identity
    this.#writer = readOnly || !isWritable(builtins, this.path) ? undefined : this.#openWriter()
    if (this.#writer === undefined) this.#openReading()
  }

  /** `undefined` if only now the runtime reports that the file may not be written. */
  #openWriter(): SqliteWriter | undefined {
    try {
      return new SqliteWriter(connectWriting(this.builtins, this.path), this.path)
    } catch (error) {
      if (isUnopenable(error, this.path)) return undefined
      throw error
    }
  }

  get isWritable(): boolean {
    return this.#writer !== undefined
  }

  get writer(): SqliteWriter {
    this.#checkUsable()
    if (this.#writer !== undefined) return this.#writer
    throw JournalError.because(
      { _tag: "ReadOnly" },
      `journal: nothing was written to ${this.path}: it was opened for reading, or may not be written`,
    )
  }

  /** Throws `Missing` if the path now has another file than the open one: writes to the open file would be lost. */
  checkFile(): void {
    if (statFile(this.builtins, this.path)?.identity !== this.#identity) this.#isLost = true
    this.#checkUsable()
  }

  read<A>(work: (connection: Connection) => A): A {
    this.#checkUsable()
    const writer = this.#writer
    if (writer === undefined) return this.#readUnlocked(work)
    if (!writer.connection.inTransaction) return work(writer.connection)
    this.#readerDuringTransaction ??= connectReadOnly(this.builtins, this.path)
    return work(this.#readerDuringTransaction)
  }

  /** Opens a further connection that writes; the caller closes it. */
  connectWriting(): Connection {
    this.#checkUsable()
    return connectWriting(this.builtins, this.path)
  }

  /** A text that changes when another connection of any process has written. */
  dataVersion(): string {
    this.checkFile()
    const connection = this.#writer?.connection ?? this.#current().connection
    return `${this.#opened} ${connection.number("PRAGMA data_version")}`
  }

  get walBytes(): number {
    return statFile(this.builtins, walPath(this.path))?.size ?? 0
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#reading?.connection.close()
    this.#readerDuringTransaction?.close()
    this.#writer?.close()
  }

  #checkUsable(): void {
    if (this.#isClosed) throw JournalError.because({ _tag: "Closed" }, `journal: ${this.path} is closed`)
    if (!this.#isLost) return
    throw JournalError.because(
      { _tag: "Missing", path: this.path },
      `journal: ${this.path} was removed or replaced while it was open`,
    )
  }

  #openReading(): ReadConnection {
    const reading = connectReading(this.builtins, this.path)
    this.#opened++
    return this.#reading = reading
  }

  /** The connection for reads, reopened if it was opened without locks and the file has changed since. */
  #current(): ReadConnection {
    const reading = this.#reading
    if (reading !== undefined && !this.#isStale(reading)) return reading
    this.checkFile()
    reading?.connection.close()
    this.#reading = undefined
    return this.#openReading()
  }

  #isStale({ version }: ReadConnection): boolean {
    return version !== undefined && version !== fileVersion(this.builtins, this.path)
  }

  /** Reads without locks; repeats the read if the file was written meanwhile. */
  #readUnlocked<A>(work: (connection: Connection) => A): A {
    for (;;) {
      const reading = this.#current()
      try {
        const result = work(reading.connection)
        if (!this.#isStale(reading)) return result
      } catch (error) {
        if (!this.#isStale(reading)) throw error
      }
    }
  }
}
