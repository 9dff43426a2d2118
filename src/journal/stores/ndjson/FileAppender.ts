/**
 * Adds transactions to the end of a file: whole, or not at all.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import { codeOf, corrupt, fsError } from "./fsError.ts"
import { LineEncoder } from "./encodeLine.ts"
import type { JournalFile } from "./JournalFile.ts"
import type { Bytes, HostSystem } from "./HostSystem.ts"

/** Most bytes of the buffer that is kept between writes. */
const keptBytes = 4 * 1024 * 1024

/** How often it is asked whether the file is still the one under its path, at most. */
const guardMillis = 250

/** A disk that confirms faster than this is waited for here and now: to wait elsewhere costs 0.1 to 0.3 ms itself. */
const quickMillis = 2

/** Waiting elsewhere takes longer when the event loop is busy: one that may be quick is tried again, each so many times. */
const maybeQuickMillis = 8
const tries = 32

/** Rows that belong together: all of them are there, or none. */
export type Rows = ReadonlyArray<Row>

/** What was written and is not yet part of the journal. */
export interface PendingWrite {
  readonly transactions: ReadonlyArray<Rows>
  /** Where it begins, and where it ends. */
  readonly from: number
  readonly to: number
}

/** The end of the file, for the one who writes it. */
export class FileAppender {
  readonly #system: HostSystem
  readonly #writer = new LineEncoder()
  #buffer: Bytes | undefined
  #segment: JournalFile
  /** Bytes that are no part of the journal may stand behind the end. */
  #dirty = false
  /** Why nothing is written any more. */
  #broken: JournalError | undefined
  #guarded = -Infinity
  /** What a confirmation by the disk took lately, in milliseconds. */
  #syncMillis = Infinity
  #untilTried = 0
  #synced: number
  #syncing: Promise<void> | undefined

  constructor(system: HostSystem, segment: JournalFile) {
    this.#system = system
    this.#segment = segment
    this.#synced = segment.end
  }

  get segment(): JournalFile {
    return this.#segment
  }

  /** Another file has taken the place of this one, and is on the disk. */
  replace(segment: JournalFile): void {
    const old = this.#segment
    this.#segment = segment
    this.#synced = segment.end
    this.#dirty = false
    old.close()
  }

  /** Before the next write it is asked whether the file is still the one under its path. */
  suspect(): void {
    this.#guarded = -Infinity
  }

  /** Throws when nothing can be written to it. */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken
  }

  /** Writes transactions behind the end; throws, and leaves the file as it was, when they do not fit. */
  write(transactions: ReadonlyArray<Rows>): PendingWrite {
    this.check()
    this.#guard()
    const from = this.#segment.end
    if (this.#dirty) this.#cut()
    // One text of all: joined at once it is flat, and encoded in one go.
    const { bytes, length } = this.#encode(transactions.flatMap((rows) => this.#writer.lines(rows)).join(""))
    this.#dirty = true
    try {
      let done = 0
      while (done < length) {
        done += this.#system.files.writeSync(this.#segment.descriptor, bytes, done, length - done, null)
      }
    } catch (error) {
      this.#takeBack()
      throw fsError(error, { what: "was not written", path: this.#segment.path })
    }
    return { transactions, from, to: from + length }
  }

  /** Makes what was written part of the journal. */
  keep({ from, to, transactions }: PendingWrite): void {
    const segment = this.#segment
    const last = transactions.at(-1)?.at(-1)
    const first = transactions[0]?.[0]
    this.#dirty = false
    if (last === undefined || first === undefined) return
    segment.advance({ offset: to, head: { position: last.position, hash: last.hash } })
    segment.offsets.add(first.position, from)
  }

  /** Whether the disk has not confirmed everything. */
  get behind(): boolean {
    return this.#synced < this.#segment.end
  }

  /**
   * Has the disk confirm what was written, and makes it part of the journal. A disk that is quick is waited for; else
   * the event loop goes on meanwhile. If it fails, nobody knows what is on the disk, and a second try would say that
   * all is well (the pages count as clean then): the rows are taken back, and nothing is written any more.
   *
   * Source: "PostgreSQL's fsync() surprise" (LWN, 2018); fsync(2), EIO.
   */
  confirm(written: PendingWrite | undefined): Effect.Effect<void, JournalError> {
    const { files } = this.#system
    const { descriptor, end } = this.#segment
    const started = performance.now()
    const here = this.#isQuick()
    const done = (): void => {
      const millis = performance.now() - started
      // One slow moment does not make a disk slow.
      this.#syncMillis = here && this.#syncMillis < quickMillis ? 0.8 * this.#syncMillis + 0.2 * millis : millis
      this.#synced = written?.to ?? end
      if (written !== undefined) this.keep(written)
    }
    if (here) {
      try {
        files.fdatasyncSync(descriptor)
      } catch (error) {
        return Effect.fail(this.#unconfirmed(error))
      }
      done()
      return Effect.void
    }
    return Effect.uninterruptible(Effect.callback<void, JournalError>((resume) => {
      this.#syncing = new Promise((settle) => {
        const answer = (error: unknown): void => {
          this.#syncing = undefined
          const failed = error !== null && error !== undefined
          if (!failed) done()
          resume(failed ? Effect.fail(this.#unconfirmed(error)) : Effect.void)
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
    if (this.#syncMillis > maybeQuickMillis || this.#untilTried-- > 0) return false
    this.#untilTried = tries
    return true
  }

  /** Closes it, when the disk is no longer busy with it. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const syncing = this.#syncing
    const retire = Effect.sync(() => this.#segment.close())
    return syncing === undefined ? retire : Effect.andThen(Effect.promise(() => syncing), retire)
  })

  #encode(text: string): { readonly bytes: Bytes; readonly length: number } {
    const most = text.length * 3
    if (most > keptBytes) {
      const bytes = this.#system.encode(text, "utf8")
      return { bytes, length: bytes.length }
    }
    if (this.#buffer === undefined || this.#buffer.length < most) {
      this.#buffer = this.#system.bytes(Math.min(keptBytes, Math.max(64 * 1024, 2 * most)))
    }
    return { bytes: this.#buffer, length: this.#buffer.write(text, 0, "utf8") }
  }

  /** Whoever moves or removes the file, or writes it without the lock, must not have entries go astray unnoticed. */
  #guard(): void {
    const now = performance.now()
    if (now - this.#guarded < guardMillis) return
    const { end, identity, path } = this.#segment
    const found = this.#system.files.statSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.ino !== identity.ino || found.dev !== identity.dev) {
      throw JournalError.because(
        { _tag: "Missing", path },
        `journal: ${path} was not written: it was moved or removed while it was open`,
      )
    }
    if (!this.#dirty && found.size !== end) {
      throw corrupt(path, `it has ${found.size} bytes, and ${end} were written: somebody else writes it too`)
    }
    this.#guarded = now
  }

  #cut(): void {
    try {
      this.#system.files.ftruncateSync(this.#segment.descriptor, this.#segment.end)
      this.#dirty = false
    } catch (error) {
      throw fsError(error, { what: "was not written: what failed before could not be cut", path: this.#segment.path })
    }
  }

  /** Back to the last whole transaction; what could not be cut is cut before the next write. */
  #takeBack(): boolean {
    try {
      this.#cut()
    } catch {
      return false
    }
    return true
  }

  #unconfirmed(error: unknown): JournalError {
    const { path } = this.#segment
    const code = codeOf(error)
    const coded = code === undefined ? undefined : { code }
    const said = code === undefined ? "" : ` (${code})`
    const cut = this.#takeBack()
    this.#broken = JournalError.because(
      { _tag: "Failed", ...coded },
      `journal: ${path} was not written: the disk did not confirm an earlier write${said}; open it again`,
      error,
    )
    if (cut) return fsError(error, { what: "was not written: the disk did not confirm it", path })
    return JournalError.because(
      { _tag: "Unavailable", ...coded },
      `journal: ${path} was written, and the disk did not confirm it${said}: whether it is kept is unknown`,
      error,
    )
  }
}
