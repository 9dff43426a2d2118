/** The rows of the bench of spells and agents. */
import { line, type Table } from "../tables.ts"

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
      line("`Files.readText`", hop("files")),
      line("`Spellcasting.cast`", hop("book"), hop("files")),
      line(
        "both branches journaled, in memory",
        hop("journaled"),
        hop("files"),
      ),
      line("both branches journaled, in SQLite", hop("sqlite"), hop("files")),
      line(
        "a daemon for each, journal in memory",
        hop("daemon", 500),
        hop("files"),
      ),
      line(
        "a daemon for each, journal in SQLite",
        hop("sqliteDaemon", 500),
        hop("files"),
      ),
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
      line("10 turns", turns("book", 10)),
      line("100 turns", turns("book", 100), turns("book", 10)),
      line("1,000 turns", turns("book", 1_000), turns("book", 10)),
      line("10 turns, journaled in memory", turns("journaled", 10)),
      line(
        "100 turns, journaled in memory",
        turns("journaled", 100),
        turns("journaled", 10),
      ),
      line(
        "1,000 turns, journaled in memory",
        turns("journaled", 1_000),
        turns("journaled", 10),
      ),
      line("1,000 turns, journaled in SQLite", turns("sqlite", 1_000)),
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
      line("not journaled", turns("book", 1_000)),
      line(
        "journaled in memory, which keeps all entries",
        turns("journaled", 1_000),
      ),
      line("journaled in SQLite", turns("sqlite", 1_000)),
    ],
  },
]
