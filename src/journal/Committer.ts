/**
 * Group commit: those who append at the same time share one transaction, and so one fsync.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { Position } from "./Entry.ts"
import { type Answer, type Append, writeGroup } from "./group.ts"
import { JournalError } from "./JournalError.ts"
import type { Durability, JournalStore, StoreTransaction } from "./JournalStore.ts"

/** An append that waits for its turn, and somebody who waits for the append. */
interface Pending extends Append {
  readonly length: number
  readonly settle: (answer: Answer) => void
}

/** Something else that must have the store for itself. */
interface Turn {
  readonly run: Effect.Effect<void>
}

/** Most characters of one transaction: it holds the lock, and on most stores the event loop. */
const maxGroupLength = 1024 * 1024

/** What an entry costs beside its body, about. */
const entryLength = 200

const lengthOf = (append: Append): number =>
  append.written.reduce((sum, { body }) => sum + body.length + entryLength, 0)

const levels: Readonly<Record<Durability, number>> = { memory: 0, os: 1, disk: 2 }

const highest = (group: ReadonlyArray<Append>): Durability =>
  group.reduce<Durability>((level, { durability }) => levels[durability] > levels[level] ? durability : level, "memory")

const closed = JournalError.because({ _tag: "Closed" }, "journal: nothing was written: the journal is closed")

/**
 * Commits appends in groups, in the order in which they came. Whoever appends waits for the commit, so what is pending
 * is never more than what its appenders hold: a journal that is behind slows them down.
 */
export class Committer {
  readonly #store: JournalStore
  readonly #scope: Scope.Scope
  readonly #committed: () => void
  #queue: Array<Pending | Turn> = []
  #busy = false
  #closed = false

  constructor(store: JournalStore, scope: Scope.Scope, committed: () => void) {
    this.#store = store
    this.#scope = scope
    this.#committed = committed
  }

  /** Appends, and answers when it is durable. Interrupted while it waits for its turn, it leaves nothing behind. */
  append(append: Append): Effect.Effect<ReadonlyArray<Position>, JournalError> {
    return Effect.suspend(() => {
      if (this.#closed) return Effect.fail(closed)
      // Nobody to share with and nothing to wait for: here and now, in this fiber. A disk is always worth sharing.
      if (this.#store.synchronous && !this.#busy && append.durability !== "disk") {
        this.#busy = true
        return Effect.onExit(
          Effect.flatMap(this.#write([append]), ([answer]) => answer ?? Effect.fail(closed)),
          () => this.#release(),
        )
      }
      return Effect.andThen(
        this.#start,
        Effect.callback<ReadonlyArray<Position>, JournalError>((resume) => {
          let over: (() => void) | undefined
          let settled = false
          const pending: Pending = {
            ...append,
            length: lengthOf(append),
            settle: (answer) => {
              settled = true
              resume(answer)
              over?.()
            },
          }
          this.#queue.push(pending)
          return Effect.callback<void>((done) => {
            // What is being written cannot be taken back: who was interrupted then waits until it is certain.
            if (settled || this.#remove(pending)) return done(Effect.void)
            over = () => done(Effect.void)
          })
        }),
      )
    })
  }

  /** Has the store for itself, in its turn. */
  exclusively<A>(
    durability: Durability,
    work: (transaction: StoreTransaction) => Effect.Effect<A, JournalError>,
  ): Effect.Effect<A, JournalError> {
    return Effect.suspend(() => {
      if (this.#closed) return Effect.fail(closed)
      return Effect.andThen(
        this.#start,
        Effect.uninterruptible(Effect.callback<A, JournalError>((resume) => {
          const run = Effect.map(Effect.exit(this.#store.transact(durability, work)), (exit) => {
            if (Exit.isSuccess(exit)) this.#committed()
            resume(exit)
          })
          this.#queue.push({ run })
        })),
      )
    })
  }

  /** Takes no more. What is pending is written all the same, before the scope has closed. */
  close(): void {
    this.#closed = true
  }

  /** Sees to it that somebody writes what is queued. It cannot be interrupted: a flush that is loses the tail. */
  readonly #start: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#busy) return Effect.void
    this.#busy = true
    return Effect.asVoid(Effect.forkIn(Effect.uninterruptible(this.#drain()), this.#scope))
  })

  #drain(): Effect.Effect<void> {
    // One turn of the scheduler first, so that those who are about to append come along.
    return Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => {
        const next = this.#queue.at(0)
        if (next === undefined) {
          this.#busy = false
          return Effect.void
        }
        if ("run" in next) {
          this.#queue.shift()
          return Effect.andThen(next.run, this.#drain())
        }
        return Effect.andThen(this.#settle(this.#takeGroup()), this.#drain())
      }),
    )
  }

  #release(): Effect.Effect<void> {
    this.#busy = false
    return this.#queue.length === 0 ? Effect.void : this.#start
  }

  #takeGroup(): ReadonlyArray<Pending> {
    const group: Array<Pending> = []
    let length = 0
    for (const item of this.#queue) {
      if ("run" in item || (group.length > 0 && length + item.length > maxGroupLength)) break
      group.push(item)
      length += item.length
    }
    this.#queue = this.#queue.slice(group.length)
    return group
  }

  #remove(pending: Pending): boolean {
    const index = this.#queue.indexOf(pending)
    if (index >= 0) this.#queue.splice(index, 1)
    return index >= 0
  }

  #write(group: ReadonlyArray<Append>): Effect.Effect<ReadonlyArray<Answer>, JournalError> {
    return Effect.tap(
      this.#store.transact(highest(group), (transaction) => writeGroup(transaction, group)),
      () => Effect.sync(this.#committed),
    )
  }

  #settle(group: ReadonlyArray<Pending>): Effect.Effect<void> {
    return Effect.flatMap(Effect.exit(this.#write(group)), (exit) => {
      if (Exit.isSuccess(exit)) {
        group.forEach((pending, index) => pending.settle(exit.value[index] ?? Exit.fail(closed)))
        return Effect.void
      }
      // One that does not fit must not take the others with it.
      if (group.length > 1 && isFull(exit)) {
        return Effect.forEach(group, (pending) => this.#settle([pending]), { discard: true })
      }
      const failure = Exit.failCause(exit.cause)
      for (const pending of group) pending.settle(failure)
      return Effect.void
    })
  }
}

const isFull = (exit: Exit.Failure<unknown, JournalError>): boolean =>
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error.reason._tag === "Full")
