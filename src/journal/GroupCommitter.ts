/** Commits the appends and prunes of one journal in order; concurrent appends share a transaction. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { callbackLater } from "../base/waits.ts"
import type { Position, Row } from "./Entry.ts"
import { closedError } from "./CloseGate.ts"
import { type AppendExit, appendGroup, type AppendRequest, rowsAfter } from "./appendGroup.ts"
import type { JournalError } from "./JournalError.ts"
import type { Durability, JournalStore, StoreTransaction } from "./JournalStore.ts"

interface QueuedAppend extends AppendRequest {
  readonly length: number
  readonly settle: (exit: AppendExit) => void
}

/** A queued operation that needs a transaction of its own. */
interface QueuedOperation {
  readonly run: Effect.Effect<void>
}

type Settle<A> = (exit: Exit.Exit<A, JournalError>) => void

/** Maximum number of characters of one transaction: it holds the lock and, in most stores, the event loop. */
const maxGroupLength = 1024 * 1024

/** Approximate length of an entry without its body. */
const entryLength = 200

const lengthOf = (append: AppendRequest): number =>
  append.drafts.reduce((sum, { body }) => sum + body.length + entryLength, 0)

const levels: Readonly<Record<Durability, number>> = { memory: 0, os: 1, disk: 2 }

const highest = (group: ReadonlyArray<AppendRequest>): Durability =>
  group.reduce<Durability>((level, { durability }) => levels[durability] > levels[level] ? durability : level, "memory")

/** Called after each commit with the added rows, or with `undefined` after another change, such as a prune. */
export type OnCommit = (rows: ReadonlyArray<Row> | undefined) => void

/**
 * Commits appends in groups, in the order of their arrival. Each caller waits for its commit, so the queue is bounded
 * by the number of callers: a journal that is behind slows the callers down.
 */
export class GroupCommitter {
  readonly #store: JournalStore
  readonly #onCommit: OnCommit
  readonly #whenIdle: Array<() => void> = []
  #queue: Array<QueuedAppend | QueuedOperation> = []
  #isBusy = false
  #isClosed = false

  constructor(store: JournalStore, onCommit: OnCommit) {
    this.#store = store
    this.#onCommit = onCommit
  }

  /**
   * Appends synchronously, without an Effect, if the store can and no append waits. Otherwise changes nothing and
   * returns `undefined`: then {@link GroupCommitter.append} appends or reports the error.
   */
  appendNow({ clock, condition, drafts }: AppendRequest): ReadonlyArray<Position> | undefined {
    if (condition !== undefined || this.#isBusy || this.#isClosed) return undefined
    const rows = this.#store.insertNow?.((head) => rowsAfter(head, clock, drafts))
    if (rows === undefined) return undefined
    this.#onCommit(rows)
    return rows.map((row) => row.position)
  }

  /** Appends; returns when the entries are durable. An interruption while queued removes the append. */
  append(append: AppendRequest): Effect.Effect<ReadonlyArray<Position>, JournalError> {
    // Uninterruptible from the start: an interruption between setting and clearing `#isBusy` would block the queue.
    return Effect.uninterruptibleMask((restore) => {
      if (this.#isClosed) return Effect.fail(closedError())
      // An idle synchronous store is written at once, in this fiber. A sync to disk is better shared with later
      // appends.
      if (this.#store.synchronous && !this.#isBusy && append.durability !== "disk") {
        this.#isBusy = true
        return Effect.onExit(
          Effect.flatMap(this.#write([append]), ([exit]) => exit ?? Effect.fail(closedError())),
          () => this.#release,
        )
      }
      const length = lengthOf(append)
      return this.#enqueue<ReadonlyArray<Position>>(restore, (settle) => ({ ...append, length, settle }))
    })
  }

  runExclusively<A>(
    durability: Durability,
    work: (transaction: StoreTransaction) => Effect.Effect<A, JournalError>,
  ): Effect.Effect<A, JournalError> {
    return Effect.contextWith((context: Context.Context<never>) =>
      Effect.uninterruptibleMask((restore) => {
        if (this.#isClosed) return Effect.fail(closedError())
        // Runs with the caller's context, and so with its Clock: another fiber runs the transaction.
        const inContext = (transaction: StoreTransaction) => Effect.provideContext(work(transaction), context)
        return this.#enqueue<A>(restore, (settle) => ({
          run: Effect.map(Effect.exit(this.#store.transact(durability, inContext)), (exit) => {
            if (Exit.isSuccess(exit)) this.#onCommit(undefined)
            settle(exit)
          }),
        }))
      })
    )
  }

  readonly close: Effect.Effect<void> = callbackLater((resume) => {
    this.#isClosed = true
    // A queued item whose writer has not started yet is about to be written.
    if (!this.#isBusy && this.#queue.length === 0) return resume(Effect.void)
    this.#whenIdle.push(() => resume(Effect.void))
  })

  /** Queues an item and waits for its result. An item that is being written cannot be removed: then it waits anyway. */
  #enqueue<A>(
    restore: <B, E>(effect: Effect.Effect<B, E>) => Effect.Effect<B, E>,
    itemOf: (settle: Settle<A>) => QueuedAppend | QueuedOperation,
  ): Effect.Effect<A, JournalError> {
    let result: Exit.Exit<A, JournalError> | undefined
    let notify: ((exit: Exit.Exit<A, JournalError>) => void) | undefined
    const item = itemOf((exit) => {
      result = exit
      notify?.(exit)
    })
    const awaited = callbackLater<A, JournalError>((resume) => {
      if (result !== undefined) return resume(result)
      notify = resume
    })
    // Queued before a writer starts: a writer that finds nothing ends.
    this.#queue.push(item)
    return Effect.andThen(
      this.#start,
      Effect.onInterrupt(
        restore(awaited),
        () => this.#remove(item) ? Effect.void : Effect.asVoid(Effect.exit(awaited)),
      ),
    )
  }

  /**
   * Starts a writer unless one runs: in a fiber of its own, because the caller may be interrupted. It ends when the queue
   * is empty, and `close` waits for that.
   */
  readonly #start: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#isBusy) return Effect.void
    this.#isBusy = true
    return Effect.asVoid(Effect.forkDetach(this.#drain(), { uninterruptible: true }))
  })

  #drain(): Effect.Effect<void> {
    // Yields first, so that concurrent appends join the group.
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
    this.#isBusy = false
    if (this.#queue.length > 0) return this.#start
    for (const resume of this.#whenIdle.splice(0)) resume()
    return Effect.void
  })

  #takeGroup(): ReadonlyArray<QueuedAppend> {
    const group: Array<QueuedAppend> = []
    let length = 0
    for (const item of this.#queue) {
      if ("run" in item || (group.length > 0 && length + item.length > maxGroupLength)) break
      group.push(item)
      length += item.length
    }
    this.#queue = this.#queue.slice(group.length)
    return group
  }

  #remove(item: QueuedAppend | QueuedOperation): boolean {
    const index = this.#queue.indexOf(item)
    if (index >= 0) this.#queue.splice(index, 1)
    return index >= 0
  }

  #write(group: ReadonlyArray<AppendRequest>): Effect.Effect<ReadonlyArray<AppendExit>, JournalError> {
    return Effect.map(
      this.#store.transact(highest(group), (transaction) => appendGroup(transaction, group)),
      ({ exits, rows }) => {
        this.#onCommit(rows)
        return exits
      },
    )
  }

  #settle(group: ReadonlyArray<QueuedAppend>): Effect.Effect<void> {
    return Effect.flatMap(Effect.exit(this.#write(group)), (exit) => {
      if (Exit.isSuccess(exit)) {
        group.forEach((pending, index) => pending.settle(exit.value[index] ?? Exit.fail(closedError())))
        return Effect.void
      }
      // An append that does not fit must not fail the others.
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
