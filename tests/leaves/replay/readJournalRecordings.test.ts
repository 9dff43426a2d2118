import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { cmd, Shell, ShellExec } from "@sluice/shell"
import { ComputeBranch } from "@sluice/shell/daemon"
import { type Draft, Journal } from "@sluice/shell/journal"
import { MockRun, MockShell } from "@sluice/shell/testing"
import { draftBranchEntry } from "../../../src/branch/BranchEntry.ts"
import { draftEvent, draftRequest } from "../../../src/branch/BranchDefinition.ts"
import { currentHost } from "../../../src/branch/HostIdentity.ts"
import { readJournalRecordings } from "../../../src/leaves/replay/readJournalRecordings.ts"
import { allOf, journal, recording, replaying, textOf } from "./support.ts"

const echo = [MockShell.on("echo", ({ arguments: [word] }) => MockRun.stdout(`${word}\n`))]

const request = (commandId: string, word = "x"): Draft =>
  draftRequest(ComputeBranch, ShellExec.make("echo", [word], { commandId }))

const chunk = (commandId: string, content: string, seq = 0): Draft =>
  draftEvent(ComputeBranch, {
    _tag: "ShellOutputChunks",
    commandId,
    fromSeq: seq,
    toSeq: seq,
    chunks: [{ content, seq, stream: "stdout", timestamp: 0 }],
  })

const end = (commandId: string, exitCode = 0): Draft =>
  draftEvent(ComputeBranch, {
    _tag: "ShellOutput",
    commandId,
    exitCode,
    duration: 0,
    completed: 0,
    drain: "eof",
    executable: "/bin/echo",
    stdoutBytes: 0,
    stderrBytes: 0,
    stdoutBytesOmitted: 0,
    stderrBytesOmitted: 0,
  })

const lease = (commandId: string, attempt: number) =>
  Effect.map(
    currentHost,
    (host) =>
      draftBranchEntry(ComputeBranch, commandId, {
        _tag: "LeaseTaken",
        daemonId: "d",
        host,
        attempt,
        leaseMillis: 1_000,
      }),
  )

const idsOf = (most = 100) =>
  Effect.gen(function* () {
    const recordings = yield* readJournalRecordings(yield* Journal, most)
    return recordings.map(({ exec }) => exec.commandId)
  })

it.effect("reads the runs that have ended, in the order of their requests", () =>
  Effect.gen(function* () {
    yield* Journal.append([request("a"), request("b"), request("open"), end("b"), chunk("open", "so far\n"), end("a")])
    expect(yield* idsOf()).toEqual(["a", "b"])
  }).pipe(journal))

it.effect("reads the newest recordings if there are more than maxRecordings", () =>
  Effect.gen(function* () {
    const ids = Array.from({ length: 1_200 }, (_, n) => `c${n}`)
    yield* Journal.append(ids.flatMap((id) => [request(id), end(id)]))
    expect(yield* idsOf(3)).toEqual(["c1197", "c1198", "c1199"])
    expect((yield* idsOf(5_000)).length).toBe(1_200)
  }).pipe(journal))

it.effect("distinguishes consecutive runs with the same id", () =>
  Effect.gen(function* () {
    yield* Journal.append([request("a"), chunk("a", "1"), end("a", 1), request("a"), chunk("a", "2"), end("a", 2)])
    const runs = Effect.forEach([1, 2], () => allOf(cmd`echo x`)).pipe(replaying({ speed: "max" }))
    expect((yield* runs).map(([events]) => [textOf(events), events.at(-1)])).toMatchObject([
      ["1", { exitCode: 1 }],
      ["2", { exitCode: 2 }],
    ])
  }).pipe(journal))

it.effect("plays the last attempt of a command that was run again after its host was lost", () =>
  Effect.gen(function* () {
    yield* Journal.append([
      request("a"),
      yield* lease("a", 1),
      chunk("a", "lost\n"),
      yield* lease("a", 2),
      chunk("a", "again\n"),
      // Taken over only to end it: the output before it counts.
      yield* lease("a", 2),
      end("a"),
    ])
    const [events] = yield* allOf(cmd`echo x`).pipe(replaying({ speed: "max" }))
    expect(textOf(events)).toBe("again\n")
  }).pipe(journal))

it.effect("reads output page by page, all of it and in order", () =>
  Effect.gen(function* () {
    const lines = Array.from({ length: 100 }, (_, n) => `line ${n}\n`)
    const others = lines.map((line, n) => chunk("b", line, n))
    yield* Journal.append([request("a"), request("b", "y"), ...lines.map((line, n) => chunk("a", line, n)), ...others])
    yield* Journal.append([end("b"), end("a")])
    const [events] = yield* allOf(cmd`echo x`).pipe(replaying({ speed: "max" }))
    expect(textOf(events)).toBe(lines.join(""))
  }).pipe(journal))

it.effect("reads a recording only as far as it is pulled", () =>
  Effect.gen(function* () {
    const lines = Array.from({ length: 200 }, (_, n) => chunk("a", `line ${n}\n`, n))
    yield* Journal.append([request("a"), ...lines, end("a")])
    const real = yield* Journal
    let read = 0
    const counted = Journal.of({
      ...real,
      read: (options) => Effect.tap(real.read(options), (entries) => Effect.sync(() => void (read += entries.length))),
    })
    yield* Effect.gen(function* () {
      const before = read
      yield* Shell.exec(cmd`echo x`).pipe(Stream.take(1), Stream.runDrain)
      expect(read - before).toBeLessThan(40)
    }).pipe(replaying({ speed: "max" }), Effect.provideService(Journal, counted))
  }).pipe(journal))

it.effect("skips pruned entries", () =>
  Effect.gen(function* () {
    for (const word of ["a", "b", "c"]) {
      yield* Shell.run(ShellExec.make("echo", [word], { commandId: word })).pipe(recording(echo))
    }
    const { prune, read } = yield* Journal
    yield* prune({ correlationIds: ["b"] })
    const [first] = (yield* read({ filter: { correlationId: "a", tags: ["ShellOutput"] } })).slice(-1)
    yield* prune({ through: (first?.position ?? 0) - 1 })
    expect(yield* idsOf()).toEqual(["c"])
  }).pipe(journal))

it.effect("replays the entries at the time it is made, and no later ones", () =>
  Effect.gen(function* () {
    yield* Journal.append([request("a", "early"), end("a")])
    yield* Effect.gen(function* () {
      yield* Journal.append([request("b", "late"), end("b")])
      yield* Shell.run(cmd`echo early`)
      const fault = yield* Effect.flip(Shell.run(cmd`echo late`))
      expect(fault.reason).toEqual({ _tag: "Unknown", code: "EUNRECORDED" })
    }).pipe(replaying({ speed: "max" }))
  }).pipe(journal))

it.effect("fails when a request cannot be read, and when output cannot", () =>
  Effect.gen(function* () {
    yield* Journal.append([
      request("a"),
      { branch: "compute", correlationId: "a", body: { _tag: "ShellOutputChunks", chunks: "none" } },
      end("a"),
    ])
    const fault = yield* Effect.flip(Shell.run(cmd`echo x`)).pipe(replaying({ speed: "max" }))
    expect(fault.reason).toEqual({ _tag: "JournalFailed", what: "Corrupt" })
    expect(fault.message).toMatch(/^exec: echo cannot be replayed: entry 2 \(ShellOutputChunks\) cannot be read/)
    yield* Journal.append([{ branch: "compute", correlationId: "z", body: { _tag: "ShellExec", command: 1 } }])
    const error = yield* Effect.flip(Effect.asVoid(Shell.pipe(replaying())))
    expect(error).toMatchObject({ reason: { _tag: "Corrupt", position: 4 } })
  }).pipe(journal))

it.effect("plays the other commands of a journal in which a later version has written", () =>
  Effect.gen(function* () {
    const later = { branch: "compute", version: 99 }
    yield* Journal.append([
      { ...request("n", "new"), version: 99 },
      end("n"),
      request("a", "old"),
      { ...later, correlationId: "a", body: { _tag: "OutputSnapshot" } },
      { ...later, correlationId: "a", body: { _tag: "ShellOutputChunks", chunks: "of another form" } },
      end("a"),
    ])
    yield* Effect.gen(function* () {
      expect((yield* Shell.run(cmd`echo old`)).exitCode).toBe(0)
      const fault = yield* Effect.flip(Shell.run(cmd`echo new`))
      expect(fault.reason).toEqual({ _tag: "Unknown", code: "EUNRECORDED" })
    }).pipe(replaying({ speed: "max" }))
  }).pipe(journal))
