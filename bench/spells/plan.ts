/** The rows of the bench of spells and agents. */
import type { Table } from "../tables.ts"

/** Through what a call goes before its file is read. */
export type Through =
  | "files"
  | "book"
  | "journaled"
  | "sqlite"
  | "daemon"
  | "sqliteDaemon"

/** One measurement: what `measure.ts` is called with. */
export interface Case {
  readonly row: "hop" | "turn"
  readonly through: Through
  /** Calls or turns of one measurement. */
  readonly count: number
}

/** The parameters of a case. */
export const keyOf = ({ count, row, through }: Case): string => `${row} ${through} ${count}`

const calls = 2_000

const hop = (through: Through, count = calls): Case => ({
  row: "hop",
  through,
  count,
})
const turns = (through: Through, count: number): Case => ({
  row: "turn",
  through,
  count,
})

/** All tables, in the order of the report. */
export const tables: ReadonlyArray<Table<Case>> = [
  {
    id: "hop",
    title: "A spell that reads a file of 1 KiB in memory",
    about:
      "One call after the other. The floor is `Files.readText` without a spell; `read_file` of a book adds the decoding of " +
      "arguments and the encoding of its result. Journaled, the invocation, the read and both answers are in one journal; with " +
      "daemons, one for spells and one for files answer from that journal. Microseconds, lower is better; beside it the ratio " +
      "to the floor.",
    value: "micros",
    unit: "µs",
    digits: 0,
    lines: [
      { title: "`Files.readText`", of: hop("files") },
      { title: "`Spellcasting.cast`", of: hop("book"), to: hop("files") },
      {
        title: "both branches journaled, in memory",
        of: hop("journaled"),
        to: hop("files"),
      },
      {
        title: "both branches journaled, in SQLite",
        of: hop("sqlite"),
        to: hop("files"),
      },
      {
        title: "a daemon for each, journal in memory",
        of: hop("daemon", 500),
        to: hop("files"),
      },
      {
        title: "a daemon for each, journal in SQLite",
        of: hop("sqliteDaemon", 500),
        to: hop("files"),
      },
    ],
  },
  {
    id: "turn",
    title: "A turn of an agent",
    about:
      "`Agent.run` with a model that answers at once with one call of a spell that does nothing, of which each turn adds about " +
      "250 tokens. Milliseconds a turn, lower is better; beside it the ratio to the run of 10 turns: it stays flat when the " +
      "time of a run is linear, and stops to rise where the conversation is trimmed (100,000 tokens).",
    value: "millis",
    unit: "ms",
    digits: 2,
    lines: [
      { title: "10 turns", of: turns("book", 10) },
      { title: "100 turns", of: turns("book", 100), to: turns("book", 10) },
      { title: "1,000 turns", of: turns("book", 1_000), to: turns("book", 10) },
      { title: "10 turns, journaled in memory", of: turns("journaled", 10) },
      {
        title: "100 turns, journaled in memory",
        of: turns("journaled", 100),
        to: turns("journaled", 10),
      },
      {
        title: "1,000 turns, journaled in memory",
        of: turns("journaled", 1_000),
        to: turns("journaled", 10),
      },
      { title: "1,000 turns, journaled in SQLite", of: turns("sqlite", 1_000) },
    ],
  },
  {
    id: "memory",
    title: "Memory of a run of 1,000 turns",
    about: "Kibibytes a turn that are still in use after a run, after garbage collection. Lower is better.",
    value: "kibibytes",
    unit: "KiB",
    digits: 1,
    lines: [
      { title: "not journaled", of: turns("book", 1_000) },
      {
        title: "journaled in memory, which keeps all entries",
        of: turns("journaled", 1_000),
      },
      { title: "journaled in SQLite", of: turns("sqlite", 1_000) },
    ],
  },
]
