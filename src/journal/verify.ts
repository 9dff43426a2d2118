/**
 * Computes the whole chain again.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { entryOfRow } from "./chain.ts"
import { type Checkpoint, checkpointOf, checkpointTag, journalBranch, strippedDigest } from "./checkpoint.ts"
import { type Head, noHash, type Position, type Row } from "./Entry.ts"
import { hashOf } from "./hash.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { scanAll } from "./scanAll.ts"

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
}

const broken = (position: Position, what: string): JournalError =>
  JournalError.because({ _tag: "Corrupt", what, position }, `journal: entry ${position} does not hold: ${what}`)

/** Walks the chain; throws at the first entry that does not hold. */
class Walk {
  readonly #removals: ReadonlyMap<Position, Checkpoint>
  readonly #strips: ReadonlyArray<Checkpoint>
  readonly #digests: Array<string>
  readonly #expect: Head | undefined
  head: Head = { position: 0, hash: noHash }
  entries = 0
  stripped = 0
  removedThrough = 0

  constructor(checkpoints: ReadonlyArray<Checkpoint>, expect: Head | undefined) {
    this.#removals = new Map(
      checkpoints.filter(({ kind }) => kind === "removed").map((checkpoint) => [checkpoint.through, checkpoint]),
    )
    this.#strips = checkpoints.filter(({ kind }) => kind === "stripped")
    this.#digests = this.#strips.map(() => "")
    this.#expect = expect
  }

  visit = (row: Row): void => {
    if (row.position !== this.head.position + 1) this.#jump(row)
    if (row.body === "") this.#sign(row)
    else if (hashOf(this.head.hash, row) !== row.hash) {
      throw broken(row.position, "its hash is not that of its content and the hash before it")
    } else {
      this.entries++
      // The tag stands beside the body for the indexes, and is covered by the hash only through the body.
      if (entryOfRow(row).body?._tag !== row.tag) throw broken(row.position, "its tag is not that of its body")
    }
    this.head = { position: row.position, hash: row.hash }
    if (this.#expect?.position === row.position && this.#expect.hash !== row.hash) {
      throw broken(row.position, "its hash is not the one that was noted")
    }
  }

  /** The only gap is at the beginning, and a checkpoint knows the hash that stood there. */
  #jump(row: Row): void {
    const through = row.position - 1
    const checkpoint = this.head.position === 0 ? this.#removals.get(through) : undefined
    if (checkpoint === undefined) {
      throw broken(this.head.position + 1, `it is not there, and no checkpoint says that it was pruned`)
    }
    this.head = { position: through, hash: checkpoint.hash }
    this.removedThrough = through
  }

  #sign(row: Row): void {
    let signed = false
    this.#strips.forEach((checkpoint, index) => {
      if (checkpoint.positions?.some(([from, to]) => from <= row.position && row.position <= to) !== true) return
      this.#digests[index] = strippedDigest(this.#digests[index] ?? "", row)
      signed = true
    })
    if (!signed) throw broken(row.position, "its body is gone, and no checkpoint says that it was pruned")
    this.stripped++
  }

  finish(): void {
    this.#strips.forEach(({ hash, positions, through }, index) => {
      const whole = (positions?.[0]?.[0] ?? 0) > this.removedThrough
      if (whole && this.#digests[index] !== hash) {
        throw broken(through, "the pruned entries are not those that the checkpoint signs off")
      }
    })
    const { position } = this.#expect ?? this.head
    if (position > this.head.position) {
      throw broken(this.head.position + 1, `it is not there, and the journal was once as long as ${position}`)
    }
  }
}

const attempt = (work: () => void): Effect.Effect<void, JournalError> =>
  Effect.suspend(() => {
    try {
      work()
      return Effect.void
    } catch (error) {
      return error instanceof JournalError ? Effect.fail(error) : Effect.die(error)
    }
  })

/** Verifies a store from its first entry to its last. */
export const verifyStore = (
  store: Pick<JournalStore, "scan">,
  options: VerifyOptions = {},
): Effect.Effect<VerifyReport, JournalError> =>
  Effect.gen(function* () {
    const checkpoints: Array<Checkpoint> = []
    let failure: JournalError | undefined
    yield* scanAll(store, { filter: { branch: journalBranch, tags: [checkpointTag] } }, (row) => {
      // One that cannot be read signs nothing off; the walk will come to it.
      try {
        const checkpoint = checkpointOf(entryOfRow(row))
        if (checkpoint !== undefined) checkpoints.push(checkpoint)
      } catch (error) {
        if (!(error instanceof JournalError)) throw error
      }
    })
    const walk = new Walk(checkpoints, options.expect)
    yield* scanAll(store, {}, (row) => {
      if (failure !== undefined) return
      try {
        walk.visit(row)
      } catch (error) {
        if (!(error instanceof JournalError)) throw error
        failure = error
      }
    })
    if (failure !== undefined) return yield* Effect.fail(failure)
    yield* attempt(() => walk.finish())
    const { entries, head, removedThrough, stripped } = walk
    return { entries, stripped, removedThrough, head }
  })
