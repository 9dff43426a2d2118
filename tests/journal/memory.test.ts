import * as Effect from "effect/Effect"
import { makeJournal, MemoryJournal, type Position, type Row } from "@sluice/shell/journal"
import { makeMemoryStore } from "../../src/journal/stores/memory/MemoryStore.ts"
import { journalContract, type JournalTarget } from "../support/journalContract.ts"

journalContract("memory", {
  place: Effect.sync(() => ({ open: () => MemoryJournal.make() })),
  can: { durable: false, processes: false, durabilities: ["memory"] },
})

/** A memory store that a test keeps: what is made of it again is the same journal, as of a file. */
const kept: JournalTarget["place"] = Effect.sync(() => {
  const empty = () => makeMemoryStore({ maxBytes: Infinity, maxEntries: Infinity })
  let store = empty()
  const rewrite = (change: (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>) =>
    Effect.gen(function* () {
      const rows = change(yield* store.scan({ limit: Infinity }))
      store = empty()
      yield* store.transact("memory", (transaction) => transaction.insert(rows))
    })
  const at = (rows: ReadonlyArray<Row>, position: Position): Row | undefined =>
    rows.find((row) => row.position === position)
  return {
    open: (options) => Effect.suspend(() => makeJournal(store, options)),
    tamper: {
      change: (position, fields) =>
        rewrite((rows) => rows.map((row) => row.position === position ? { ...row, ...fields } : row)),
      remove: (position) => rewrite((rows) => rows.filter((row) => row.position !== position)),
      swap: (one, other) =>
        rewrite((rows) =>
          rows.map((row) => {
            const stranger = row.position === one ? at(rows, other) : row.position === other ? at(rows, one) : undefined
            return stranger === undefined ? row : { ...stranger, position: row.position }
          })
        ),
    },
  }
})

journalContract("a memory store that is opened again", {
  place: kept,
  can: { durable: true, processes: false, durabilities: ["memory"] },
})
