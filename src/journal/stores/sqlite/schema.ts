/**
 * How entries lie in the file: one table, a row each.
 *
 * An index row costs as much as an entry, and a journal is written far more often than it is searched. So an index does
 * not have each entry, but of each correlation id, tag and branch the first of every {@link blockSize} positions: those
 * rows are marked, and SQLite keeps the indexes over the marks. A search finds the blocks, and then looks through them.
 *
 * @module
 */
/** Positions of one block. In a larger one more is looked at in vain, of a smaller one there are more index rows. */
export const blockSize = 256

/** The block of a position. */
export const blockOf = (position: number): number => Math.floor(position / blockSize)

/** "Slui", in the header of the file: what has another number there is somebody else's. */
export const applicationId = 0x536c7569

/** The layout (`user_version`). 1 to 3 had other tables; they were never released. */
export const currentVersion = 4

/** The bit of `marks`, and the index over the rows that have it, for each column that is searched. */
export const indexes = {
  correlation_id: { bit: 1, name: "by_correlation_id" },
  tag: { bit: 2, name: "by_tag" },
  branch: { bit: 4, name: "by_branch" },
} as const

/** A column that is searched. */
export type IndexedColumn = keyof typeof indexes

/** The statements that make the indexes. */
export const indexStatements: ReadonlyArray<readonly [name: string, sql: string]> = Object.entries(indexes).map(
  ([column, { bit, name }]) => [name, `CREATE INDEX ${name} ON entries (${column}) WHERE marks & ${bit}`],
)

/** The view for people with the sqlite3 program: `SELECT * FROM journal`. */
const view = `CREATE VIEW journal AS
  SELECT position, strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') AS time, branch, tag, correlation_id,
    version, hash, nullif(body, '') AS body
  FROM entries WHERE position > (SELECT removed FROM meta)`

/** What can be made again from the entries. */
export const derivedStatements: ReadonlyArray<readonly [name: string, sql: string]> = [
  ...indexStatements,
  ["journal", view],
]

/** All tables, indexes and views, as SQLite keeps their statements. `body` is last: what is before it is read alone. */
export const schema: ReadonlyArray<readonly [name: string, sql: string]> = [
  // `removed`: entries up to it are gone. `cleaned`: they are gone from the file, too.
  [
    "meta",
    `CREATE TABLE meta (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      removed INTEGER NOT NULL,
      cleaned INTEGER NOT NULL
    ) STRICT`,
  ],
  [
    "entries",
    `CREATE TABLE entries (
      position INTEGER PRIMARY KEY,
      marks INTEGER NOT NULL,
      time INTEGER NOT NULL,
      branch TEXT NOT NULL,
      correlation_id TEXT NOT NULL,
      tag TEXT NOT NULL,
      version INTEGER NOT NULL,
      hash TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
  ],
  ...derivedStatements,
]
