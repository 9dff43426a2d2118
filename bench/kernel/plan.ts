/** The rows of the kernel's bench. */
import { line, type Table } from "../tables.ts"

/** One measurement: what `measure.ts` is called with. */
export interface Case {
  readonly row: string
  readonly tool: "kernel" | "shell" | "native" | "just-bash" | "@wasmer/sdk"
  /** Bytes that are read at a time. */
  readonly size: number
}

const of = (row: string, tool: Case["tool"], size = 65_536): Case => ({
  row,
  tool,
  size,
})

const besideNative = (row: string, title: string): Table<Case>["lines"] => [
  line(`${title}, Sandbox`, of(row, "shell"), of(row, "native")),
  line(`${title}, just-bash`, of(row, "just-bash"), of(row, "native")),
  line(`${title}, native`, of(row, "native")),
]

/** All tables, in the order of the report. */
export const tables: ReadonlyArray<Table<Case>> = [
  {
    id: "stream",
    title: "A stream through four programs",
    about: "`gen 1 GiB | cat | cat | wc -c`, the same C program as WASM in the kernel and native under `sh`. " +
      "`@wasmer/sdk` has no shell without a network: there the host carries the bytes. Megabytes a second, higher is " +
      "better; beside it the ratio to native.",
    value: "megabytesPerSecond",
    unit: "MB/s",
    digits: 0,
    lines: [65_536, 4_096].flatMap((size) => [
      line(
        `kernel, reads of ${size / 1024} KiB`,
        of("stream", "kernel", size),
        of("stream", "native", size),
      ),
      line(
        `@wasmer/sdk, reads of ${size / 1024} KiB`,
        of("stream", "@wasmer/sdk", size),
        of("stream", "native", size),
      ),
      line(`native, reads of ${size / 1024} KiB`, of("stream", "native", size)),
    ]),
  },
  {
    id: "tiny",
    title: "A tiny pipeline of three programs",
    about:
      "`echo hello | cat | wc -c`, one after the other. By the kernel's calls; as a script in a Sandbox with the " +
      "utilities written in TypeScript; native under `sh`, its start included. Milliseconds, lower is better.",
    value: "ms",
    unit: "ms",
    digits: 2,
    lines: [
      line("kernel, WASM programs", of("tiny", "kernel"), of("tiny", "native")),
      line(
        "Sandbox, script and utilities",
        of("tiny", "shell"),
        of("tiny", "native"),
      ),
      line("just-bash", of("tiny", "just-bash"), of("tiny", "native")),
      line("@wasmer/sdk", of("tiny", "@wasmer/sdk"), of("tiny", "native")),
      line("native", of("tiny", "native")),
    ],
  },
  {
    id: "scripts",
    title: "Scripts, warm",
    about: "The fastest of three runs after the first, native with the start of bash and its programs (awk is mawk). " +
      "`seq 1 100000 | grep 7 | sort | uniq -c | head`; a loop of 20,000 turns with arithmetic; sed with a substitution " +
      "and a deletion on 200,000 lines; awk's sum of a column of 75 MB; jq's `select` on 500,000 values, 46 MB. And a new " +
      "sandbox with one command. Milliseconds, lower is better; beside it the ratio to native.",
    value: "ms",
    unit: "ms",
    digits: 1,
    lines: [
      ...besideNative("pipeline", "pipeline"),
      ...besideNative("loop", "loop"),
      ...besideNative("sed", "sed"),
      ...besideNative("awk", "awk"),
      ...besideNative("jq", "jq"),
      ...besideNative("fresh", "new sandbox"),
    ],
  },
  {
    id: "switches",
    title: "One switch from a program to another",
    about:
      "A byte there and a byte back through two pipes: each turn is two suspensions. Nanoseconds, lower is better.",
    value: "ns",
    unit: "ns",
    digits: 0,
    lines: [line("kernel", of("switches", "kernel"))],
  },
  {
    id: "starts",
    title: "Processes that do nothing",
    about: "One after the other. A second, higher is better.",
    value: "perSecond",
    unit: "/s",
    digits: 0,
    lines: [
      line("kernel", of("starts", "kernel"), of("starts", "native")),
      line("@wasmer/sdk", of("starts", "@wasmer/sdk"), of("starts", "native")),
      line("native, with a `sh` each", of("starts", "native")),
    ],
  },
  {
    id: "python",
    title: "CPython's start",
    about: "`python3 -c 'print(1)'` in a new process of the runtime, the sandbox and the compilation of its 6.8 MB " +
      "included; and once more in the same sandbox. CPython 3.11 as the slow suite builds it; native, Debian's of the same " +
      "version. Milliseconds, lower is better.",
    value: "first",
    unit: "ms",
    digits: 0,
    lines: [
      line("Sandbox, first", of("python", "shell"), of("python", "native")),
      line(
        "Sandbox, second",
        of("python", "shell"),
        of("python", "native"),
        "second",
      ),
      line(
        "@wasmer/sdk, first",
        of("python", "@wasmer/sdk"),
        of("python", "native"),
      ),
      line(
        "@wasmer/sdk, second",
        of("python", "@wasmer/sdk"),
        of("python", "native"),
        "second",
      ),
      line("native, first", of("python", "native")),
      line("native, second", of("python", "native"), undefined, "second"),
    ],
  },
  {
    id: "memory",
    title: "Memory of a process that waits",
    about: "600 of them at a time; resident memory more than before, for each. KiB, lower is better.",
    value: "kib",
    unit: "KiB",
    digits: 0,
    lines: [line("kernel", of("memory", "kernel"))],
  },
  {
    id: "bundle",
    title: "The bundle of the kernel with the shell",
    about: "Without utilities, minified by rolldown and gzipped; what is later loaded is what runs WASM, workers, " +
      "`[[ =~ ]]`, `printf`, declarations and the builtins of jobs, each with its first use. KB, lower is better.",
    value: "kb",
    unit: "KB",
    digits: 1,
    lines: [
      line("loaded at start", of("bundle", "kernel")),
      line(
        "with all that may be loaded later",
        of("bundle", "kernel"),
        undefined,
        "allKb",
      ),
    ],
  },
]
