/**
 * The hops of tool calls, each a daemon in a process of its own, which are killed at random moments and started again; on
 * NDJSON, which has one writer, all of them in one process with the program that makes the calls.
 *
 * SLUICE_KILLS: how often. SLUICE_KILLS_SEED: of the random numbers.
 */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"
import { Buffer } from "node:buffer"
import { fileURLToPath } from "node:url"
import { findRuntime, runtimeNames } from "../../scripts/runtimes.mjs"
import { AgentToolCall, AgentToolCallResult, ToolCallBranch, toolService } from "../../src/agent/mod.ts"
import { journalRequests } from "../../src/branch/journalRequests.ts"
import { requestDaemon } from "../../src/branch/requestDaemon.ts"
import { ComputeBranch } from "../../src/compute/mod.ts"
import { FileSystemBranch } from "../../src/files/FileSystemBranch.ts"
import type { Entry } from "../../src/journal/Entry.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { SpellcastingBranch } from "../../src/spell/mod.ts"
import { bundled } from "../support/bundled.ts"
import { pause } from "../support/eventually.ts"
import { type Random, random } from "../support/random.ts"
import { postgresIsHere, useServer } from "../support/postgres.ts"
import { workshop } from "../support/workshop.ts"
import { hopJournal } from "./hopJournal.ts"

const kills = Number(process.env["SLUICE_KILLS"] ?? 3)
const seed = Number(process.env["SLUICE_KILLS_SEED"] ?? 1)
const hops = ["spellcasting", "filesystem", "compute"] as const
type Hop = (typeof hops)[number] | "all"
const branches = [ToolCallBranch, SpellcastingBranch, FileSystemBranch, ComputeBranch]

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const thisRuntime = runtimeNames.find((name) => process.versions[name] !== undefined) ?? "node"

let hopFile = ""

beforeAll(async () => {
  hopFile = await bundled("tests/agent/hop.fixture.ts")
})

/** The daemon of a hop, once it is ready. It does not outlive the test. */
const startHop = (journal: string, hop: Hop, root: string) => {
  const program = findRuntime(thisRuntime, here("../.."))
  if (program === undefined) throw new Error(`no ${thisRuntime}`)
  const flags = thisRuntime === "deno" ? ["run", "-A", "--quiet"] : []
  return Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, [...flags, hopFile, journal, hop, root], {
        stdio: [hop === "all" ? "pipe" : "ignore", "pipe", "inherit"],
      })
      const exit = new Promise<void>((resolve) => void child.once("exit", () => resolve()))
      if (child.stdout === null) throw new Error("no pipe")
      const lines = createInterface({ input: child.stdout })
      const ready = new Promise<void>((resolve, reject) => {
        lines.once("line", () => resolve())
        void exit.then(() => reject(new Error(`${hop} has ended before it was ready`)))
      })
      ready.catch(() => {})
      /** Sends a call: its answer, or `undefined` if the process ends before. */
      const call = (line: string) =>
        Effect.promise(() =>
          Promise.race([
            new Promise<string>((resolve) => {
              lines.once("line", resolve)
              child.stdin?.write(`${line}\n`)
            }),
            exit.then(() => undefined),
          ])
        )
      child.stdin?.on("error", () => {})
      const end = Effect.promise(() => {
        child.stdin?.end()
        return exit
      })
      return { kill: killing(child, exit), ready: Effect.promise(() => ready), call, end }
    }),
    ({ kill }) => kill,
  )
}

const killing = (child: ChildProcess, exit: Promise<void>): Effect.Effect<void> => {
  let isOver = false
  void exit.then(() => isOver = true)
  return Effect.suspend(() => {
    if (!isOver && child.pid !== undefined) process.kill(child.pid, "SIGKILL")
    return Effect.promise(() => exit)
  })
}

const lines = 20_000

/** A text that shows whether it is whole, and which it is. */
const textOf = (version: number): string => `begin ${version}\n${`${version}\n`.repeat(lines)}end ${version}\n`
const versionOf = (text: string): number | undefined => {
  const version = Number(/^begin (\d+)\n/.exec(text)?.[1])
  return text === textOf(version) ? version : undefined
}

/** A tool call, and what must hold after it, whether it had a result or a failure. */
interface Trial {
  readonly name: string
  readonly input: Schema.Json
  readonly check: (root: string, result: AgentToolCallResult) => void
}

/** Four files are replaced again and again; each command appends one line. */
const trialOf = (version: number, { int }: Random): Trial => {
  if (int(0, 1) === 0) {
    const token = `token-${version}`
    return {
      name: "run_command",
      input: { command: "sh", arguments: ["-c", `echo ${token} >> "$0"`, "LOG"] },
      check: (root, { isFailure }) => {
        const log = existsSync(`${root}/log`) ? readFileSync(`${root}/log`, "utf8").split("\n") : []
        const count = log.filter((line) => line === token).length
        if (isFailure) expect(count).toBeLessThanOrEqual(1)
        else expect(count).toBe(1)
      },
    }
  }
  const path = `file-${int(1, 4)}`
  return {
    name: "write_file",
    input: { path, content: textOf(version) },
    check: (root, { isFailure }) => {
      if (!isFailure) expect(versionOf(readFileSync(`${root}/${path}`, "utf8"))).toBe(version)
    },
  }
}

const decodeResult = Schema.decodeUnknownSync(Schema.fromJsonString(AgentToolCallResult))

/** The lines of a file from an offset. */
const readFrom = (path: string, offset: number): ReadonlyArray<string> => {
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - offset))
    const length = readSync(file, bytes, 0, bytes.length, offset)
    return bytes.subarray(0, length).toString("utf8").split("\n")
  } finally {
    closeSync(file)
  }
}

const isFile = (name: string): boolean => /^file-\d+$/.test(name)

/** Each file is whole, at any time. */
const checkFiles = (root: string): void => {
  for (const name of readdirSync(root).filter(isFile)) {
    expect([name, versionOf(readFileSync(`${root}/${name}`, "utf8")) !== undefined]).toEqual([name, true])
  }
}

/** Requests and ends by branch and id. */
const countEntries = (entries: ReadonlyArray<Entry>) =>
  branches.flatMap(({ lastTags, name, request }) => {
    const counts = new Map<string, { requests: number; ends: number }>()
    for (const { branch, correlationId, tag } of entries) {
      if (branch !== name) continue
      const count = counts.get(correlationId) ?? { requests: 0, ends: 0 }
      if (request.tags.includes(tag)) count.requests++
      if (lastTags.includes(tag)) count.ends++
      counts.set(correlationId, count)
    }
    return [...counts].filter(([, { ends, requests }]) => ends + requests > 0)
      .map(([id, { ends, requests }]) => ({ name, id, ends, requests }))
  })

/**
 * Waits until what killed spells have begun has ended, and checks all entries: each request has ended once, and was made once,
 * unless the program that made it was killed itself.
 */
const checkJournal = (repeated: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const counts = Effect.map(journal.read({ maxEntries: 1_000_000 }), countEntries)
    let tries = 0
    while ((yield* counts).some(({ ends }) => ends === 0) && tries++ < 300) yield* pause(200)
    for (const { ends, id, name, requests } of yield* counts) {
      const wanted = repeated.includes(name) && requests > 0 ? requests : 1
      expect([name, id, requests, ends]).toEqual([name, id, wanted, 1])
    }
    yield* journal.verify()
  })

const server = useServer()
const serverPassword = () => Redacted.value(server().password)

/** Where the journal is: a file, or a server's options as JSON. */
const locations: Readonly<Record<string, (directory: string) => string>> = {
  "SQLite": (directory) => `${directory}/journal.db`,
  ...(postgresIsHere ? { "PostgreSQL": () => serverLocation() } : undefined),
}

const serverLocation = (): string => {
  const { database, host, port, schema, username } = server().options("hops")
  return JSON.stringify({
    host,
    port,
    database,
    username,
    schema,
    password: serverPassword(),
  })
}

const checkLog = (root: string): void => {
  const log = existsSync(`${root}/log`) ? readFileSync(`${root}/log`, "utf8").trimEnd().split("\n") : []
  expect(new Set(log).size).toBe(log.length)
}

const reportKills = (journal: string, root: string, failures: number, moments: ReadonlyMap<string, number>): void => {
  if (process.env["SLUICE_KILLS"] === undefined) return
  const left = readdirSync(root).filter((name) => !isFile(name) && name !== "log").length
  const report = { runtime: thisRuntime, journal, kills, failures, left, moments: Object.fromEntries(moments) }
  process.stderr.write(`${JSON.stringify(report, undefined, 2)}\n`)
}

const callOf = (round: number, { input, name }: Trial, root: string): AgentToolCall => {
  const text = JSON.stringify(input).replace("LOG", `${root}/log`)
  return AgentToolCall.make({ correlationId: `run/${round}/1`, callId: `c${round}`, name, arguments: JSON.parse(text) })
}

describe.runIf(process.platform === "linux")("the hops of a tool call", () => {
  it.live.each(Object.keys(locations))(
    `end each call once and leave each file whole, killed ${kills} times: %s`,
    (kind) =>
      Effect.gen(function* () {
        const files = yield* workshop
        const [path, root] = [locations[kind]?.(files.directory) ?? "", files.path("root")]
        mkdirSync(root)
        const { int, pick } = random(seed)
        const moments = new Map<string, number>()
        let failures = 0

        yield* Effect.gen(function* () {
          const journal = yield* Journal
          const tools = yield* journalRequests(
            ToolCallBranch,
            yield* toolService(yield* requestDaemon(SpellcastingBranch, { acceptTimeout: "2 minutes" })),
          )
          const daemons = new Map<Hop, Effect.Success<ReturnType<typeof startHop>>>()
          for (const hop of hops) daemons.set(hop, yield* startHop(path, hop, root))
          for (const { ready } of daemons.values()) yield* ready

          for (let round = 1; round <= kills; round++) {
            const trial = trialOf(round, { ...random(seed * 10_000 + round), pick })
            const call = callOf(round, trial, root)
            const { correlationId } = call
            const { position } = yield* journal.head
            const running = yield* Effect.forkChild(
              Stream.runHead(Stream.filter(tools.request(call), Schema.is(AgentToolCallResult))),
            )
            // At a random entry of the call, and a little later: between any two hops, and within one.
            const seen = journal.tail({ after: position }).pipe(
              Stream.filter((entry) => entry.correlationId.startsWith(correlationId)),
              Stream.take(int(1, 9)),
            )
            yield* Effect.raceFirst(Effect.ignore(Stream.runDrain(seen)), Fiber.await(running))
            yield* pause(int(0, 10))
            const hop = pick(hops)
            yield* daemons.get(hop)?.kill ?? Effect.void
            // Where the kill fell: the newest entry of the call.
            const newest = (yield* journal.readBackward({ maxEntries: 20 })).find((entry) =>
              entry.correlationId.startsWith(correlationId)
            )
            const moment = `${hop} after ${newest?.tag ?? "nothing"}`
            moments.set(moment, (moments.get(moment) ?? 0) + 1)
            const again = yield* startHop(path, hop, root)
            daemons.set(hop, again)
            yield* again.ready
            const result = Option.getOrThrow(yield* Fiber.join(running))
            if (result.isFailure) failures++
            trial.check(root, result)
            checkFiles(root)
          }

          yield* checkJournal()
        }).pipe(Effect.scoped, Effect.provide(hopJournal(path)))

        checkLog(root)
        checkFiles(root)
        reportKills(kind, root, failures, moments)
      }).pipe(Effect.scoped),
    600_000 + kills * 10_000,
  )

  it.live(
    `end each call once and leave each file whole in one process that is killed ${kills} times: NDJSON`,
    () =>
      Effect.gen(function* () {
        const files = yield* workshop
        const [path, root] = [files.path("journal.ndjson"), files.path("root")]
        mkdirSync(root)
        const { int, pick } = random(seed)
        const moments = new Map<string, number>()
        let failures = 0
        let program = yield* startHop(path, "all", root)
        yield* program.ready
        for (let round = 1; round <= kills; round++) {
          const trial = trialOf(round, { ...random(seed * 10_000 + round), pick })
          const call = callOf(round, trial, root)
          const line = JSON.stringify(call)
          const size = files.size("journal.ndjson")
          const running = yield* Effect.forkChild(program.call(line))
          // At a random entry of the call, and a little later.
          const target = int(1, 12)
          const count = () => readFrom(path, size).filter((entry) => entry.includes(call.correlationId)).length
          let tries = 0
          while (running.pollUnsafe() === undefined && count() < target && tries++ < 10_000) yield* pause(1)
          yield* pause(int(0, 5))
          yield* program.kill
          const tags = readFrom(path, size).flatMap((entry) => /"_tag":"(\w+)"/.exec(entry)?.[1] ?? [])
          const moment = `after ${tags.at(-1) ?? "nothing"}`
          moments.set(moment, (moments.get(moment) ?? 0) + 1)
          yield* Fiber.join(running)
          checkFiles(root)
          program = yield* startHop(path, "all", root)
          yield* program.ready
          const answer = yield* program.call(line)
          const result = decodeResult(answer)
          if (result.isFailure) failures++
          trial.check(root, result)
          checkFiles(root)
        }
        yield* Effect.provide(checkJournal(["agent", "spellcasting"]), hopJournal(path, "read"))
        yield* program.end
        checkLog(root)
        checkFiles(root)
        reportKills("NDJSON", root, failures, moments)
      }).pipe(Effect.scoped),
    600_000 + kills * 10_000,
  )
})
