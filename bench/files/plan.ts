/** The rows of the bench of files. */
import type { Table } from "../tables.ts"

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

/** The parameters of a case. */
export const keyOf = ({ row, tool }: Case): string => `${row} ${tool}`

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
      { title: "bare", of: of("read", "bare") },
      { title: "Sluice", of: of("read", "sluice"), to: of("read", "bare") },
      {
        title: "Sluice, in memory",
        of: of("read", "memory"),
        to: of("read", "bare"),
      },
      { title: "bare, 10 MiB", of: of("readLarge", "bare") },
      {
        title: "Sluice, 10 MiB",
        of: of("readLarge", "sluice"),
        to: of("readLarge", "bare"),
      },
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
      {
        title: "floor: temporary file, fsync, rename",
        of: of("write", "durable"),
      },
      {
        title: "Sluice",
        of: of("write", "sluice"),
        to: of("write", "durable"),
      },
      {
        title: "writeFile, not atomic, not flushed",
        of: of("write", "bare"),
        to: of("write", "durable"),
      },
      {
        title: "Sluice, in memory",
        of: of("write", "memory"),
        to: of("write", "durable"),
      },
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
      { title: "read, bare", of: of("smallRead", "bare") },
      {
        title: "read, Sluice",
        of: of("smallRead", "sluice"),
        to: of("smallRead", "bare"),
      },
      {
        title: "read, Sluice in memory",
        of: of("smallRead", "memory"),
        to: of("smallRead", "bare"),
      },
      {
        title: "written, floor: temporary file, fsync, rename",
        of: of("smallWrite", "durable"),
      },
      {
        title: "written, Sluice",
        of: of("smallWrite", "sluice"),
        to: of("smallWrite", "durable"),
      },
      {
        title: "written, Sluice with `flush: false`",
        of: of("smallWrite", "unflushed"),
        to: of("smallWrite", "durable"),
      },
      {
        title: "written, writeFile",
        of: of("smallWrite", "bare"),
        to: of("smallWrite", "durable"),
      },
      {
        title: "written, Sluice in memory",
        of: of("smallWrite", "memory"),
        to: of("smallWrite", "durable"),
      },
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
      { title: "append, bare", of: of("append", "bare") },
      {
        title: "append, Sluice",
        of: of("append", "sluice"),
        to: of("append", "bare"),
      },
      { title: "stat, bare", of: of("stat", "bare") },
      {
        title: "stat, Sluice",
        of: of("stat", "sluice"),
        to: of("stat", "bare"),
      },
      { title: "list of 10,000, bare", of: of("list", "bare") },
      {
        title: "list of 10,000, Sluice",
        of: of("list", "sluice"),
        to: of("list", "bare"),
      },
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
      { title: "rg --json", of: of("search", "rg") },
      {
        title: "Sluice, local leaf",
        of: of("search", "sluice"),
        to: of("search", "rg"),
      },
      {
        title: "Sluice, in memory",
        of: of("search", "memory"),
        to: of("search", "rg"),
      },
    ],
  },
]
