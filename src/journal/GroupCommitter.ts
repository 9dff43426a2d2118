/**
 * Group commit: those who append at the same time share one transaction, and so one fsync.
 *
 * @module
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Position, Row } from "./Entry.ts"
import { closedError } from "./CloseGate.ts"
import { type AppendExit, appendGroup, type AppendRequest } from "./appendGroup.ts"
import type { JournalError } from "./JournalError.ts"
import type { Durability, JournalStore, StoreTransaction } from "./JournalStore.ts"

/** An append that waits for its turn, and somebody who waits for the append. */
interface Pending extends AppendRequest {
  readonly length: number
  readonly settle: (answer: AppendExit) => void
}

/** Something else that must have the store for itself. */
interface Turn {
  readonly run: Effect.Effect<void>
}

type Settle<A> = (exit: Exit.Exit<A, JournalError>) => void

/** Most characters of one transaction: it holds the lock, and on most stores the event loop. */
const maxGroupLength = 1024 * 1024

/** What an entry costs beside its body, about. */
const entryLength = 200

const lengthOf = (append: AppendRequest): number =>
  append.written.reduce((sum, { body }) => sum + body.length + entryLength, 0)

const levels: Readonly<Record<Durability, number>> = { memory: 0, os: 1, disk: 2 }

const highest = (group: ReadonlyArray<AppendRequest>): Durability =>
  group.reduce<Durability>((level, { durability }) => levels[durability] > levels[level] ? durability : level, "memory")

/** Told what was committed: the rows that were added, or `undefined` when it was something else, such as a prune. */
export type OnCommit = (rows: ReadonlyArray<Row> | undefined) => void

/**
 * Commits appends in groups, in the order in which they came. Whoever appends waits for the commit, so what is pending
 * is never more than what its appenders hold: a journal that is behind slows them down.
 */
export class GroupCommitter {
  readonly #store: JournalStore
  readonly #committed: OnCommit
  readonly #whenIdle: Array<() => void> = []
  #queue: Array<Pending | Turn> = []
  #busy = false
  #closed = false

  constructor(store: JournalStore, committed: OnCommit) {
    this.#store = store
    this.#committed = committed
  }

  /** Appends, and answers when it is durable. Interrupted while it waits for its turn, it leaves nothing behind. */
  append(append: AppendRequest): Effect.Effect<ReadonlyArray<Position>, JournalError> {
    // Uninterruptible from the start: between "busy" and its end, no yield of the scheduler may let an interruption in.
    return Effect.uninterruptibleMask((restore) => {
      if (this.#closed) return Effect.fail(closedError)
      // Nobody to share with and nothing to wait for: here and now, in this fiber. A disk is always worth sharing.
      if (this.#store.synchronous && !this.#busy && append.durability !== "disk") {
        this.#busy = true
        return Effect.onExit(
          Effect.flatMap(this.#write([append]), ([answer]) => answer ?? Effect.fail(closedError)),
          () => this.#release,
        )
      }
      const length = lengthOf(append)
      return this.#inTurn<ReadonlyArray<Position>>(restore, (settle) => ({ ...append, length, settle }))
    })
  }

  /** Has the store for itself, in its turn. Interrupted while it waits for that, it leaves nothing behind. */
  exclusively<A>(
    durability: Durability,
    work: (transaction: StoreTransaction) => Effect.Effect<A, JournalError>,
  ): Effect.Effect<A, JournalError> {
    return Effect.contextWith((context: Context.Context<never>) =>
      Effect.uninterruptibleMask((restore) => {
        if (this.#closed) return Effect.fail(closedError)
        // With the clock of who asks: who writes is somebody else.
        const mine = (transaction: StoreTransaction) => Effect.provideContext(work(transaction), context)
        return this.#inTurn<A>(restore, (settle) => ({
          run: Effect.map(Effect.exit(this.#store.transact(durability, mine)), (exit) => {
            if (Exit.isSuccess(exit)) this.#committed(undefined)
            settle(exit)
          }),
        }))
      })
    )
  }

  /** Takes no more, and waits until what is pending was written. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.#closed = true
    // In line, but nobody started yet: whoever stands there is about to.
    if (!this.#busy && this.#queue.length === 0) return resume(Effect.void)
    this.#whenIdle.push(() => resume(Effect.void))
  })

  /** Stands in line, and waits for the answer. What is being written cannot be taken back: then it waits all the same. */
  #inTurn<A>(
    restore: <B, E>(effect: Effect.Effect<B, E>) => Effect.Effect<B, E>,
    itemOf: (settle: Settle<A>) => Pending | Turn,
  ): Effect.Effect<A, JournalError> {
    let answer: Exit.Exit<A, JournalError> | undefined
    let notify: ((exit: Exit.Exit<A, JournalError>) => void) | undefined
    const item = itemOf((exit) => {
      answer = exit
      notify?.(exit)
    })
    const answered = Effect.callback<A, JournalError>((resume) => {
      if (answer !== undefined) return resume(answer)
      notify = resume
    })
    // In line before anybody is started: a drain that finds nothing ends.
    this.#queue.push(item)
    return Effect.andThen(
      this.#start,
      Effect.onInterrupt(
        restore(answered),
        () => this.#remove(item) ? Effect.void : Effect.asVoid(Effect.exit(answered)),
      ),
    )
  }

  /**
   * Sees to it that somebody writes what is queued: in a fiber of its own, as whoever appends may be interrupted. It ends
   * when nothing is queued, and `close` waits for that.
   */
  readonly #start: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#busy) return Effect.void
    this.#busy = true
    return Effect.asVoid(Effect.forkDetach(this.#drain(), { uninterruptible: true }))
  })

  #drain(): Effect.Effect<void> {
    // One turn of the scheduler first, so that those who are about to append come along.
    return Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => {
        const next = this.#queue.at(0)
        if (next === undefined) return this.#release
        if ("run" in next) {
          this.#queue.shift()
          return Effect.andThen(next.run, this.#drain())
        }
        return Effect.andThen(this.#settle(this.#takeGroup()), this.#drain())
      }),
    )
  }

  readonly #release: Effect.Effect<void> = Effect.suspend(() => {
    this.#busy = false
    if (this.#queue.length > 0) return this.#start
    for (const resume of this.#whenIdle.splice(0)) resume()
    return Effect.void
  })

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

  #remove(item: Pending | Turn): boolean {
    const index = this.#queue.indexOf(item)
    if (index >= 0) this.#queue.splice(index, 1)
    return index >= 0
  }

  #write(group: ReadonlyArray<AppendRequest>): Effect.Effect<ReadonlyArray<AppendExit>, JournalError> {
    return Effect.map(
      this.#store.transact(highest(group), (transaction) => appendGroup(transaction, group)),
      ({ answers, rows }) => {
        this.#committed(rows)
        return answers
      },
    )
  }

  #settle(group: ReadonlyArray<Pending>): Effect.Effect<void> {
    return Effect.flatMap(Effect.exit(this.#write(group)), (exit) => {
      if (Exit.isSuccess(exit)) {
        group.forEach((pending, index) => pending.settle(exit.value[index] ?? Exit.fail(closedError)))
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
