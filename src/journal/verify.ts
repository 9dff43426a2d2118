/**
 * Computes the whole chain again.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { decodeRow } from "./entryCodec.ts"
import { type Head, noHash, type Position, type Row } from "./Entry.ts"
import { hashEntry } from "./hashChain.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { batchBytes, batchRows, scanBatch } from "./scanBatches.ts"
import { CheckpointVerifier } from "./CheckpointVerifier.ts"
import { readCheckpoints, readLastCheckpoints } from "./stripCheckpoints.ts"

/** Settings of a verification. */
export interface VerifyOptions {
  /**
   * A head that was noted before, elsewhere. A chain alone cannot show that its end was cut off, or that all of it was
   * written anew: whoever knows an old head can. Default: none.
   */
  readonly expect?: Head | undefined
}

/** What was found to hold. */
export interface VerifyReport {
  /** Entries whose hash was computed again. */
  readonly entries: number
  /** Entries whose body was pruned: their place in the chain holds, and a checkpoint signs them off. */
  readonly stripped: number
  /** Entries up to this position were removed, and a checkpoint signs them off; 0 when none were. */
  readonly removedThrough: Position
  readonly head: Head
  /** What became of the head that was noted: it holds; or it was pruned since, and cannot be compared. */
  readonly expected: "none" | "holds" | "pruned"
}

const broken = (position: Position, what: string): JournalError =>
  JournalError.because({ _tag: "Corrupt", what, position }, `journal: entry ${position} does not hold: ${what}`)

/** Walks the chain; what does not hold is thrown. */
class Walk {
  readonly signatures = new CheckpointVerifier()
  readonly #expect: Head | undefined
  #end: Head | undefined
  head: Head = { position: 0, hash: noHash }
  entries = 0
  stripped = 0
  removedThrough = 0
  expected: "none" | "holds" | "pruned"

  constructor(expect: Head | undefined) {
    this.#expect = expect
    this.expected = expect === undefined ? "none" : expect.position === 0 ? "holds" : "pruned"
  }

  /** Where the store says that the journal ends. */
  expectEnd(end: Head): void {
    this.#end = end
  }

  visit(row: Row): void {
    if (row.position !== this.head.position + 1) this.#jump(row)
    if (row.body === "") {
      if (!this.signatures.take(row)) {
        throw broken(row.position, "its body is gone, and no checkpoint says that it was pruned")
      }
      this.stripped++
    } else if (hashEntry(this.head.hash, row) !== row.hash) {
      throw broken(row.position, "its hash is not that of its content and the hash before it")
    } else {
      // The tag stands beside the body for the indexes, and is covered by the hash only through the body.
      if (decodeRow(row).body?._tag !== row.tag) throw broken(row.position, "its tag is not that of its body")
      this.entries++
    }
    this.#reach({ position: row.position, hash: row.hash })
  }

  #reach(head: Head): void {
    this.head = head
    if (this.#end?.position === head.position && this.#end.hash !== head.hash) {
      throw broken(head.position, "its hash is not the one with which the journal ends")
    }
    if (this.#expect?.position !== head.position) return
    if (this.#expect.hash !== head.hash) throw broken(head.position, "its hash is not the one that was noted")
    this.expected = "holds"
  }

  /** A gap is what was pruned, and a checkpoint knows the hash that stood at its end. */
  #jump(row: Row): void {
    const through = row.position - 1
    const hash = this.signatures.removed(through, this.head.position)
    if (hash === undefined) {
      const last = this.head.position === 0 ? this.signatures.removedBefore(row.position) : this.head.position
      throw broken(last + 1, "it is not there, and no checkpoint says that it was pruned")
    }
    this.removedThrough = through
    this.#reach({ position: through, hash })
  }

  finish(until: Position): void {
    const { broken: position } = this.signatures
    if (position !== undefined) {
      throw broken(position, "from here on, entries without bodies are not those that a checkpoint signs off")
    }
    const last = Math.max(until, this.#expect?.position ?? 0)
    if (last > this.head.position) {
      throw broken(this.head.position + 1, `it is not there, and the journal was once as long as ${last}`)
    }
  }
}

/** What is thrown is the error of the effect, if it is a journal's. */
const attempt = (work: () => void): JournalError | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof JournalError) return error
    throw error
  }
}

/**
 * Verifies a store from its first entry to what is its last when this begins; others may append and prune meanwhile.
 * Then what the store has beside its rows, to find them, is compared with them.
 */
export const verifyStore = (
  store: Pick<JournalStore, "head" | "scan" | "check">,
  options: VerifyOptions = {},
): Effect.Effect<VerifyReport, JournalError> =>
  Effect.gen(function* () {
    const walk = new Walk(options.expect)
    const end = yield* store.head
    walk.expectEnd(end)
    let until = end.position
    let known = 0
    const learned = new Set<Position>()
    let damage: JournalError | undefined
    let searched = false

    /** Checkpoints after a position, also those behind what cannot be read: the walk finds out where that begins. */
    const checkpoints = (after: Position, step = 1): ReturnType<typeof readCheckpoints> =>
      Effect.catchReason(
        readCheckpoints(store, after),
        "JournalError",
        "Corrupt",
        ({ position = 0 }, error) =>
          Effect.suspend(() => {
            damage ??= error
            // Not even the next can be looked for: farther behind it may go on.
            if (position <= after) return after > until ? Effect.succeed([]) : checkpoints(after + step, step * 2)
            const before = Effect.orElseSucceed(readCheckpoints(store, after, position), () => [])
            return Effect.zipWith(before, checkpoints(position), (one, other) => [...one, ...other])
          }),
      )

    const take = (found: Effect.Success<ReturnType<typeof readCheckpoints>>, late: boolean): boolean => {
      const fresh = found.filter(([position]) => !learned.has(position))
      for (const [position] of fresh) {
        learned.add(position)
        known = Math.max(known, position)
      }
      // They count for no more than the chain that they stand in.
      until = Math.max(until, known)
      walk.signatures.learn(fresh.map(([, checkpoint]) => checkpoint), walk.head.position, late)
      return fresh.length > 0
    }

    /** Hears of new checkpoints; says whether there are any. */
    const learn = (late: boolean) => Effect.map(checkpoints(known), (found) => take(found, late))

    /**
     * Looks once more for checkpoints, where the scans so far may have missed some: in every row, without the index, or,
     * in a store without an index, from the end backward to what cannot be read. Whether there are any.
     */
    const search = Effect.suspend(() => {
      if (searched) return Effect.succeed(false)
      searched = true
      const all = store.check === undefined
        ? readLastCheckpoints(store)
        : Effect.orElseSucceed(readCheckpoints(store, 0, Infinity, {}), () => [])
      return Effect.map(all, (found) => take(found, false))
    })

    yield* learn(false)
    for (;;) {
      const after = walk.head.position
      const rows = yield* scanBatch(store, { after, before: until + 1, limit: batchRows, maxBytes: batchBytes })
      for (const row of rows) {
        const error = attempt(() => walk.visit(row))
        if (error === undefined) continue
        // Somebody may have pruned what was about to be visited: then a checkpoint that is new says so. Rows that were
        // read before it was known may still have bodies that it says are gone, so they are read again.
        if (!(yield* learn(true)) && !(yield* search)) return yield* Effect.fail(error)
        break
      }
      if (rows.length === 0) break
      yield* Effect.yieldNow
    }
    const error = attempt(() => walk.finish(until))
    if (error !== undefined) return yield* Effect.fail(error)
    if (damage !== undefined) return yield* Effect.fail(damage)
    // A store that keeps its end beside its rows must not end before them.
    const [beyond] = yield* store.scan({ after: until, limit: 1, headersOnly: true })
    if (beyond !== undefined && (yield* store.head).position < beyond.position) {
      return yield* Effect.fail(broken(beyond.position, "it stands behind the end of the journal"))
    }
    if (store.check !== undefined) yield* store.check
    const { entries, expected, head, removedThrough, stripped } = walk
    return { entries, stripped, removedThrough, head, expected }
  })
