/**
 * How entries lie in the file, and how that came to be.
 *
 * Appends must be cheap, and a journal is written far more often than it is searched. So entries that are appended
 * together are one row (see {@link SegmentBuilder}), what repeats (correlation ids; branch, tag and version) is a small
 * number, and the indexes do not know each entry but each block of {@link blockSize} positions in which there is one.
 *
 * @module
 */
/** Positions of one block, in the first two layouts. */
const firstBlockSize = 32

/**
 * Positions of one block. An index row costs more than an entry: where 16 commands wrote at the same time, an
 * append took 13 µs for each entry with blocks of 32, and 8 µs with these. In a larger block more is looked at in vain:
 * one command out of 10 million entries took 6 ms.
 */
export const blockSize = 1024

/** The first version whose blocks are of {@link blockSize}. */
const largeBlocksSince = 3

/** Positions of one block in a file of a version. An old file that may not be written stays as it is. */
export const blockSizeOf = (version: number): number => version < largeBlocksSince ? firstBlockSize : blockSize

/** The block of a position. */
export const blockOf = (position: number, size: number = blockSize): number => Math.floor(position / size)

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
    // `last`: the position of the last of its entries. `hash` is that entry's; `hashes` are those of the others.
    `CREATE TABLE segments (
      last INTEGER PRIMARY KEY,
      count INTEGER NOT NULL,
      time INTEGER NOT NULL,
      correlations TEXT NOT NULL,
      kinds TEXT NOT NULL,
      hash TEXT NOT NULL,
      hashes TEXT NOT NULL,
      bodies TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE correlation_blocks (
      correlation INTEGER NOT NULL,
      block INTEGER NOT NULL,
      PRIMARY KEY (correlation, block)
    ) STRICT, WITHOUT ROWID`,
    // For people with the sqlite3 program: `SELECT * FROM journal`.
    `CREATE VIEW journal AS
      SELECT entry.position, strftime('%Y-%m-%dT%H:%M:%fZ', entry.time / 1000.0, 'unixepoch') AS time, kinds.branch,
        kinds.tag, correlations.text AS correlation_id, kinds.version, entry.hash, entry.body
      FROM (
        SELECT last - count + 1 + body.key AS position, time, body.value AS body,
          iif(body.key = count - 1, hash, substr(hashes, body.key * 65 + 1, 64)) AS hash,
          ifnull(json_extract('[' || kinds || ']', '$[' || body.key || ']'), kinds) AS kind,
          ifnull(json_extract('[' || correlations || ']', '$[' || body.key || ']'), correlations) AS correlation
        FROM segments, json_each('[' || replace(bodies, char(10), ',') || ']') AS body
      ) AS entry
      JOIN kinds ON kinds.id = entry.kind
      JOIN correlations ON correlations.id = entry.correlation
      WHERE entry.position > (SELECT removed FROM meta)`,
  ],
  [
    `CREATE TABLE kind_blocks (
      kind INTEGER NOT NULL,
      block INTEGER NOT NULL,
      PRIMARY KEY (kind, block)
    ) STRICT, WITHOUT ROWID`,
    `INSERT OR IGNORE INTO kind_blocks SELECT kind.value, (last - count + 1 + kind.key) / ${firstBlockSize}
      FROM segments, json_each('[' || kinds || ']') AS kind`,
    // Where all entries have the same, it stands there once; 128 entries are in five blocks at most.
    `INSERT OR IGNORE INTO kind_blocks SELECT kinds, (last - count + 1) / ${firstBlockSize} + step.column1
      FROM segments JOIN (VALUES (0), (1), (2), (3), (4)) AS step
      ON (last - count + 1) / ${firstBlockSize} + step.column1 <= last / ${firstBlockSize}
      WHERE instr(kinds, ',') = 0`,
  ],
  ["correlation", "kind"].flatMap((key) => [
    `ALTER TABLE ${key}_blocks RENAME TO small_blocks`,
    `CREATE TABLE ${key}_blocks (
      ${key} INTEGER NOT NULL,
      block INTEGER NOT NULL,
      PRIMARY KEY (${key}, block)
    ) STRICT, WITHOUT ROWID`,
    `INSERT OR IGNORE INTO ${key}_blocks SELECT ${key}, block / ${blockSize / firstBlockSize} FROM small_blocks`,
    `DROP TABLE small_blocks`,
  ]),
]

/** The version of a file that has seen every step. */
export const currentVersion: number = migrations.length

/** The first version that knows in which blocks a kind is. */
export const kindBlocksSince = 2
