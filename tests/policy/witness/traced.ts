/**
 * Runs a program of the tests under a witness outside of Sluice: strace writes down every program that starts below it. It
 * runs in a bubblewrap of its own: nothing but its own folders can be written, there is no network, and nothing stays behind.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Execution, readLog } from "./straceLog.ts"

/** Folders of the enclosure, by the path that they have within it. */
export type Folders = ReadonlyArray<readonly [kind: "read" | "write", outside: string, inside: string]>

export interface TracedOptions {
  readonly folders: Folders
  readonly environment: Readonly<Record<string, string>>
  /** Ends it by force. */
  readonly seconds: number
  /** Without it nothing is written down: for its cost. */
  readonly isWitnessed?: boolean
}

export interface Traced {
  /** Started programs, without the runtime itself. */
  readonly executions: ReadonlyArray<Execution>
  readonly status: number | string
  readonly stderr: string
}

/** A program of the system, by the PATH of the tests. */
export const systemProgram = (name: string): string =>
  (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name

const checkout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "")

/** The real file where there is a link: the enclosure has its own `/tmp`. */
export const runtimeProgram: string = realpathSync(process.execPath)

const runtimeWords = "Deno" in globalThis
  ? ["run", "-A", "--no-prompt", "--quiet", "--cached-only"]
  : "Bun" in globalThis
  ? []
  : ["--no-warnings"]

/** The words of a bubblewrap in which only these folders can be written. */
export const enclosure = (folders: Folders, environment: Readonly<Record<string, string>>): ReadonlyArray<string> => [
  ...["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent", "--new-session"],
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
  // A fresh clone of the repository may itself be below /tmp.
  ...["--ro-bind", checkout, checkout],
  ...folders.flatMap(([kind, outside, inside]) => [kind === "read" ? "--ro-bind" : "--bind", outside, inside]),
  "--clearenv",
  ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
]

// `-v` writes environments too, which name the case that a program belongs to. Only what is traced stops a thread.
const strace = (log: string): ReadonlyArray<string> => [
  // The enclosed PATH need not have it.
  ...[systemProgram("strace"), "-f", "-q", "-y", "-v", "-s", "4096", "--seccomp-bpf", "-o", log],
  ...["-e", "trace=execve,execveat,clone,clone3,fork,vfork", "-e", "signal=none"],
]

/** Where the runtime keeps what it has compiled; commands do not see it. */
const ownVariables = (): Readonly<Record<string, string>> => {
  const { DENO_DIR, HOME = "/root" } = process.env
  return "Deno" in globalThis ? { DENO_DIR: DENO_DIR ?? join(HOME, ".cache/deno") } : {}
}

const ended = (words: ReadonlyArray<string>, seconds: number): Promise<Omit<Traced, "executions">> =>
  new Promise((resolve) => {
    const [program = "", ...args] = words
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], cwd: checkout })
    const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1_000)
    let stderr = ""
    child.stderr.on("data", (data) => void (stderr += String(data)))
    child.on("error", (error) => void (stderr += error.message))
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      resolve({ status: signal ?? code ?? "?", stderr })
    })
  })

/** Runs a file of the tests by the runtime that runs them, and reads what the witness wrote down. */
export const runTraced = async (
  file: URL,
  args: ReadonlyArray<string>,
  { environment, folders, isWitnessed = true, seconds }: TracedOptions,
): Promise<Traced> => {
  const out = realpathSync(mkdtempSync(join(tmpdir(), "sluice-strace-")))
  const log = join(out, "log")
  writeFileSync(log, "")
  try {
    const words = [
      // The file alone: what is mounted cannot be deleted.
      ...enclosure([...folders, ["write", log, log]], { ...environment, ...ownVariables() }),
      ...(isWitnessed ? strace(log) : []),
      ...[runtimeProgram, ...runtimeWords, fileURLToPath(file), ...args],
    ]
    const result = await ended(words, seconds)
    const written = readFileSync(log, "utf8")
    if (isWitnessed && written === "") {
      throw new Error(`the witness did not start (${result.status}): ${result.stderr}`)
    }
    return { ...result, executions: readLog(written).slice(1) }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
