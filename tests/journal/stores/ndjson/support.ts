import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Durability, Head, JournalError } from "@sluice/shell/journal"
import type { JournalStore } from "../../../../src/journal/JournalStore.ts"
import type { Row } from "../../../../src/journal/Entry.ts"
import { hashRow } from "../../../../src/journal/hashChain.ts"

/** Rows that follow a head, chained; each with the text of its place, or of `text`. */
export const rowsAfter = (
  { hash, position }: Head,
  count: number,
  { correlationId = "n", tag = "Noted", text = String }: {
    readonly correlationId?: string
    readonly tag?: string
    readonly text?: (position: number) => string
  } = {},
): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let previous = hash
  for (let at = position + 1; at <= position + count; at++) {
    const body = JSON.stringify({ _tag: tag, text: text(at) })
    const row = { position: at, time: 1_700_000_000_000 + at, branch: "notes", correlationId, tag, version: 1, body }
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
  options?: Parameters<typeof rowsAfter>[2],
): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
  store.transact(durability, (transaction) => {
    const rows = rowsAfter(transaction.head, count, options)
    return Effect.as(transaction.insert(rows), rows)
  })

/** Every row. */
export const all = (store: JournalStore): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
  store.scan({ maxRows: Infinity })

export const positionsOf = (rows: ReadonlyArray<Row>): Array<number> => rows.map((row) => row.position)

/** The whole numbers from one to another, both included. */
export const upTo = (to: number, from = 1): Array<number> =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

/** Why something failed; a defect when it did not. */
export const reasonOf = <A, R>(
  effect: Effect.Effect<A, JournalError, R>,
): Effect.Effect<JournalError["reason"], never, R> =>
  Effect.matchEffect(effect, {
    onFailure: (error) => Effect.succeed(error.reason),
    onSuccess: () => Effect.die(new Error("it did not fail")),
  })

/** The lines of a file, without the first. Each must end with a newline. */
export const linesOf = (path: string): ReadonlyArray<string> => readFileSync(path, "utf8").split("\n").slice(1, -1)

/** What this runtime needs to run a script. */
export const runtimeArgs = (script: URL, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...("Deno" in globalThis ? ["run", "-A"] : []),
  fileURLToPath(script),
  ...args,
]
