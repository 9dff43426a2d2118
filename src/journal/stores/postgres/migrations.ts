/**
 * The tables of a journal, step by step. Steps are added, never changed: journals that ran them are out there.
 *
 * @module
 */
import { noHash } from "../../Entry.ts"
import type { Names } from "./names.ts"

/** One step: its number is its place, from 1. */
export interface Migration {
  readonly name: string
  readonly statements: (names: Names) => ReadonlyArray<string>
}

/** Quotes a text. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Output is compressed by the server as it is stored: its own method takes five times as long as LZ4, which servers
 * before 14 do not have, nor those that were built without it.
 */
const fastCompression = (entry: string): string => {
  const alter = literal(`ALTER TABLE ${entry} ALTER COLUMN body SET COMPRESSION lz4`)
  return `DO ${literal(`BEGIN EXECUTE ${alter}; EXCEPTION WHEN feature_not_supported OR syntax_error THEN NULL; END`)}`
}

/**
 * Text is compared byte by byte (`COLLATE "C"`): faster, and no upgrade of a locale can break an index. The body is
 * `text` and not `jsonb`, which would change what was hashed. Each filter has an index that gives its entries in order,
 * so that no plan has to sort a journal to find one page of it.
 */
const entriesAndHead: Migration = {
  name: "entries and head",
  statements: ({ entry, head }) => [
    `CREATE TABLE ${entry} (
      position bigint PRIMARY KEY,
      time bigint NOT NULL,
      version bigint NOT NULL,
      branch text COLLATE "C" NOT NULL,
      correlation_id text COLLATE "C" NOT NULL,
      tag text COLLATE "C" NOT NULL,
      hash text COLLATE "C" NOT NULL,
      body text COLLATE "C" NOT NULL
    )`,
    fastCompression(entry),
    `CREATE INDEX journal_entry_correlation ON ${entry} (correlation_id, position)`,
    `CREATE INDEX journal_entry_tag ON ${entry} (tag, position)`,
    `CREATE INDEX journal_entry_branch ON ${entry} (branch, position)`,
    // Half of its page is free, so that each new version of the one row finds place beside the old one.
    `CREATE TABLE ${head} (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      position bigint NOT NULL,
      hash text COLLATE "C" NOT NULL
    ) WITH (fillfactor = 50)`,
    `INSERT INTO ${head} (position, hash) VALUES (0, '${noHash}')`,
  ],
}

/** All steps, in order. */
export const migrations: ReadonlyArray<Migration> = [entriesAndHead]
