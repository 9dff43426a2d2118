/** Checks the conditions of several appends and inserts their rows in one store transaction. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Head, Position, Row } from "./Entry.ts"
import type { EncodedDraft } from "./entryCodec.ts"
import { chainRows } from "./hashChain.ts"
import { JournalError } from "./JournalError.ts"
import type { AppendCondition } from "./JournalService.ts"
import type { Durability, StoreTransaction } from "./JournalStore.ts"

export interface AppendRequest {
  readonly drafts: ReadonlyArray<EncodedDraft>
  readonly condition: AppendCondition | undefined
  readonly durability: Durability
  /** The caller's clock, because another fiber may write the group. */
  readonly clock: Clock.Clock
}

export type AppendExit = Exit.Exit<ReadonlyArray<Position>, JournalError>

const conflictError = (position: Position): JournalError =>
  JournalError.because(
    { _tag: "Conflict", position },
    `journal: nothing was appended: entry ${position} matches the filter of the condition`,
  )

/** The rows of an append after a head, with the current time in whole milliseconds: a store need not keep fractions. */
export const rowsAfter = (head: Head, clock: Clock.Clock, drafts: ReadonlyArray<EncodedDraft>): Array<Row> =>
  chainRows(head, Math.floor(clock.currentTimeMillisUnsafe()), drafts)

export interface AppendedGroup {
  readonly exits: ReadonlyArray<AppendExit>
  readonly rows: ReadonlyArray<Row>
}

/**
 * Writes a group within a transaction, in order. The results hold once the transaction is committed. Rows are inserted
 * together at the end, and before each condition, which must see the rows of the group so far.
 */
export const appendGroup = (
  transaction: StoreTransaction,
  group: ReadonlyArray<AppendRequest>,
): Effect.Effect<AppendedGroup, JournalError> =>
  Effect.suspend(() => {
    const exits: Array<AppendExit> = []
    const rows: Array<Row> = []
    let head: Head = transaction.head
    let inserted = 0

    const add = ({ clock, drafts }: AppendRequest): void => {
      const added = rowsAfter(head, clock, drafts)
      for (const row of added) rows.push(row)
      head = added.at(-1) ?? head
      exits.push(Exit.succeed(added.map((row) => row.position)))
    }
    const insert = (): Effect.Effect<void, JournalError> => {
      const pending = rows.slice(inserted)
      inserted = rows.length
      return pending.length === 0 ? Effect.void : transaction.insert(pending)
    }
    const addFrom = (from: number): Effect.Effect<void, JournalError> => {
      for (let index = from; index < group.length; index++) {
        const request = group[index]
        if (request === undefined) break
        if (request.condition === undefined) {
          add(request)
          continue
        }
        const { after, noneOf } = request.condition
        const scan = Effect.suspend(() => transaction.scan({ after, filter: noneOf, maxRows: 1, headersOnly: true }))
        return Effect.flatMap(Effect.andThen(insert(), scan), ([found]) => {
          if (found === undefined) add(request)
          else exits.push(Exit.fail(conflictError(found.position)))
          return addFrom(index + 1)
        })
      }
      return insert()
    }
    return Effect.as(addFrom(0), { exits, rows })
  })
