/** A daemon that is suspended for longer than its lease, and goes on after another has taken its request over. */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { mkdirSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { findRuntime, runtimeNames } from "../../scripts/runtimes.mjs"
import { decodeBranchEntry } from "../../src/branch/BranchEntry.ts"
import { FileSystemBranch } from "../../src/files/FileSystemBranch.ts"
import { DaemonFileSystem, Files } from "../../src/leaves/files/mod.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { bundled } from "../support/bundled.ts"
import { pause } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { hopJournal } from "./hopJournal.ts"

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const thisRuntime = runtimeNames.find((name) => process.versions[name] !== undefined) ?? "node"
const rounds = Number(process.env["SLUICE_PAUSES"] ?? 2)

let hopFile = ""

beforeAll(async () => {
  hopFile = await bundled("tests/agent/hop.fixture.ts")
})

const startDaemon = (journal: string, root: string) =>
  Effect.acquireRelease(
    Effect.promise(() => {
      const flags = thisRuntime === "deno" ? ["run", "-A", "--quiet"] : []
      const program = findRuntime(thisRuntime, here("../.."))
      if (program === undefined) throw new Error(`no ${thisRuntime}`)
      const child = spawn(program, [...flags, hopFile, journal, "filesystem", root], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, HOP_LEASE: "900" },
      })
      const exit = new Promise<void>((resolve) => void child.once("exit", () => resolve()))
      return new Promise<{ readonly pid: number; readonly exit: Promise<void> }>((resolve) =>
        child.stdout.once("data", () => resolve({ pid: child.pid ?? 0, exit }))
      )
    }),
    ({ exit, pid }) =>
      Effect.promise(() => {
        process.kill(pid, "SIGKILL")
        return exit
      }),
  )

const size = 24 * 1024 * 1024

/** Content that shows whether it is whole, and which it is. */
const contentOf = (version: number): Stream.Stream<Uint8Array> =>
  Stream.fromIterable(Array.from({ length: 24 }, () => new Uint8Array(size / 24).fill(version)))

describe.runIf(process.platform === "linux")("a daemon that is suspended", () => {
  it.live(
    "ends no request twice, leaves whole files, and serves again",
    () =>
      Effect.gen(function* () {
        const shop = yield* workshop
        const [path, root] = [shop.path("journal.db"), shop.path("root")]
        mkdirSync(root)
        yield* Effect.gen(function* () {
          const journal = yield* Journal
          const daemons = [yield* startDaemon(path, root), yield* startDaemon(path, root)]
          let late = 0
          for (let round = 1; round <= rounds; round++) {
            const { position } = yield* journal.head
            const write = (version: number) => Effect.result(Files.write("a", contentOf(version)))
            const first = yield* Effect.forkChild(write(2 * round))
            const filter = { branch: FileSystemBranch.name, tags: ["LeaseTaken"] }
            const [taken] = yield* journal.waitFor({ after: position, filter }).pipe(
              Effect.andThen(journal.read({ after: position, filter, maxEntries: 1 })),
            )
            const lease = taken === undefined ? undefined : decodeBranchEntry(FileSystemBranch, taken)
            const pid = lease?._tag === "LeaseTaken" ? lease.host.pid : 0
            expect(daemons.map((daemon) => daemon.pid)).toContain(pid)
            yield* pause(5 * round)
            process.kill(pid, "SIGSTOP")
            const lost = yield* Fiber.join(first)
            const second = yield* write(2 * round + 1)
            expect(Result.isSuccess(second)).toBe(true)
            process.kill(pid, "SIGCONT")
            if (Result.isFailure(lost)) {
              expect(lost.failure.message).toContain("its outcome is unknown")
            }
            yield* pause(1_500)
            const found = yield* Files.read("a")
            expect([found.length, new Set(found).size]).toEqual([size, 1])
            expect([2 * round, 2 * round + 1]).toContain(found[0])
            if (Result.isFailure(lost) && found[0] === 2 * round) late++
          }
          // Both serve.
          const reads = yield* Effect.all(Array.from({ length: 20 }, () => Files.stat("a")), { concurrency: 20 })
          expect(reads.length).toBe(20)
          const ends = yield* journal.read({
            filter: { branch: "filesystem", tags: FileSystemBranch.lastTags },
            maxEntries: 10_000,
          })
          expect(new Set(ends.map(({ correlationId }) => correlationId)).size).toBe(ends.length)
          // A staged file that a run which was taken over has left is not there.
          expect(readdirSync(root)).toEqual(["a"])
          if (process.env["SLUICE_PAUSES"] !== undefined) process.stderr.write(`${late} of ${rounds} ended late\n`)
        }).pipe(
          Effect.provide(DaemonFileSystem.layerWith({ acceptTimeout: "1 minute" })),
          Effect.provide(hopJournal(path)),
        )
      }).pipe(Effect.scoped),
    600_000,
  )
})
