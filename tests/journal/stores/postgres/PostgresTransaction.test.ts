import { expect, it } from "@effect/vitest"
import { noHash } from "../../../../src/journal/Entry.ts"
import { insertQueries } from "../../../../src/journal/stores/postgres/PostgresTransaction.ts"
import { tableNames } from "../../../../src/journal/stores/postgres/tableNames.ts"
import { numbered, rowsAfter, written } from "./support.ts"

const queries = (items: Parameters<typeof rowsAfter>[1]) => {
  const names = tableNames("sluice")
  if (names === undefined) throw new Error("no such schema")
  return insertQueries(names, rowsAfter({ position: 0, hash: noHash }, items), "me")
}

const counts = (items: Parameters<typeof rowsAfter>[1]): ReadonlyArray<unknown> =>
  queries(items).map(({ params: [positions] }) => Array.isArray(positions) ? positions.length : positions)

it("writes rows with one statement, up to ten thousand of them or 16 MiB", () => {
  const large = () => written("x".repeat(6 * 1024 * 1024))
  expect(counts([])).toEqual([])
  expect(counts(numbered(1))).toEqual([1])
  expect(counts(numbered(10_000))).toEqual([10_000])
  expect(counts(numbered(20_001))).toEqual([10_000, 10_000, 1])
  expect(counts([large(), ...numbered(10), large(), large(), ...numbered(1)])).toEqual([12, 2])
  expect(counts([written("x".repeat(20 * 1024 * 1024)), ...numbered(1)])).toEqual([1, 1])
})

it("uses one statement for any number of rows, which the server can cache", () => {
  expect(new Set([...queries(numbered(1)), ...queries(numbered(10_500))].map(({ sql }) => sql)).size).toBe(1)
})
