/** The rows of the tables: what is measured, how often, and how it is shown. */

/** One row. */
export interface Plan {
  readonly id: string
  readonly title: string
  /** Said under the table's title. */
  readonly about: string
  /** Which of the measured values is the figure, and its unit. */
  readonly value: string
  readonly unit: string
  readonly digits: number
  readonly better: "lower" | "higher"
  /** `many`: all rounds. `few`: at most three, as it measures seconds. `once`: memory, which does not vary much. */
  readonly rounds: "many" | "few" | "once"
  /** `tools`: a process for each (runtime, tool). Else the driver measures it itself. */
  readonly by: "tools" | "imports" | "bundles" | "cli"
}

/** All rows, in the order of the report. */
export const plans: ReadonlyArray<Plan> = [
  {
    id: "spawn",
    title: "Spawn `true`, both pipes",
    about: "One after another, each awaited with both outputs read to their end.",
    value: "ms",
    unit: "ms",
    digits: 2,
    better: "lower",
    rounds: "many",
    by: "tools",
  },
  {
    id: "spawnLarge",
    title: "The same in a process of 300 MB",
    about: "A runtime that forks copies page tables: it shows here.",
    value: "ms",
    unit: "ms",
    digits: 2,
    better: "lower",
    rounds: "many",
    by: "tools",
  },
  {
    id: "concurrent",
    title: "16 at once",
    about: "Commands per second.",
    value: "perSecond",
    unit: "/s",
    digits: 0,
    better: "higher",
    rounds: "many",
    by: "tools",
  },
  {
    id: "bytes",
    title: "Bytes",
    about: "MB/s (10^6 bytes) of one command's stdout; the child writes faster than we read. Bun.$ has no stream of " +
      "bytes, it gives all at the end; nano-spawn gives text only.",
    value: "mbPerSecond",
    unit: "MB/s",
    digits: 0,
    better: "higher",
    rounds: "many",
    by: "tools",
  },
  {
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
    rounds: "many",
    by: "tools",
  },
  {
    id: "text",
    title: "64 MiB into one string",
    about: "Until a character in its middle can be read: lazily joined ropes are made flat.",
    value: "ms",
    unit: "ms",
    digits: 0,
    better: "lower",
    rounds: "many",
    by: "tools",
  },
  {
    id: "memory",
    title: "Memory over a long output, fast consumer",
    about: "Growth of RSS in MB, as lines where the tool has them. A run is cut at 1,500 MB.",
    value: "grownMb",
    unit: "MB",
    digits: 0,
    better: "lower",
    rounds: "once",
    by: "tools",
  },
  {
    id: "memorySlow",
    title: "Memory over a long output, slow consumer",
    about: "The same; the consumer rests 20 ms after each 8 MB.",
    value: "grownMb",
    unit: "MB",
    digits: 0,
    better: "lower",
    rounds: "once",
    by: "tools",
  },
  {
    id: "import",
    title: "Import",
    about: "Milliseconds of process time that the import costs above an empty script.",
    value: "ms",
    unit: "ms",
    digits: 0,
    better: "lower",
    rounds: "many",
    by: "imports",
  },
  {
    id: "cli",
    title: "CLI, bundled, to its first byte",
    about: "`sluice run -- echo hello` from one file: milliseconds until the first byte of output, and the same for " +
      "an empty script's end.",
    value: "ms",
    unit: "ms",
    digits: 0,
    better: "lower",
    rounds: "many",
    by: "cli",
  },
  {
    id: "bundle",
    title: "Bundle of “run one command, stream its lines”",
    about: "Minified and gzipped by rolldown, `node:` modules outside, Effect included where it is used.",
    value: "kb",
    unit: "KB",
    digits: 1,
    better: "lower",
    rounds: "once",
    by: "bundles",
  },
  {
    id: "timeoutTree",
    title: "Timeout of 500 ms on `sh -c 'sleep 1000 & sleep 1000'`",
    about: "Milliseconds from the deadline until it is reported, and processes of the tree that live 50 ms later.",
    value: "lateMs",
    unit: "ms",
    digits: 0,
    better: "lower",
    rounds: "few",
    by: "tools",
  },
  {
    id: "timeoutTerm",
    title: 'The same with `trap "" TERM`, grace 1 s',
    about: "Milliseconds after deadline and grace.",
    value: "lateMs",
    unit: "ms",
    digits: 0,
    better: "lower",
    rounds: "few",
    by: "tools",
  },
  {
    id: "drain",
    title: "Normal exit while a grandchild holds the pipe for 4 s",
    about: "Milliseconds from the call of `sh -c 'sleep 4 & echo done'`, which itself ends within 2 ms.",
    value: "ms",
    unit: "ms",
    digits: 0,
    better: "lower",
    rounds: "few",
    by: "tools",
  },
]
