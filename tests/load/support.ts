/** A server in a process of its own, what the system knows of it, its load, and what its journal says afterwards. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { listCommands } from "../../src/audit/Audit.ts"
import type { CommandRecord } from "../../src/audit/Audit.ts"
import { endTags, requestTags } from "../../src/audit/readRecord.ts"
import { Journal } from "../../src/journal/JournalService.ts"
import { make as openSqlite } from "../../src/journal/sqlite.ts"
import { Compute } from "../../src/shell/compute/Compute.ts"
import { findRuntime } from "../../scripts/runtimes.mjs"
import { pause } from "../support/eventually.ts"
import { type Crowd, type CrowdJob, decodeCrowd } from "./Crowd.ts"
import { decodeShot, type Job, type Shots } from "./Shot.ts"

export const token = "l0ad-token"

/** Whether this is the run that takes minutes: `npm test -- load-deno load-bun`. */
export const isLong = process.env["SLUICE_SUITE"] === "load"

/** What is looked at is Linux's /proc. */
export const onLinux = process.platform === "linux"

/** Time that a test has: none is as long, but where the machine has much else to do. */
export const testMillis = isLong ? 1_800_000 : 180_000

/** Waits until something is so, on a machine that has other things to do as well. */
export const until = (what: string, holds: () => boolean, seen: () => unknown = () => ""): Effect.Effect<void> =>
  Effect.gen(function* () {
    const end = performance.now() + testMillis / 2
    while (!holds()) {
      if (performance.now() > end) {
        return yield* Effect.die(new Error(`never came true: ${what} ${JSON.stringify(seen())}`))
      }
      yield* pause(20)
    }
  })

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // It has ended meanwhile.
    return ""
  }
}

const processes = (): ReadonlyArray<number> => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number)

/** Its parent, as proc_pid_stat(5) has it; the name before it may hold anything. */
const parentOf = (pid: number): number => Number(textOf(`/proc/${pid}/stat`).replace(/^.*\) /s, "").split(" ")[1])

/** Open files of a process. */
export interface OpenFiles {
  readonly all: number
  readonly sockets: number
}

const filesOf = (pid: number): OpenFiles => {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      // It was closed meanwhile.
      return undefined
    }
  }).filter((link) => link !== undefined)
  return { all: links.length, sockets: links.filter((link) => link.startsWith("socket:")).length }
}

/** Bytes: what is resident, and what is reachable. */
export interface Memory {
  readonly rss: number
  readonly heap: number
}

const memoryLine = `{"memory"`

const decodeMemory = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ memory: Schema.Struct({ rss: Schema.Number, heap: Schema.Number }) })),
)

/** A server, and what can be seen of it. */
export interface LoadServer {
  readonly pid: number
  readonly port: number
  readonly url: string
  readonly journal: string
  /** What it said on stderr beside its memory. */
  readonly noise: () => ReadonlyArray<string>
  readonly signal: (name: NodeJS.Signals) => void
  /** How it ended, or its signal. */
  readonly status: Effect.Effect<number | string>
  readonly files: () => OpenFiles
  /** What is resident now. */
  readonly resident: () => number
  /** What it needs when its garbage was collected. */
  readonly memory: Effect.Effect<Memory>
  /** Processes that it started, and those that these started: also when it has ended, and those that left their parents. */
  readonly left: () => ReadonlyArray<number>
}

const before: ReadonlyArray<string> = "Deno" in globalThis ? ["run", "-A", "--quiet", "--v8-flags=--expose-gc"] : []

/** A process with pipes; it is killed with the scope. */
const started = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] })
      child.stdin.on("error", () => {})
      return child
    }),
    (child) => Effect.sync(() => child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")),
  )

const linesOf = (child: ChildProcess, from: "stdout" | "stderr", line: (text: string) => void): void => {
  let rest = ""
  child[from]?.on("data", (bytes) => {
    const parts = (rest + String(bytes)).split("\n")
    rest = parts.pop() ?? ""
    for (const part of parts) line(part)
  })
}

/** Starts `sluice serve` on a journal in SQLite, on this runtime; it is killed with the scope. */
export const startServer = (journal: string, ...flags: ReadonlyArray<string>): Effect.Effect<
  LoadServer,
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const mark = randomUUID()
    const file = fileURLToPath(new URL("./serve.ts", import.meta.url))
    const words = ["serve", "--port", "0", "--token", token, "--journal", journal, ...flags]
    const child = yield* started(process.execPath, [...before, file, ...words], { SLUICE_LOAD: mark })
    const pid = child.pid ?? 0
    const out: Array<string> = []
    const err: Array<string> = []
    let status: number | string | undefined
    linesOf(child, "stdout", (line) => out.push(line))
    linesOf(child, "stderr", (line) => err.push(line))
    child.on("close", (code, signal) => {
      status = code ?? signal ?? "?"
    })
    yield* until("the server says where it listens", () => out.length > 0 || status !== undefined)
    const url = (out[0] ?? "").replace(/exec$/, "")
    if (url === "") return yield* Effect.die(new Error(`the server ended with ${status}: ${err.join("\n")}`))
    return {
      pid,
      port: Number(new URL(url).port),
      url,
      journal,
      noise: () => err.filter((line) => !line.startsWith(memoryLine)),
      signal: (name) => {
        if (status === undefined) process.kill(pid, name)
      },
      status: Effect.map(until("the server ends", () => status !== undefined), () => status ?? "?"),
      files: () => filesOf(pid),
      resident: () => Number(/^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) * 1_024,
      memory: Effect.gen(function* () {
        const seen = err.length
        child.stdin.write("memory\n")
        const found = (): string | undefined => err.slice(seen).find((line) => line.startsWith(memoryLine))
        yield* until("the server says what memory it needs", () => found() !== undefined)
        return decodeMemory(found()).memory
      }),
      left: () =>
        processes().filter((other) =>
          other !== pid &&
          (parentOf(other) === pid || textOf(`/proc/${other}/environ`).split("\0").includes(`SLUICE_LOAD=${mark}`))
        ),
    }
  })

/** A load while it comes. */
export interface Load {
  /** The commands that were answered with 200, as far as it is known. */
  readonly ran: ReadonlyArray<string>
  readonly shots: Effect.Effect<Shots>
}

interface Script {
  readonly ended: () => boolean
  readonly stderr: () => string
  readonly say: (text: string) => void
}

/** A script of this directory, in a process of its own on Node: what tests the server must not be what is slow. */
const script = (
  name: string,
  job: object,
  line: (text: string) => void,
): Effect.Effect<Script, never, Scope.Scope> =>
  Effect.gen(function* () {
    const root = fileURLToPath(new URL("../..", import.meta.url))
    const file = fileURLToPath(new URL(name, import.meta.url))
    const child = yield* started(findRuntime("node", root) ?? "node", ["--no-warnings", file, JSON.stringify(job)], {})
    const err: Array<string> = []
    let ended = false
    linesOf(child, "stdout", line)
    linesOf(child, "stderr", (text) => err.push(text))
    child.on("close", () => {
      ended = true
    })
    return { ended: () => ended, stderr: () => err.join("\n"), say: (text) => void child.stdin.write(`${text}\n`) }
  })

/** Begins to send commands by the load tool, which is killed with the scope. */
export const shoot = (
  { url }: LoadServer,
  job: Partial<Job> & Pick<Job, "name" | "amount" | "connections">,
): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.gen(function* () {
    const whole: Job = { url, token, command: ["echo"], ...job }
    const ran: Array<string> = []
    let shots: Shots | undefined
    const { ended, stderr } = yield* script("./cannon.ts", whole, (line) => {
      const shot = decodeShot(line)
      ran.push(...shot.ran)
      shots = shot.shots
    })
    return {
      ran,
      shots: Effect.flatMap(
        until("the load tool ends", ended),
        () => shots === undefined ? Effect.die(new Error(`the load tool broke: ${stderr()}`)) : Effect.succeed(shots),
      ),
    }
  })

/** Readers of one command. */
export interface Readers {
  readonly seen: () => Crowd
  /** How many have come to the end. */
  readonly finished: () => number
  /** The slow ones read the rest as fast as they can. */
  readonly hurry: () => void
}

/** Begins to read a command by many, who are gone with the scope. */
export const crowd = (
  { url }: LoadServer,
  job: Omit<CrowdJob, "url" | "token">,
): Effect.Effect<Readers, never, Scope.Scope> =>
  Effect.gen(function* () {
    let seen: Crowd = { begun: 0, digests: {}, vanished: 0, broken: [], slowest: 0 }
    const { say } = yield* script("./readers.ts", { url, token, ...job }, (line) => {
      seen = decodeCrowd(line)
    })
    return {
      seen: () => seen,
      finished: () => Object.values(seen.digests).reduce((sum, count) => sum + count, 0),
      hurry: () => say("hurry"),
    }
  })

/** Commands that warm a server up. */
export const warmUps = 200

/** The server as it is when it has had some work, and none now: its open files. */
export const warmedUp = (server: LoadServer): Effect.Effect<OpenFiles, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* (yield* shoot(server, { name: "warm", amount: warmUps, connections: 50 })).shots
    yield* server.memory
    yield* until("the warm server is still", () => server.left().length === 0)
    return server.files()
  })

/** Nothing is left of what was done: no process, no file, no socket, but for connections that are known to stay. */
export const cleanedUp = (server: LoadServer, before: OpenFiles, staying = 0): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* until("no process is left", () => server.left().length === 0)
    yield* until("no file is left open", () => {
      const { all, sockets } = server.files()
      return all <= before.all + staying && sockets <= before.sockets + staying
    }, () => [before, server.files()])
  })

/** What a journal says of its commands. */
export interface Report {
  readonly commands: ReadonlyMap<string, CommandRecord>
  /** How many entries ask for a command, and how many end it, by its id. */
  readonly requests: ReadonlyMap<string, number>
  readonly ends: ReadonlyMap<string, number>
}

const counted = (ids: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** Reads a journal of whoever has written it, or still does; its chain is computed again. */
export const readReport = (path: string): Effect.Effect<Report, unknown> =>
  Effect.scoped(Effect.gen(function* () {
    const journal = yield* openSqlite({ path, create: false, readOnly: true })
    yield* journal.verify()
    const commands = yield* Stream.runCollect(Stream.provideService(listCommands(), Journal, journal))
    const ids = (tags: ReadonlyArray<string>) => {
      const page = (after: number) =>
        Effect.map(
          journal.read({ after, filter: { branch: Compute.name, tags }, limit: 1_000 }),
          (entries) => [entries, Option.fromUndefinedOr(entries.at(-1)?.position)] as const,
        )
      return Effect.map(
        Stream.runCollect(Stream.paginate(0, page)),
        (entries) => counted(entries.map(({ correlationId }) => correlationId)),
      )
    }
    return {
      commands: new Map(commands.map((record) => [record.commandId, record])),
      requests: yield* ids(requestTags),
      ends: yield* ids(endTags),
    }
  }))

/** Commands that were not asked for once and ended once. */
export const notOnce = ({ ends, requests }: Report): ReadonlyArray<string> =>
  [...new Set([...requests.keys(), ...ends.keys()])].filter((id) => requests.get(id) !== 1 || ends.get(id) !== 1)

/** How the commands of a journal ended, and how many so. */
export const endsOf = ({ commands }: Report): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { state } of commands.values()) {
    const how = state._tag === "Exited"
      ? `exit ${state.exitCode}`
      : state._tag === "Faulted"
      ? state.reason._tag
      : state._tag
    counts[how] = (counts[how] ?? 0) + 1
  }
  return counts
}
