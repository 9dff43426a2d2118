import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync, spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { platform } from "node:os"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { tryLock } from "../../../../src/journal/stores/ndjson/fileLock.ts"
import { currentHolder, hasEnded, type LockHolder } from "../../../../src/journal/stores/ndjson/fileLock.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { type HostSystem, loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { eventually, pause } from "../../../support/eventually.ts"
import { scriptAnswer } from "../../../support/script.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, reasonOf, runtimeArgs } from "./support.ts"

const linux = platform() === "linux"

const system = loadHostSystem()

/** This process, as it stands in locks. */
const self = currentHolder(system, "self")

/** A pid that was a process's, which is gone. */
const deadPid = (): number => Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }))

/** A journal with another process's lock. */
const lockedBy = (holder: LockHolder | string) =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(NdjsonJournal.openStore({ path: file }))
    writeFileSync(`${file}.lock`, typeof holder === "string" ? holder : `${JSON.stringify(holder)}\n`)
    return file
  })

it.live("admits one writer, names it to the next, and admits that one afterwards", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.gen(function* () {
      yield* NdjsonJournal.openStore({ path: file })
      const error = yield* Effect.flip(Effect.scoped(NdjsonJournal.openStore({ path: file })))
      expect(error.reason).toEqual({ _tag: "Locked", by: `process ${process.pid}` })
      expect(error.message).toBe(`journal: ${file} was not opened: process ${process.pid} writes it`)
      // Readers take no lock.
      yield* Effect.scoped(NdjsonJournal.openStore({ path: file, mode: "read" }))
    }))
    expect(readdirSync(directory)).toEqual(["journal.ndjson"])
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 1)))
  }))

it.live("waits for the writer", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const options = { path: path("journal.ndjson"), lockTimeout: "10 seconds" } as const
    const scope = yield* Scope.make()
    yield* Scope.provide(NdjsonJournal.openStore(options), scope)
    const next = yield* Effect.forkChild(
      Effect.scoped(Effect.flatMap(NdjsonJournal.openStore(options), (store) => add(store, 1))),
    )
    yield* pause(60)
    expect(next.pollUnsafe()).toBeUndefined()
    yield* Scope.close(scope, Exit.void)
    expect(yield* Fiber.join(next)).toHaveLength(1)
  }))

it.effect("fails with Locked after the timeout, by the program's Clock", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const options = { path: path("journal.ndjson"), lockTimeout: "10 seconds" } as const
    yield* NdjsonJournal.openStore(options)
    const next = yield* Effect.forkChild(reasonOf(Effect.scoped(NdjsonJournal.openStore(options))))
    yield* TestClock.adjust("9 seconds")
    expect(next.pollUnsafe()).toBeUndefined()
    // Its timeout counts from its first attempt, which may come late on a busy machine.
    while (next.pollUnsafe() === undefined) {
      yield* TestClock.adjust("1 second")
      yield* pause(1)
    }
    expect(yield* Fiber.join(next)).toMatchObject({ _tag: "Locked" })
  }))

it.live("leaves no file when it is interrupted while it waits", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const options = { path: path("journal.ndjson"), lockTimeout: "1 minute" } as const
    yield* Effect.scoped(Effect.gen(function* () {
      yield* NdjsonJournal.openStore(options)
      const next = yield* Effect.forkChild(Effect.scoped(NdjsonJournal.openStore(options)))
      yield* pause(30)
      yield* Fiber.interrupt(next)
      expect(readdirSync(directory).toSorted()).toEqual(["journal.ndjson", "journal.ndjson.lock"])
    }))
  }))

const gone: Readonly<Record<string, () => LockHolder>> = {
  "of a process that is gone": () => ({ ...self, pid: deadPid(), token: "x" }),
  "of an ended process without further information": () => ({ pid: deadPid(), host: self.host, token: "x" }),
  ...(linux
    ? {
      "whose pid is another process's now": () => ({ ...self, start: "1", token: "x" }),
      "from before the machine was booted": () => ({ ...self, boot: "another", token: "x" }),
    }
    : undefined),
}

for (const [what, holder] of Object.entries(gone)) {
  it.live(`takes over a lock ${what}`, () =>
    Effect.gen(function* () {
      const file = yield* lockedBy(holder())
      yield* Effect.scoped(NdjsonJournal.openStore({ path: file }))
      expect(existsSync(`${file}.lock`)).toBe(false)
    }))
}

const unknown: Readonly<Record<string, readonly [LockHolder, string]>> = {
  "another host": [{ ...self, host: "elsewhere", pid: 1, token: "x" }, "process 1 on elsewhere"],
  "another host, that was booted another time": [
    { ...self, host: "elsewhere", boot: "another", pid: 999_999_999, token: "x" },
    "process 999999999 on elsewhere",
  ],
  ...(linux
    ? {
      "another pid namespace": [
        { ...self, namespace: "pid:[1]", pid: 999_999_999, token: "x" },
        "process 999999999",
      ] as const,
    }
    : undefined),
}

for (const [what, [holder, by]] of Object.entries(unknown)) {
  it.live(`never takes over a lock of ${what}, and advises to remove it`, () =>
    Effect.gen(function* () {
      const file = yield* lockedBy(holder)
      const before = readFileSync(`${file}.lock`, "utf8")
      const error = yield* Effect.flip(Effect.scoped(NdjsonJournal.openStore({ path: file })))
      expect(error.reason).toEqual({ _tag: "Locked", by })
      expect(error.message).toMatch(/; if that is certain to run no more, remove .*journal\.ndjson\.lock$/)
      expect(readFileSync(`${file}.lock`, "utf8")).toBe(before)
    }))
}

it.live("respects an invalid lock file for ten seconds", () =>
  Effect.gen(function* () {
    for (const text of ["", "{", "hello\n", "{}\n"]) {
      const file = yield* lockedBy(text)
      const error = yield* Effect.flip(Effect.scoped(NdjsonJournal.openStore({ path: file })))
      expect(error.reason).toEqual({ _tag: "Locked", by: "another process" })
      const old = Date.now() / 1_000 - 11
      utimesSync(`${file}.lock`, old, old)
      yield* Effect.scoped(NdjsonJournal.openStore({ path: file }))
    }
  }))

it.live("takes over although an earlier process died while taking over", () =>
  Effect.gen(function* () {
    const dead = { ...self, pid: deadPid() }
    const file = yield* lockedBy({ ...dead, token: "1" })
    writeFileSync(`${file}.lock.stale`, JSON.stringify({ ...dead, token: "2" }))
    writeFileSync(`${file}.lock.stale.stale`, JSON.stringify({ ...dead, token: "3" }))
    yield* Effect.scoped(NdjsonJournal.openStore({ path: file }))
    expect(readdirSync(system.path.dirname(file))).toEqual(["journal.ndjson"])
  }))

it("treats a holder of unknown state as running, and a zombie as ended", () => {
  const holder = { ...self, pid: 77, token: "x" }
  const asked = (kill: () => void, stat: string | undefined): HostSystem => ({
    ...system,
    kill,
    readText: () => {
      if (stat === undefined) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" })
      return stat
    },
  })
  const fail = (code: string) => () => {
    throw Object.assign(new Error(code), { code })
  }
  const ok = (): void => {}
  const stat = (state: string, start = self.start): string =>
    `77 (a (b) c) ${state} 1 77 77 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 ${start} 0 0`
  const cases: ReadonlyArray<readonly [boolean, () => void, string | undefined]> = [
    [true, fail("ESRCH"), undefined],
    [false, fail("EPERM"), undefined],
    [false, fail("EPERM"), stat("S")],
    [true, fail("EPERM"), stat("S", "12")],
    [false, ok, undefined],
    [false, ok, stat("R")],
    [true, ok, stat("Z")],
    [true, ok, stat("R", "12")],
  ]
  for (const [expected, kill, text] of cases) {
    expect(hasEnded(asked(kill, text), linux ? holder : { ...holder, start: self.start ?? "5" }, self)).toBe(expected)
  }
})

it.live("takes a lock on a file system without hard links", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const linkSync = (): void => {
      throw Object.assign(new Error("EPERM"), { code: "EPERM" })
    }
    const plain = { ...system, files: { ...system.files, linkSync } }
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.gen(function* () {
      yield* openStoreWith(plain, { path: file })
      expect(yield* reasonOf(Effect.scoped(openStoreWith(plain, { path: file })))).toMatchObject({ _tag: "Locked" })
      expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: file })))).toMatchObject({ _tag: "Locked" })
    }))
    writeFileSync(`${file}.lock`, JSON.stringify({ ...self, pid: deadPid(), token: "x" }))
    yield* Effect.scoped(openStoreWith(plain, { path: file }))
    expect(existsSync(`${file}.lock`)).toBe(false)
  }))

it.live("does not release a lock that another process has taken over", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const attempt = tryLock(system, path("lock"))
    if (!attempt.taken) return yield* Effect.die(new Error("it was not taken"))
    writeFileSync(path("lock"), "another's")
    attempt.lock.release()
    expect(readFileSync(path("lock"), "utf8")).toBe("another's")
  }))

it.live("is free after its holder was killed", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    const args = runtimeArgs(new URL("./lockHolder.fixture.ts", import.meta.url), file)
    const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] })
    const ended = new Promise((resolve) => child.on("exit", resolve))
    yield* eventually("the other process holds it", () => existsSync(`${file}.lock`))
    expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: file })))).toEqual({
      _tag: "Locked",
      by: `process ${child.pid}`,
    })
    child.kill("SIGKILL")
    yield* Effect.promise(() => ended)
    expect(existsSync(`${file}.lock`)).toBe(true)
    yield* Effect.scoped(NdjsonJournal.openStore({ path: file }))
  }))

it.live("is never held by two processes, under contention with stale locks", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const Answer = Schema.Struct({ taken: Schema.Int, left: Schema.Int, together: Schema.Int })
    const answers = yield* Effect.forEach(
      [1, 2, 3, 4],
      (seed) =>
        Effect.promise(() =>
          scriptAnswer(Answer, new URL("./fileLock.fixture.ts", import.meta.url), [path("lock"), String(seed), "60"])
        ),
      { concurrency: "unbounded" },
    )
    expect(answers.map(({ together }) => together)).toEqual([0, 0, 0, 0])
    expect(answers.map(({ taken }) => taken)).toEqual([60, 60, 60, 60])
    expect(answers.reduce((sum, { left }) => sum + left, 0)).toBeGreaterThan(40)
  }))
