/**
 * One transaction for several appends, each with its own condition and its own answer.
 *
 * @module
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { chainRows, type EncodedDraft } from "./entryCodec.ts"
import type { Head, Position, Row } from "./Entry.ts"
import type { AppendCondition } from "./JournalService.ts"
import { JournalError } from "./JournalError.ts"
import type { Durability, StoreTransaction } from "./JournalStore.ts"

/** One append. */
export interface AppendRequest {
  readonly written: ReadonlyArray<EncodedDraft>
  readonly condition: AppendCondition | undefined
  readonly durability: Durability
  /** That of who appends: who writes is somebody else. */
  readonly clock: Clock.Clock
}

/** What an append comes to. */
export type AppendExit = Exit.Exit<ReadonlyArray<Position>, JournalError>

/** An entry is there that a condition does not allow. */
export const conflictError = (position: Position): JournalError =>
  JournalError.because(
    { _tag: "Conflict", position },
    `journal: nothing was appended: entry ${position} is one that must not be there`,
  )

const headOf = (head: Head, added: ReadonlyArray<Row>): Head => {
  const last = added.at(-1)
  return last === undefined ? head : { position: last.position, hash: last.hash }
}

const positionsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Position> => rows.map((row) => row.position)

/** Whole milliseconds: a store need not keep more. */
const timeOf = (clock: Clock.Clock): number => Math.floor(clock.currentTimeMillisUnsafe())

const conditional = Effect.fnUntraced(function* (
  transaction: StoreTransaction,
  group: ReadonlyArray<AppendRequest>,
) {
  const answers: Array<AppendExit> = []
  const all: Array<Row> = []
  let head = transaction.head
  let rows: Array<Row> = []
  for (const { clock, condition, written } of group) {
    if (condition !== undefined) {
      // What the group has added so far goes in first: the condition must see it.
      if (rows.length > 0) yield* transaction.insert(rows)
      rows = []
      const { after, noneOf } = condition
      const [found] = yield* transaction.scan({ after, filter: noneOf, limit: 1, headersOnly: true })
      if (found !== undefined) {
        answers.push(Exit.fail(conflictError(found.position)))
        continue
      }
    }
    const added = chainRows(head, timeOf(clock), written)
    for (const row of added) {
      rows.push(row)
      all.push(row)
    }
    head = headOf(head, added)
    answers.push(Exit.succeed(positionsOf(added)))
  }
  if (rows.length > 0) yield* transaction.insert(rows)
  return { answers, rows: all }
})

/** A group that was written. */
export interface AppendedGroup {
  /** What each append comes to, in their order. */
  readonly answers: ReadonlyArray<AppendExit>
  /** All rows that were added, in order. */
  readonly rows: ReadonlyArray<Row>
}

/** Writes a group; answers with what each of its appends comes to, in their order, once the transaction is kept. */
export const appendGroup = (
  transaction: StoreTransaction,
  group: ReadonlyArray<AppendRequest>,
): Effect.Effect<AppendedGroup, JournalError> =>
  Effect.suspend(() => {
    if (group.some((append) => append.condition !== undefined)) return conditional(transaction, group)
    const answers: Array<AppendExit> = []
    const rows: Array<Row> = []
    let { head } = transaction
    for (const { clock, written } of group) {
      const added = chainRows(head, timeOf(clock), written)
      for (const row of added) rows.push(row)
      head = headOf(head, added)
      answers.push(Exit.succeed(positionsOf(added)))
    }
    const result = { answers, rows }
    return rows.length === 0 ? Effect.succeed(result) : Effect.as(transaction.insert(rows), result)
  })
