import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Durability, Head, JournalError } from "@sluice/shell/journal"
import { DatabaseSync } from "node:sqlite"
import type { JournalStore } from "../../../../src/journal/JournalStore.ts"
import type { Row } from "../../../../src/journal/Entry.ts"
import { hashRow } from "../../../../src/journal/hashChain.ts"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { loadBuiltins } from "../../../../src/journal/stores/sqlite/loadBuiltins.ts"
import { connectWriting } from "../../../../src/journal/stores/sqlite/connect.ts"
import type { Connection } from "../../../../src/journal/stores/sqlite/Connection.ts"
import { scanRows } from "../../../../src/journal/stores/sqlite/scan.ts"
import { MarkBuilder } from "../../../../src/journal/stores/sqlite/sparseIndex.ts"
import { insertRows } from "../../../../src/journal/stores/sqlite/SqliteWriter.ts"
import { type Workshop, workshop } from "../../../support/workshop.ts"

export { all, positionsOf, reasonOf, upTo } from "../ndjson/support.ts"

/** The contents of rows. */
export interface RowOptions {
  readonly correlationId?: string
  readonly tag?: string
  readonly text?: (position: number) => string
}

/** Rows that follow a head, chained and of one time, as of one append; the text is the position, or that of `text`. */
export const rowsAfter = (
  { hash, position }: Head,
  count: number,
  { correlationId = "n", tag = "Noted", text = String }: RowOptions = {},
): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const time = 1_700_000_000_000 + position
  let previous = hash
  for (let at = position + 1; at <= position + count; at++) {
    const body = JSON.stringify({ _tag: tag, text: text(at) })
    const row = { position: at, time, branch: "notes", correlationId, tag, version: 1, body }
    previous = hashRow(previous, row)
    rows.push({ ...row, hash: previous })
  }
  return rows
}

/** Adds rows as one transaction. */
export const add = (
  store: JournalStore,
  count: number,
  durability: Durability = "os",
  options?: RowOptions,
): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
  store.transact(durability, (transaction) => {
    const rows = rowsAfter(transaction.head, count, options)
    return Effect.as(transaction.insert(rows), rows)
  })

/** A store in a directory of its own, and its file. */
export interface Fresh extends Workshop {
  readonly file: string
  readonly store: JournalStore
}

/** Opens a store in a directory that is removed with the Scope. */
export const fresh = (
  options: Omit<SqliteJournal.SqliteOptions, "path"> = {},
): Effect.Effect<Fresh, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* workshop
    const file = place.path("journal.db")
    const store = yield* SqliteJournal.openStore({ path: file, ...options })
    return { ...place, file, store }
  })

/** Queries a file directly. */
export const query = (path: string, sql: string, ...values: ReadonlyArray<string | number>): Array<unknown> => {
  const database = new DatabaseSync(path)
  try {
    return database.prepare(sql).all(...values).map((row) => Object.values(row)).flat()
  } finally {
    database.close()
  }
}

/** Opens a connection like a store's; the caller closes it. */
export const connection = (path: string): Connection => connectWriting(loadBuiltins(), path)

/** Replaces the entries of a file directly. */
export const rewrite = (path: string, change: (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>): void => {
  const open = connection(path)
  try {
    open.write(() => {
      const rows = change(scanRows(open, { maxRows: Infinity })).toSorted((a, b) => a.position - b.position)
      open.run("DELETE FROM entries")
      insertRows(open, new MarkBuilder(), rows)
    })
  } finally {
    open.close()
  }
}
