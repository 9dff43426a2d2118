/** Verifies a store, also during prunes: its hash chain, its checkpoints and its indexes. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { decodeRow } from "./entryCodec.ts"
import { type Head, noHash, type Position, type Row } from "./Entry.ts"
import { isChained } from "./hashChain.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { batchBytes, batchRows, scanBatch } from "./scanBatches.ts"
import { CheckpointVerifier } from "./CheckpointVerifier.ts"
import { readCheckpoints, readLastCheckpoints } from "./checkpoint.ts"

/** Options of a verification. */
export interface VerifyOptions {
  /**
   * A head that was recorded elsewhere before. The chain alone does not reveal that its end was cut off, or that all of
   * it was rewritten; an old head does. Default: none.
   */
  readonly expect?: Head | undefined
}

/** The result of a verification. */
export interface VerifyReport {
  /** Number of entries whose hash was recomputed. */
  readonly entries: number
  /** Number of entries without a body, which a checkpoint records as stripped. */
  readonly stripped: number
  /** The last position that a checkpoint records as removed; 0 when none was. */
  readonly removedThrough: Position
  /** The last position that was verified. */
  readonly head: Head
  /** Whether `expect` was found in the chain, or was pruned since and cannot be compared; `"none"` without `expect`. */
  readonly expected: "none" | "holds" | "pruned"
}

const corruptError = (position: Position, what: string): JournalError =>
  JournalError.because({ _tag: "Corrupt", what, position }, `journal: entry ${position} does not hold: ${what}`)

/** Walks the chain row by row. Throws a `JournalError` at the first invalid row. */
class ChainWalk {
  readonly checkpoints = new CheckpointVerifier()
  readonly #expect: Head | undefined
  /** The end of the journal according to the store. */
  readonly #end: Head
  head: Head = { position: 0, hash: noHash }
  entries = 0
  stripped = 0
  removedThrough = 0
  expected: "none" | "holds" | "pruned"

  constructor(expect: Head | undefined, end: Head) {
    this.#expect = expect
    this.#end = end
    this.expected = expect === undefined ? "none" : expect.position === 0 ? "holds" : "pruned"
  }

  visit(row: Row): void {
    if (row.position !== this.head.position + 1) this.#skipRemoved(row)
    if (row.body === "") {
      if (!this.checkpoints.addStripped(row)) {
        throw corruptError(row.position, "its body is missing, and no checkpoint records that it was pruned")
      }
      this.stripped++
    } else if (!isChained(this.head.hash, row)) {
      throw corruptError(row.position, "its hash does not match its content and the previous hash")
    } else {
      // The hash covers the tag only through the body, of which it is often the first member.
      if (!row.body.startsWith(`{"_tag":"${row.tag}"`) && decodeRow(row).body?._tag !== row.tag) {
        throw corruptError(row.position, "its tag differs from the tag in its body")
      }
      this.entries++
    }
    this.#advance({ position: row.position, hash: row.hash })
  }

  #advance(head: Head): void {
    this.head = head
    if (this.#end.position === head.position && this.#end.hash !== head.hash) {
      throw corruptError(head.position, "its hash differs from the hash at the end of the journal")
    }
    if (this.#expect?.position !== head.position) return
    if (this.#expect.hash !== head.hash) throw corruptError(head.position, "its hash differs from the expected head")
    this.expected = "holds"
  }

  /** Skips removed entries: a checkpoint has the hash at their end. */
  #skipRemoved(row: Row): void {
    const through = row.position - 1
    const hash = this.checkpoints.findRemoval(through, this.head.position)
    if (hash === undefined) {
      const last = this.head.position === 0 ? this.checkpoints.findLastRemovalBefore(row.position) : this.head.position
      throw corruptError(last + 1, "it is missing, and no checkpoint records that it was pruned")
    }
    this.removedThrough = through
    this.#advance({ position: through, hash })
  }

  finish(until: Position): void {
    const position = this.checkpoints.firstInvalid
    if (position !== undefined) {
      throw corruptError(
        position,
        "from here on, the entries without bodies differ from those that a checkpoint records",
      )
    }
    const last = Math.max(until, this.#expect?.position ?? 0)
    if (last > this.head.position) {
      throw corruptError(this.head.position + 1, `it is missing, and the journal once ended at ${last}`)
    }
  }
}

const catchError = (work: () => void): JournalError | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof JournalError) return error
    throw error
  }
}

/**
 * Verifies a store from its first entry to its current last one, then its indexes. Other processes may append and prune
 * meanwhile.
 */
export const verifyStore = (
  store: Pick<JournalStore, "head" | "scan" | "check" | "verifyingScan">,
  options: VerifyOptions = {},
): Effect.Effect<VerifyReport, JournalError> =>
  Effect.scoped(Effect.gen(function* () {
    const end = yield* store.head
    // In a thread, this check does not delay the walk.
    const check = store.check === undefined ? undefined : yield* Effect.forkScoped(store.check)
    const walk = new ChainWalk(options.expect, end)
    const rowScan = store.verifyingScan?.() ?? { scan: store.scan, failure: () => undefined }
    let until = end.position
    let newest = 0
    const seen = new Set<Position>()
    let damage: JournalError | undefined
    let hasSearched = false

    /** Reads the checkpoints after a position, also those after unreadable rows, which the walk reports. */
    const readAll = (after: Position, step = 1): ReturnType<typeof readCheckpoints> =>
      Effect.catchReason(
        readCheckpoints(store, after),
        "JournalError",
        "Corrupt",
        ({ position = 0 }, error) =>
          Effect.suspend(() => {
            damage ??= error
            // The scan fails at its start: later rows may be readable.
            if (position <= after) return after > until ? Effect.succeed([]) : readAll(after + step, step * 2)
            const before = Effect.orElseSucceed(readCheckpoints(store, after, position), () => [])
            return Effect.zipWith(before, readAll(position), (one, other) => [...one, ...other])
          }),
      )

    const add = (found: Effect.Success<ReturnType<typeof readCheckpoints>>, isLate: boolean): boolean => {
      const fresh = found.filter(([position]) => !seen.has(position))
      for (const [position] of fresh) {
        seen.add(position)
        newest = Math.max(newest, position)
      }
      // A checkpoint can be trusted only if the chain up to it is valid, so the walk has to reach it.
      until = Math.max(until, newest)
      walk.checkpoints.addCheckpoints(fresh.map(([, checkpoint]) => checkpoint), walk.head.position, isLate)
      return fresh.length > 0
    }

    const readNew = (isLate: boolean) => Effect.map(readAll(newest), (found) => add(found, isLate))

    /**
     * Searches again for checkpoints that the scans so far may have missed, and returns whether there are any. Reads
     * every row, without the index; in a store without an index, reads from the end backward to the first unreadable
     * row.
     */
    const search = Effect.suspend(() => {
      if (hasSearched) return Effect.succeed(false)
      hasSearched = true
      const all = store.check === undefined
        ? readLastCheckpoints(store)
        : Effect.orElseSucceed(readCheckpoints(store, 0, Infinity, {}), () => [])
      return Effect.map(all, (found) => add(found, false))
    })

    const walkBatch = Effect.gen(function* () {
      const after = walk.head.position
      const rows = yield* scanBatch(rowScan, { after, before: until + 1, maxRows: batchRows, maxBytes: batchBytes })
      for (const row of rows) {
        const error = catchError(() => walk.visit(row))
        if (error === undefined) continue
        // A concurrent prune has added a checkpoint. The batch is read again, because bodies of its rows may be gone
        // now.
        if (!(yield* readNew(true)) && !(yield* search)) return yield* Effect.fail(error)
        break
      }
      const differs = rowScan.failure()
      if (differs !== undefined) return yield* Effect.fail(differs)
      if (rows.length > 0) yield* Effect.yieldNow
      // A concurrent prune may have removed all of them: then the walk continues at its checkpoint.
      return rows.length > 0 || (after < until && (yield* readNew(true)))
    })

    yield* readNew(false)
    while (yield* walkBatch) {
      // Each batch is a step of its own.
    }
    const error = catchError(() => walk.finish(until))
    if (error !== undefined) return yield* Effect.fail(error)
    if (damage !== undefined) return yield* Effect.fail(damage)
    // A store that keeps its head apart must not have rows after it.
    const [beyond] = yield* store.scan({ after: until, maxRows: 1, headersOnly: true })
    if (beyond !== undefined && (yield* store.head).position < beyond.position) {
      return yield* Effect.fail(corruptError(beyond.position, "it follows the end of the journal"))
    }
    if (check !== undefined) yield* Fiber.join(check)
    const { entries, expected, head, removedThrough, stripped } = walk
    return { entries, stripped, removedThrough, head, expected }
  }))
