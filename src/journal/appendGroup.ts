/**
 * Writes several appends in one store transaction, each with its own condition and its own result.
 *
 * @module
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Head, Position, Row } from "./Entry.ts"
import type { EncodedDraft } from "./entryCodec.ts"
import { chainRows } from "./hashChain.ts"
import { JournalError } from "./JournalError.ts"
import type { AppendCondition } from "./JournalService.ts"
import type { Durability, StoreTransaction } from "./JournalStore.ts"

/** One append. */
export interface AppendRequest {
  readonly drafts: ReadonlyArray<EncodedDraft>
  readonly condition: AppendCondition | undefined
  readonly durability: Durability
  /** The clock of the caller: another fiber may write the group. */
  readonly clock: Clock.Clock
}

/** The result of an append: its positions, or why it was not written. */
export type AppendExit = Exit.Exit<ReadonlyArray<Position>, JournalError>

/** The error for a condition that an existing entry violates. */
export const conflictError = (position: Position): JournalError =>
  JournalError.because(
    { _tag: "Conflict", position },
    `journal: nothing was appended: entry ${position} is one that must not be there`,
  )

/** A group that was written. */
export interface AppendedGroup {
  /** The result of each append, in order. */
  readonly exits: ReadonlyArray<AppendExit>
  /** All rows that were added, in order. */
  readonly rows: ReadonlyArray<Row>
}

const lastHead = (head: Head, added: ReadonlyArray<Row>): Head => {
  const last = added.at(-1)
  return last === undefined ? head : { position: last.position, hash: last.hash }
}

const positionsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Position> => rows.map((row) => row.position)

/** Whole milliseconds: a store need not keep fractions. */
const readTime = (clock: Clock.Clock): number => Math.floor(clock.currentTimeMillisUnsafe())

const appendConditionally = Effect.fnUntraced(function* (
  transaction: StoreTransaction,
  group: ReadonlyArray<AppendRequest>,
) {
  const exits: Array<AppendExit> = []
  const all: Array<Row> = []
  let head = transaction.head
  let rows: Array<Row> = []
  for (const { clock, condition, drafts } of group) {
    if (condition !== undefined) {
      // Inserted first: the condition must see what the group has added so far.
      if (rows.length > 0) yield* transaction.insert(rows)
      rows = []
      const { after, noneOf } = condition
      const [found] = yield* transaction.scan({ after, filter: noneOf, limit: 1, headersOnly: true })
      if (found !== undefined) {
        exits.push(Exit.fail(conflictError(found.position)))
        continue
      }
    }
    const added = chainRows(head, readTime(clock), drafts)
    for (const row of added) {
      rows.push(row)
      all.push(row)
    }
    head = lastHead(head, added)
    exits.push(Exit.succeed(positionsOf(added)))
  }
  if (rows.length > 0) yield* transaction.insert(rows)
  return { exits, rows: all }
})

/** Writes a group within a transaction. The results hold once the transaction is committed. */
export const appendGroup = (
  transaction: StoreTransaction,
  group: ReadonlyArray<AppendRequest>,
): Effect.Effect<AppendedGroup, JournalError> =>
  Effect.suspend(() => {
    if (group.some((append) => append.condition !== undefined)) return appendConditionally(transaction, group)
    const exits: Array<AppendExit> = []
    const rows: Array<Row> = []
    let { head } = transaction
    for (const { clock, drafts } of group) {
      const added = chainRows(head, readTime(clock), drafts)
      for (const row of added) rows.push(row)
      head = lastHead(head, added)
      exits.push(Exit.succeed(positionsOf(added)))
    }
    const result = { exits, rows }
    return rows.length === 0 ? Effect.succeed(result) : Effect.as(transaction.insert(rows), result)
  })
