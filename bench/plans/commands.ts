/** Rows of commands: spawning, throughput, memory. Each tool does the same. */
import type { Plan } from "../RowPlan.ts"

const base = {
  digits: 0,
  better: "lower",
  rounds: "many",
  by: "tools",
} as const

/** Rows of commands. */
export const commands: ReadonlyArray<Plan> = [
  {
    ...base,
    id: "spawnCold",
    title: "Spawn `true`, both pipes, cold",
    about: "The first 200 commands of a process, one after another, each awaited with both outputs read to their end.",
    value: "ms",
    unit: "ms",
    digits: 2,
    check: true,
  },
  {
    ...base,
    id: "spawn",
    title: "Spawn `true`, both pipes, warm",
    about: "The same after 2,000 commands (or 5 s of them, for the peers 1.5 s).",
    value: "ms",
    unit: "ms",
    digits: 2,
    check: true,
  },
  {
    ...base,
    id: "spawnLarge",
    title: "The same in a process of 300 MB",
    about: "A runtime that forks copies page tables: it shows here.",
    value: "ms",
    unit: "ms",
    digits: 2,
  },
  {
    ...base,
    id: "concurrent",
    title: "16 at once",
    about: "Commands per second.",
    value: "perSecond",
    unit: "/s",
    better: "higher",
    check: true,
  },
  {
    ...base,
    id: "bytes",
    title: "Bytes",
    about: "MB/s (10^6 bytes) of one command's stdout; the child writes faster than we read. Bun.$ has no stream of " +
      "bytes, it gives all at the end; nano-spawn gives text only.",
    value: "mbPerSecond",
    unit: "MB/s",
    better: "higher",
    check: true,
  },
  {
    ...base,
    id: "lines",
    title: "Lines",
    about:
      "Millions of lines of 60 bytes per second. Floor, Sluice: text of whole lines (the floor is the raw reader, " +
      "`TextDecoder`, and a cut after the last newline); Effect: arrays of lines; the others and `./run`: line by line, " +
      "as they offer it.",
    value: "millionsPerSecond",
    unit: "M/s",
    digits: 2,
    better: "higher",
    check: true,
  },
  {
    ...base,
    id: "text",
    title: "64 MiB into one string",
    about: "Until a character in its middle can be read: lazily joined ropes are made flat.",
    value: "ms",
    unit: "ms",
    check: true,
  },
  {
    ...base,
    id: "memory",
    title: "Memory over a long output, fast consumer",
    about: "Growth of RSS in MB, as lines where the tool has them. A run is cut at 1,500 MB.",
    value: "grownMb",
    unit: "MB",
    tolerance: 50,
    rounds: "once",
    lanes: 2,
  },
  {
    ...base,
    id: "memorySlow",
    title: "Memory over a long output, slow consumer",
    about: "The same over a quarter of the output; the consumer rests 20 ms after each 8 MB.",
    value: "grownMb",
    unit: "MB",
    tolerance: 50,
    rounds: "once",
    lanes: 2,
  },
  {
    ...base,
    id: "waiting",
    title: "Memory of a command that waits",
    about:
      "Growth of RSS for each of 200 further commands that run at once and write nothing, while 200 do so already, after " +
      "a garbage collection.",
    value: "kb",
    unit: "KB",
    tolerance: 5,
    rounds: "few",
    lanes: 2,
  },
]
