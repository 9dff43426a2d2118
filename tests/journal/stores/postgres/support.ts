/** Helpers for the tests of the PostgreSQL store. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Durability, Head, JournalError } from "@sluice/shell/journal"
import { PostgresJournal } from "@sluice/shell/journal/postgres"
import type { JournalStore } from "../../../../src/journal/JournalStore.ts"
import type { Row } from "../../../../src/journal/Entry.ts"
import type { StoreTransaction } from "../../../../src/journal/JournalStore.ts"
import type { EncodedDraft } from "../../../../src/journal/entryCodec.ts"
import { chainRows } from "../../../../src/journal/hashChain.ts"
import type { Server } from "../../../support/postgres.ts"

let schemas = 0

/** A schema that no other test uses. */
export const newSchema = (): string => `journal_${++schemas}`

/** Opens a store of the server; in a schema of its own when none is named. */
export const openStore = (
  server: Server,
  schema = newSchema(),
  options: Partial<PostgresJournal.PostgresOptions> = {},
): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  PostgresJournal.openStore({ ...server.options(schema), ...options })

/** A draft in its encoded form. */
export const written = (text = "", fields: Partial<EncodedDraft> = {}): EncodedDraft => ({
  branch: "notes",
  correlationId: "n",
  tag: "Noted",
  version: 1,
  body: JSON.stringify({ _tag: fields.tag ?? "Noted", text }),
  ...fields,
})

/** Rows that follow a head. */
export const rowsAfter = (head: Head, items: ReadonlyArray<EncodedDraft>): ReadonlyArray<Row> =>
  chainRows(head, 1_700_000_000_000, items)

/** Inserts rows after the head; returns their positions. */
export const insertInto = (
  transaction: StoreTransaction,
  items: ReadonlyArray<EncodedDraft>,
): Effect.Effect<ReadonlyArray<number>, JournalError> => {
  const rows = rowsAfter(transaction.head, items)
  return Effect.as(transaction.insert(rows), rows.map(({ position }) => position))
}

/** Appends rows after the head; returns their positions. */
export const append = (
  store: JournalStore,
  items: ReadonlyArray<EncodedDraft>,
  durability: Durability = "memory",
): Effect.Effect<ReadonlyArray<number>, JournalError> =>
  store.transact(durability, (transaction) => insertInto(transaction, items))

/** Drafts whose texts are their numbers. */
export const numbered = (count: number, fields: Partial<EncodedDraft> = {}): ReadonlyArray<EncodedDraft> =>
  Array.from({ length: count }, (_, index) => written(String(index + 1), fields))

export const upTo = (to: number, from = 1): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

export const positionsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<number> => rows.map(({ position }) => position)

/** The error of an effect; a success is a defect. */
export const errorOf = <A, R>(effect: Effect.Effect<A, JournalError, R>): Effect.Effect<JournalError, never, R> =>
  Effect.matchEffect(effect, {
    onFailure: Effect.succeed,
    onSuccess: () => Effect.die(new Error("it did not fail")),
  })

/** The reason of an effect's error. */
export const reasonOf = <A, R>(
  effect: Effect.Effect<A, JournalError, R>,
): Effect.Effect<JournalError["reason"], never, R> => Effect.map(errorOf(effect), ({ reason }) => reason)
