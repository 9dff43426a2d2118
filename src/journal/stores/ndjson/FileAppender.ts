/** Appends transactions to the end of a journal file, each completely or not at all. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../../../base/waits.ts"
import { defined } from "../../../base/defined.ts"
import { readErrorCode } from "../../../base/readErrorCode.ts"
import type { Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import { LineEncoder } from "./encodeLine.ts"
import { corruptError, fsError } from "./fsError.ts"
import type { Bytes, HostSystem } from "./HostSystem.ts"
import { isSameFile, type JournalFile } from "./JournalFile.ts"

const maxKeptBytes = 4 * 1024 * 1024

const identityCheckMillis = 250

/** The journal waits synchronously for a disk that confirms faster: an asynchronous wait itself costs 0.1 to 0.3 ms. */
const quickMillis = 2

/**
 * Asynchronous waits take longer while the event loop is busy. A disk that took less than this is therefore tried
 * synchronously once every `retryQuickEvery` confirmations.
 */
const maybeQuickMillis = 8
const retryQuickEvery = 32

/** A transaction that is written and not yet part of the journal. */
export interface PendingWrite {
  readonly rows: ReadonlyArray<Row>
  readonly to: number
}

export class FileAppender {
  readonly #system: HostSystem
  readonly #encoder = new LineEncoder()
  #buffer: Bytes | undefined
  #file: JournalFile
  /** Whether bytes after the end of the journal may remain in the file. */
  #isDirty = false
  #broken: JournalError | undefined
  #identityCheckedAt = -Infinity
  #syncMillis = Infinity
  #untilQuickRetry = 0
  #syncedEnd: number
  #syncing: Promise<void> | undefined

  constructor(system: HostSystem, file: JournalFile) {
    this.#system = system
    this.#file = file
    this.#syncedEnd = file.end
  }

  get file(): JournalFile {
    return this.#file
  }

  /** Continues with a file that has replaced this one and is already on the disk. */
  replace(file: JournalFile): void {
    const old = this.#file
    this.#file = file
    this.#syncedEnd = file.end
    this.#isDirty = false
    old.close()
  }

  recheckIdentity(): void {
    this.#identityCheckedAt = -Infinity
  }

  check(): void {
    if (this.#broken !== undefined) throw this.#broken
  }

  /** Writes a transaction after the end. Throws, and restores the file, when it does not fit. */
  write(rows: ReadonlyArray<Row>): PendingWrite {
    this.check()
    this.#checkIdentity()
    if (this.#isDirty) this.#truncate()
    const { bytes, length } = this.#encode(this.#encoder.transaction(rows))
    this.#isDirty = true
    try {
      let written = 0
      while (written < length) {
        written += this.#system.files.writeSync(this.#file.descriptor, bytes, written, length - written, null)
      }
    } catch (error) {
      this.#tryTruncate()
      throw fsError(error, { what: "was not written", path: this.#file.path })
    }
    return { rows, to: this.#file.end + length }
  }

  commit({ rows, to }: PendingWrite): void {
    const last = rows.at(-1)
    this.#isDirty = false
    if (last === undefined) return
    this.#file.advance({ offset: to, head: { position: last.position, hash: last.hash } })
  }

  get isUnsynced(): boolean {
    return this.#syncedEnd < this.#file.end
  }

  /**
   * Waits until the disk confirms the written rows, then commits them. Waits synchronously for a quick disk, and
   * without blocking the event loop for a slow one. After a failure the state of the disk is unknown, and a second
   * `fdatasync` would succeed, because the pages count as clean. The rows are therefore removed again, and every
   * further write is refused.
   *
   * Source: "PostgreSQL's fsync() surprise" (LWN, 2018); fsync(2), EIO.
   */
  sync(write: PendingWrite | undefined): Effect.Effect<void, JournalError> {
    const { files } = this.#system
    const { descriptor, end } = this.#file
    const startedAt = performance.now()
    const isSynchronous = this.#isQuick()
    const finish = (): void => {
      const millis = performance.now() - startedAt
      // One slow confirmation does not make a disk slow.
      this.#syncMillis = isSynchronous && this.#syncMillis < quickMillis
        ? 0.8 * this.#syncMillis + 0.2 * millis
        : millis
      this.#syncedEnd = write?.to ?? end
      if (write !== undefined) this.commit(write)
    }
    if (isSynchronous) {
      try {
        files.fdatasyncSync(descriptor)
      } catch (error) {
        return Effect.fail(this.#syncFailed(error))
      }
      finish()
      return Effect.void
    }
    return Effect.uninterruptible(callbackLater<void, JournalError>((resume) => {
      this.#syncing = new Promise((settle) => {
        const answer = (error: unknown): void => {
          this.#syncing = undefined
          const failed = error !== null && error !== undefined
          if (!failed) finish()
          resume(failed ? Effect.fail(this.#syncFailed(error)) : Effect.void)
          settle()
        }
        try {
          files.fdatasync(descriptor, answer)
        } catch (error) {
          answer(error)
        }
      })
    }))
  }

  #isQuick(): boolean {
    if (this.#syncMillis < quickMillis) return true
    if (this.#syncMillis > maybeQuickMillis || this.#untilQuickRetry-- > 0) return false
    this.#untilQuickRetry = retryQuickEvery
    return true
  }

  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const syncing = this.#syncing
    const close = Effect.sync(() => this.#file.close())
    return syncing === undefined ? close : Effect.andThen(Effect.promise(() => syncing), close)
  })

  #encode(text: string): { readonly bytes: Bytes; readonly length: number } {
    const maxBytes = text.length * 3
    if (maxBytes > maxKeptBytes) {
      const bytes = this.#system.encode(text, "utf8")
      return { bytes, length: bytes.length }
    }
    if (this.#buffer === undefined || this.#buffer.length < maxBytes) {
      this.#buffer = this.#system.bytes(Math.min(maxKeptBytes, Math.max(64 * 1024, 2 * maxBytes)))
    }
    return { bytes: this.#buffer, length: this.#buffer.write(text, 0, "utf8") }
  }

  /** Entries must not be lost silently when the file is moved or removed, or another program writes it. */
  #checkIdentity(): void {
    const now = performance.now()
    if (now - this.#identityCheckedAt < identityCheckMillis) return
    const { end, identity, path } = this.#file
    const found = this.#system.files.statSync(path, { throwIfNoEntry: false })
    if (found === undefined || !isSameFile(found, identity)) {
      throw JournalError.because(
        { _tag: "Missing", path },
        `journal: ${path} was not written: it was moved or removed while it was open`,
      )
    }
    if (!this.#isDirty && found.size !== end) {
      throw corruptError(path, `it has ${found.size} bytes, but ${end} were written: another program writes it too`)
    }
    this.#identityCheckedAt = now
  }

  #truncate(): void {
    const { descriptor, end, path } = this.#file
    try {
      this.#system.files.ftruncateSync(descriptor, end)
      this.#isDirty = false
    } catch (error) {
      throw fsError(error, { what: "was not written: a failed write before it could not be cut", path })
    }
  }

  /**
   * Cuts the file back to the last complete transaction; if that fails, the next write tries again. Returns whether it
   * succeeded.
   */
  #tryTruncate(): boolean {
    try {
      this.#truncate()
    } catch {
      return false
    }
    return true
  }

  #syncFailed(error: unknown): JournalError {
    const { path } = this.#file
    const code = readErrorCode(error)
    const suffix = code === undefined ? "" : ` (${code})`
    const isCut = this.#tryTruncate()
    this.#broken = JournalError.because(
      { _tag: "Failed", ...defined({ code }) },
      `journal: ${path} was not written: the disk did not confirm an earlier write${suffix}; open it again`,
      error,
    )
    if (isCut) return fsError(error, { what: "was not written: the disk did not confirm it", path })
    return JournalError.because(
      { _tag: "Unavailable", ...defined({ code }) },
      `journal: ${path} was written, and the disk did not confirm it${suffix}: whether it is kept is unknown`,
      error,
    )
  }
}
