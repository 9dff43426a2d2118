/**
 * How rows lie in the file, and how that came to be.
 *
 * Inserts must be cheap, and a journal is written far more often than it is searched. So what repeats (correlation ids;
 * branch, tag and version) is a small number, and the indexes do not know each entry but each block of {@link blockSize}
 * positions in which there is one: a command that writes thousands of entries adds one index row for each block.
 *
 * @module
 */

/**
 * Positions of one block. Smaller ones cost more index rows, larger ones more rows that are looked at in vain: inserts
 * took as long with 16 as with 128.
 */
export const blockSize = 32

/** The block of a position. */
export const blockOf = (position: number): number => Math.floor(position / blockSize)

/** "Slui", in the header of the file: what has another number there is somebody else's. */
export const applicationId = 0x536c7569

/** One step from a version of the layout to the next. It runs as one transaction. */
export type Migration = ReadonlyArray<string>

/**
 * The steps; the version of a file is how many of them it has seen (`user_version`). A step that was released is never
 * changed. None rewrites entries.
 */
export const migrations: ReadonlyArray<Migration> = [
  [
    // `removed`: entries up to it are gone. `cleaned`: they are gone from the file, too. `generation` counts what makes
    // wrong what another process may remember: names that were removed, a new layout.
    `CREATE TABLE meta (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      removed INTEGER NOT NULL,
      cleaned INTEGER NOT NULL,
      generation INTEGER NOT NULL
    ) STRICT`,
    `INSERT INTO meta VALUES (1, 0, 0, 0)`,
    // AUTOINCREMENT: a number that was removed is never given again, so that whoever remembers it cannot be wrong.
    `CREATE TABLE correlations (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE) STRICT`,
    `CREATE TABLE kinds (
      id INTEGER PRIMARY KEY,
      tag TEXT NOT NULL,
      branch TEXT NOT NULL,
      version INTEGER NOT NULL,
      UNIQUE (tag, branch, version)
    ) STRICT`,
    // The body last: what stands before it is read without its overflow pages.
    `CREATE TABLE entries (
      position INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      correlation INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      hash TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE correlation_blocks (
      correlation INTEGER NOT NULL,
      block INTEGER NOT NULL,
      PRIMARY KEY (correlation, block)
    ) STRICT, WITHOUT ROWID`,
    // For people with the sqlite3 program: `SELECT * FROM journal`.
    `CREATE VIEW journal AS
      SELECT position, strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') AS time, branch, tag,
        correlations.text AS correlation_id, version, hash, body
      FROM entries
      JOIN kinds ON kinds.id = entries.kind
      JOIN correlations ON correlations.id = entries.correlation
      WHERE position > (SELECT removed FROM meta)`,
  ],
  [
    `CREATE TABLE kind_blocks (
      kind INTEGER NOT NULL,
      block INTEGER NOT NULL,
      PRIMARY KEY (kind, block)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO kind_blocks SELECT DISTINCT kind, position / ${blockSize} FROM entries`,
  ],
]

/** The version of a file that has seen every step. */
export const currentVersion: number = migrations.length

/** The first version that knows in which blocks a kind is. */
export const kindBlocksSince = 2
