/**
 * The hops of tool calls, each a daemon in a process of its own, which are killed at random moments and started again.
 *
 * SLUICE_KILLS: how often. SLUICE_KILLS_SEED: of the random numbers.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { findRuntime, runtimeNames } from "../../scripts/runtimes.mjs"
import { AgentToolCall, type AgentToolCallResult, ToolCallBranch, toolService } from "../../src/agent/mod.ts"
import { journalRequests } from "../../src/branch/journalRequests.ts"
import { requestDaemon } from "../../src/branch/requestDaemon.ts"
import { ComputeBranch } from "../../src/compute/Compute.ts"
import { FileSystemBranch } from "../../src/files/FileSystemBranch.ts"
import type { Entry } from "../../src/journal/Entry.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { SpellcastingBranch } from "../../src/spell/mod.ts"
import { pause } from "../support/eventually.ts"
import { type Random, random } from "../support/random.ts"
import { workshop } from "../support/workshop.ts"

const kills = Number(process.env["SLUICE_KILLS"] ?? 6)
const seed = Number(process.env["SLUICE_KILLS_SEED"] ?? 1)
const hops = ["spellcasting", "filesystem", "compute"] as const
type Hop = (typeof hops)[number]
const branches = [ToolCallBranch, SpellcastingBranch, FileSystemBranch, ComputeBranch]

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const thisRuntime = runtimeNames.find((name) => process.versions[name] !== undefined) ?? "node"

/** The daemon of a hop, once it is ready. It does not outlive the test. */
const startHop = (journal: string, hop: Hop, root: string) => {
  const program = findRuntime(thisRuntime, here("../.."))
  if (program === undefined) throw new Error(`no ${thisRuntime}`)
  const flags = thisRuntime === "deno" ? ["run", "-A", "--quiet"] : []
  return Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, [...flags, here("./hop.fixture.ts"), journal, hop, root], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      const exit = new Promise<void>((resolve) => void child.once("exit", () => resolve()))
      const ready = new Promise<void>((resolve) => void child.stdout.once("data", () => resolve()))
      return { kill: killing(child, exit), ready: Effect.promise(() => ready) }
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

const isFile = (name: string): boolean => /^file-\d+$/.test(name)

/** Each file is whole, at any time. */
const checkFiles = (root: string): void => {
  for (const name of readdirSync(root).filter(isFile)) {
    expect([name, versionOf(readFileSync(`${root}/${name}`, "utf8")) !== undefined]).toEqual([name, true])
  }
}

/** Each request was made once and has ended once; only one that reads may have been run more than once. */
const checkEntries = (entries: ReadonlyArray<Entry>): void => {
  for (const { lastTags, name, request } of branches) {
    const counts = new Map<string, { requests: number; ends: number; leases: number }>()
    for (const { branch, correlationId, tag } of entries) {
      if (branch !== name) continue
      const count = counts.get(correlationId) ?? { requests: 0, ends: 0, leases: 0 }
      if (request.tags.includes(tag)) count.requests++
      if (lastTags.includes(tag)) count.ends++
      counts.set(correlationId, count)
    }
    for (const [id, { ends, requests }] of counts) {
      if (requests === 0 && ends === 0) continue
      expect([name, id, requests, ends]).toEqual([name, id, 1, 1])
    }
  }
}

describe.runIf(process.platform === "linux")("the hops of a tool call", () => {
  it.live(
    `end each call once and leave each file whole, killed ${kills} times`,
    () =>
      Effect.gen(function* () {
        const files = yield* workshop
        const [path, root] = [files.path("journal.db"), files.path("root")]
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
            const { check, input, name } = trialOf(round, { ...random(seed * 10_000 + round), pick })
            const correlationId = `run/${round}/1`
            const text = JSON.stringify(input).replace("LOG", `${root}/log`)
            const call = AgentToolCall.make({ correlationId, callId: `c${round}`, name, arguments: JSON.parse(text) })
            const { position } = yield* journal.head
            const running = yield* Effect.forkChild(Stream.runHead(tools.request(call)))
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
            const newest = (yield* journal.readBackward({ limit: 20 })).find((entry) =>
              entry.correlationId.startsWith(correlationId)
            )
            const moment = `${hop} after ${newest?.tag ?? "nothing"}`
            moments.set(moment, (moments.get(moment) ?? 0) + 1)
            const again = yield* startHop(path, hop, root)
            daemons.set(hop, again)
            yield* again.ready
            const result = Option.getOrThrow(yield* Fiber.join(running))
            if (result.isFailure) failures++
            check(root, result)
            checkFiles(root)
          }

          // What a killed spell has begun ends by itself.
          const openBranches = Effect.map(journal.read({ limit: 1_000_000 }), (entries) =>
            branches.filter(({ lastTags, name, request }) => {
              const count = (tags: ReadonlyArray<string>) =>
                entries.filter(({ branch, tag }) =>
                  branch === name && tags.includes(tag)
                ).length
              return count(request.tags) !== count(lastTags)
            }))
          let tries = 0
          while ((yield* openBranches).length > 0 && tries++ < 300) yield* pause(200)
          const entries = yield* journal.read({ limit: 1_000_000 })
          checkEntries(entries)
        }).pipe(Effect.scoped, Effect.provide(SqliteJournal.layer({ path })))

        const log = existsSync(`${root}/log`) ? readFileSync(`${root}/log`, "utf8").trimEnd().split("\n") : []
        expect(new Set(log).size).toBe(log.length)
        checkFiles(root)
        if (process.env["SLUICE_KILLS"] !== undefined) {
          const rest = readdirSync(root).filter((name) => !isFile(name) && name !== "log")
          const report = {
            runtime: thisRuntime,
            kills,
            failures,
            left: rest.length,
            moments: Object.fromEntries(moments),
          }
          process.stderr.write(`${JSON.stringify(report, undefined, 2)}\n`)
        }
      }).pipe(Effect.scoped),
    600_000 + kills * 10_000,
  )
})
