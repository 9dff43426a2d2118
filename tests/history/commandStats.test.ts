import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Redacted from "effect/Redacted"
import { Audit } from "../../src/history/mod.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { ask, deadHost, exit, fault, onJournal, ran, take, write } from "./support.ts"

it.effect("counts commands by outcome and by program, most first", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(1_000)
    yield* ran("c1", ["git", "log"])
    yield* ran("c2", ["git", "status"], 1)
    yield* ran("c3", ["npm", "test"])
    yield* ask("c4", ["npm", "run"])
    yield* exit("c4", 143, { signal: "SIGTERM", stdoutBytes: 10, stderrBytes: 5, duration: 100 })
    yield* ask("c5", ["git", "push"])
    yield* TestClock.adjust("3 seconds")
    yield* fault("c5", { _tag: "Timeout", kind: "total", afterMillis: 3_000 })
    yield* ask("c6", ["make"])
    expect(yield* Audit.stats()).toEqual({
      commands: 6,
      outcomes: new Map([["exit 0", 2], ["SIGTERM", 1], ["Timeout", 1], ["exit 1", 1], ["open", 1]]),
      programs: [
        { program: "git", commands: 3, failed: 2, durationMillis: 3_024 },
        { program: "npm", commands: 2, failed: 1, durationMillis: 112 },
        { program: "make", commands: 1, failed: 0, durationMillis: 0 },
      ],
      stdoutBytes: 10,
      stderrBytes: 5,
      first: 1_000,
      last: 4_000,
    })
    expect((yield* Audit.stats({ programs: 1 })).programs).toHaveLength(1)
  }).pipe(onJournal))

it.effect("counts nothing in an empty journal, nor ends whose requests were pruned", () =>
  Effect.gen(function* () {
    const none = { commands: 0, outcomes: new Map(), programs: [], stdoutBytes: 0, stderrBytes: 0 }
    expect(yield* Audit.stats()).toMatchObject(none)
    yield* ran("c1")
    yield* (yield* Journal).prune({ through: 1 })
    expect(yield* Audit.stats()).toMatchObject(none)
  }).pipe(onJournal))

it("names every outcome", () => {
  expect(Audit.outcomeName({ _tag: "Exited", exitCode: 3, signal: undefined })).toBe("exit 3")
  expect(Audit.outcomeName({ _tag: "Exited", exitCode: 137, signal: "SIGKILL" })).toBe("SIGKILL")
  expect(Audit.outcomeName({ _tag: "Faulted", reason: { _tag: "Cancelled" }, message: "" })).toBe("Cancelled")
  expect(Audit.outcomeName({ _tag: "Unreadable", what: "pruned" })).toBe("Unreadable")
})

it.effect("finds commands without an end, oldest first, and leaves out commands that will not run again", () =>
  Effect.gen(function* () {
    const host = yield* deadHost
    expect(yield* Audit.unfinished).toEqual([])
    yield* ask("waits")
    yield* ran("ended")
    yield* ask("lost")
    yield* take("lost", { host })
    yield* ask("again", ["true"], { onHostLoss: "rerun" })
    yield* take("again", { host })
    yield* ask("runs")
    yield* take("runs")
    // One that is run a second time is open again.
    yield* ran("twice")
    yield* ask("twice")
    yield* take("twice")
    expect((yield* Audit.unfinished).map(({ commandId, state }) => `${commandId} ${state._tag}`)).toEqual([
      "waits Waiting",
      "again Lost",
      "runs Running",
      "twice Running",
    ])
  }).pipe(onJournal))

it.effect("finds open commands in a journal longer than one page", () =>
  Effect.gen(function* () {
    yield* ask("oldest")
    for (let n = 0; n < 200; n++) yield* ran(`c${n}`)
    yield* ask("newest")
    expect((yield* Audit.unfinished).map(({ commandId }) => commandId)).toEqual(["oldest", "newest"])
  }).pipe(onJournal))

it.effect("finds the position of a time, from the first to the last and where entries were pruned", () =>
  Effect.gen(function* () {
    const note = Journal.append([{ branch: "notes", correlationId: "n", body: { _tag: "Noted" } }])
    expect(yield* Audit.positionAt(0)).toBe(0)
    for (let n = 0; n < 10; n++) {
      yield* TestClock.setTime(1_000 * n)
      yield* note
      yield* note
    }
    const at = (time: number) => Audit.positionAt(time)
    expect(yield* Effect.forEach([-1, 0, 1, 1_000, 1_001, 8_999, 9_000, 9_001, 1e9], at)).toEqual([
      0,
      0,
      2,
      2,
      4,
      18,
      18,
      20,
      20,
    ])
    yield* (yield* Journal).prune({ through: 10 })
    expect(yield* Effect.forEach([0, 4_000, 6_000], at)).toEqual([10, 10, 12])
  }).pipe(onJournal))

it.effect("finds the first position of a time or later where the clock stepped back", () =>
  Effect.gen(function* () {
    const note = Journal.append([{ branch: "notes", correlationId: "n", body: { _tag: "Noted" } }])
    for (const time of [1_000, 9_000, 9_000, 2_000, 2_000, 2_000, 3_000, 3_000]) {
      yield* TestClock.setTime(time)
      yield* note
    }
    expect(yield* Effect.forEach([1_500, 2_500, 9_500], Audit.positionAt)).toEqual([1, 1, 8])
  }).pipe(onJournal))

it.effect("encodes a command as JSON with secrets as markers, without unknown fields", () =>
  Effect.gen(function* () {
    yield* Journal.append([])
    yield* ask("c1", ["curl", "-u"], { cwd: "/srv", env: { TOKEN: Redacted.make("s3cret") } })
    yield* take("c1")
    yield* write("c1", { text: "x" })
    yield* exit("c1", 22, { stdoutBytes: 1, executable: "/usr/bin/curl" })
    const json: unknown = JSON.parse(JSON.stringify(Audit.recordJson(yield* Audit.find("c1"))))
    expect(json).toEqual({
      commandId: "c1",
      position: 1,
      state: "exited",
      exitCode: 22,
      requested: 0,
      ended: 0,
      durationMillis: 12,
      stdoutBytes: 1,
      stderrBytes: 0,
      attempts: 1,
      line: "curl -u",
      command: "curl",
      arguments: ["-u"],
      useShell: false,
      workingDirectory: "/srv",
      executable: "/usr/bin/curl",
      host: expect.any(String),
      pid: process.pid,
    })
    expect(JSON.stringify(json)).not.toContain("s3cret")
    yield* ask("c2", ["true"])
    expect(JSON.parse(JSON.stringify(Audit.recordJson(yield* Audit.find("c2"))))).toEqual({
      commandId: "c2",
      position: 5,
      state: "waiting",
      requested: 0,
      attempts: 0,
      line: "true",
      command: "true",
      arguments: [],
      useShell: false,
    })
  }).pipe(onJournal))
