/** The rows of the bench of files. */
import { line, type Table } from "../tables.ts"

/** One measurement: what `measure.ts` is called with. */
export interface Case {
  readonly row:
    | "read"
    | "readLarge"
    | "write"
    | "smallRead"
    | "smallWrite"
    | "append"
    | "stat"
    | "list"
    | "search"
  readonly tool: "bare" | "durable" | "sluice" | "unflushed" | "memory" | "rg"
}

const of = (row: Case["row"], tool: Case["tool"]): Case => ({ row, tool })

/** All tables, in the order of the report. */
export const tables: ReadonlyArray<Table<Case>> = [
  {
    id: "read",
    title: "Reading files of 1 MiB",
    about:
      "`Files.read` on the local leaf, and `readFile` of `node:fs/promises`, one file after the other. Megabytes a " +
      "second, higher is better; beside it the ratio to the bare runtime.",
    value: "megabytesPerSecond",
    unit: "MB/s",
    digits: 0,
    lines: [
      line("bare", of("read", "bare")),
      line("Sluice", of("read", "sluice"), of("read", "bare")),
      line("Sluice, in memory", of("read", "memory"), of("read", "bare")),
      line("bare, 10 MiB", of("readLarge", "bare")),
      line(
        "Sluice, 10 MiB",
        of("readLarge", "sluice"),
        of("readLarge", "bare"),
      ),
    ],
  },
  {
    id: "write",
    title: "Replacing files of 1 MiB",
    about:
      "`Files.write` writes a temporary file, flushes it to the disk and renames it. The floor does the same by hand; " +
      "`writeFile` does neither. Megabytes a second, higher is better; beside it the ratio to the floor.",
    value: "megabytesPerSecond",
    unit: "MB/s",
    digits: 0,
    lines: [
      line("floor: temporary file, fsync, rename", of("write", "durable")),
      line("Sluice", of("write", "sluice"), of("write", "durable")),
      line(
        "writeFile, not atomic, not flushed",
        of("write", "bare"),
        of("write", "durable"),
      ),
      line("Sluice, in memory", of("write", "memory"), of("write", "durable")),
    ],
  },
  {
    id: "small",
    title: "Files of 1 KiB",
    about:
      "Files a second, 16 at once, in folders of 100. Higher is better; beside it the ratio to the same work by hand.",
    value: "filesPerSecond",
    unit: "/s",
    digits: 0,
    lines: [
      line("read, bare", of("smallRead", "bare")),
      line("read, Sluice", of("smallRead", "sluice"), of("smallRead", "bare")),
      line(
        "read, Sluice in memory",
        of("smallRead", "memory"),
        of("smallRead", "bare"),
      ),
      line(
        "written, floor: temporary file, fsync, rename",
        of("smallWrite", "durable"),
      ),
      line(
        "written, Sluice",
        of("smallWrite", "sluice"),
        of("smallWrite", "durable"),
      ),
      line(
        "written, Sluice with `flush: false`",
        of("smallWrite", "unflushed"),
        of("smallWrite", "durable"),
      ),
      line(
        "written, writeFile",
        of("smallWrite", "bare"),
        of("smallWrite", "durable"),
      ),
      line(
        "written, Sluice in memory",
        of("smallWrite", "memory"),
        of("smallWrite", "durable"),
      ),
    ],
  },
  {
    id: "calls",
    title: "Single calls",
    about:
      "One after the other. An append of 100 bytes is flushed to the disk, also by the floor. The folder has 10,000 files; the floor " +
      "asks `readdir`, and `lstat` for each, 16 at once. A second, higher is better; beside it the ratio to the bare runtime.",
    value: "perSecond",
    unit: "/s",
    digits: 0,
    lines: [
      line("append, bare", of("append", "bare")),
      line("append, Sluice", of("append", "sluice"), of("append", "bare")),
      line("stat, bare", of("stat", "bare")),
      line("stat, Sluice", of("stat", "sluice"), of("stat", "bare")),
      line("list of 10,000, bare", of("list", "bare")),
      line("list of 10,000, Sluice", of("list", "sluice"), of("list", "bare")),
    ],
  },
  {
    id: "search",
    title: "Searching files of 4 KiB",
    about:
      "`FileSearch.search` for a pattern that one line in a hundred files matches, with ripgrep as the engine, and " +
      "without it in memory; beside `rg --json` alone. Files a second, higher is better; beside it the ratio to `rg`.",
    value: "filesPerSecond",
    unit: "/s",
    digits: 0,
    lines: [
      line("rg --json", of("search", "rg")),
      line("Sluice, local leaf", of("search", "sluice"), of("search", "rg")),
      line("Sluice, in memory", of("search", "memory"), of("search", "rg")),
    ],
  },
]
