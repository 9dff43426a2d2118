/** The built-in spell that queries a database. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { cutBefore } from "../../base/text.ts"
import { Database } from "../../database/Database.ts"
import { DatabaseBranch } from "../../database/DatabaseBranch.ts"
import { DatabaseFault, DatabaseQuery } from "../../database/DatabaseEntry.ts"
import type { DatabaseValue } from "../../database/DatabaseValue.ts"
import { make, type Spell } from "../Spell.ts"
import * as SpellRoute from "../SpellRoute.ts"

/** Maximum number of rows, of UTF-16 units of one answer, and of one cell. */
const maxRows = 1_000
const maxLength = 16_384
const maxCellLength = 4_096

const Param = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))

const shorten = (text: string): string =>
  text.length <= maxCellLength
    ? text
    : `${text.slice(0, cutBefore(text, maxCellLength))}… (${text.length - maxCellLength} characters left out)`

/** A cell as JSON; a value that JSON does not have becomes text. */
const toJson = (value: DatabaseValue): Schema.Json => {
  if (typeof value === "string") return shorten(value)
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return String(value)
  if (value instanceof Uint8Array) return `(${value.length} bytes)`
  if (typeof value !== "object" || value === null) return value
  const text = JSON.stringify(value.json)
  return text.length > maxCellLength ? shorten(text) : value.json
}

interface Answer {
  readonly rows: string
  readonly rowCount: number
  readonly hasMore?: true
}

/**
 * Queries the database of the context, which runs the query read-only. Not in `Spellbook.standard`: add it to a book
 * that has a `Database`.
 *
 * @example
 * ```ts
 * import { MockDatabase } from "@sluice/shell/database"
 * import { queryDatabase, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(queryDatabase), "query_database", { sql: "SELECT id, name FROM users" })
 * const rows = [[1, "Ada"], [2, null]]
 * const database = MockDatabase.layer([{ answer: { _tag: "DatabaseRows", columns: ["id", "name"], rows } }])
 * const result = await Effect.runPromise(Effect.provide(call, database))
 * const expected = { rows: '["id","name"]\n[1,"Ada"]\n[2,null]\n', rowCount: 2 }
 * console.log(JSON.stringify(result) === JSON.stringify(expected)) // true
 * ```
 */
export const queryDatabase: Spell<"query_database", Database> = make({
  name: "query_database",
  description:
    "Runs one SQL query on the database, read-only. Answers with lines of JSON: first the column names, then one row " +
    `per line. At most ${maxRows} rows and ${maxLength} characters; hasMore means that there are more: aggregate, or use LIMIT.`,
  parameters: Schema.Struct({
    sql: Schema.String.annotate({ description: "One query: SELECT name FROM users WHERE id = $1" }),
    params: Schema.optionalKey(Schema.Array(Param).annotate({ description: "Values of $1, $2, …" })),
    maxRows: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxRows })).annotate({
        description: `Maximum number of rows. Default: 100`,
      }),
    ),
  }),
  success: Schema.Struct({
    rows: Schema.String,
    rowCount: Schema.Int,
    hasMore: Schema.optionalKey(Schema.Literal(true)),
  }),
  failure: DatabaseFault,
  readOnly: true,
  routes: [SpellRoute.make(Database, DatabaseBranch, "DatabaseQuery")],
  cast: ({ maxRows: wanted = 100, params = [], sql }) =>
    Effect.flatMap(Database, (database) => {
      let answer: Answer = { rows: "", rowCount: 0 }
      return database.request(DatabaseQuery.make({ sql, params })).pipe(
        // The rest is cancelled, and not read.
        Stream.takeUntil((event) => {
          if (event._tag !== "DatabaseRows") return false
          if (answer.rows === "") answer = { ...answer, rows: `${JSON.stringify(event.columns)}\n` }
          for (const row of event.rows) {
            const line = `${JSON.stringify(row.map(toJson))}\n`
            if (answer.rowCount === wanted || answer.rows.length + line.length > maxLength) {
              answer = { ...answer, hasMore: true }
              return true
            }
            answer = { rows: answer.rows + line, rowCount: answer.rowCount + 1 }
          }
          return false
        }),
        Stream.runDrain,
        Effect.map(() => answer),
      )
    }),
})
