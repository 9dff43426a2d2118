import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Audit } from "../../src/history/mod.ts"
import type { ListOptions } from "../../src/history/listCommands.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { ask, deadHost, exit, farHost, fault, onJournal, ran, take, write } from "./support.ts"

const listed = (options?: ListOptions) => Stream.runCollect(Audit.list(options))
const ids = (options?: ListOptions) =>
  Effect.map(listed(options), (records) => records.map((record) => record.commandId))

it.effect("lists newest or oldest first, up to the limit", () =>
  Effect.gen(function* () {
    for (let n = 1; n <= 100; n++) yield* ran(`c${n}`)
    const oldest = Array.from({ length: 100 }, (_, n) => `c${n + 1}`)
    expect(yield* ids()).toEqual(oldest.toReversed())
    expect(yield* ids({ order: "oldest" })).toEqual(oldest)
    expect(yield* ids({ maxCommands: 3 })).toEqual(["c100", "c99", "c98"])
    expect(yield* ids({ order: "oldest", maxCommands: 33 })).toEqual(oldest.slice(0, 33))
  }).pipe(onJournal))

it.effect("lists nothing of an empty journal, and nothing of other branches", () =>
  Effect.gen(function* () {
    expect(yield* ids()).toEqual([])
    yield* Journal.append([{ branch: "notes", correlationId: "n", body: { _tag: "ShellExec" } }])
    expect(yield* ids()).toEqual([])
  }).pipe(onJournal))

it.effect("reads one page of requests at a time, and stops when the consumer does", () =>
  Effect.gen(function* () {
    for (let n = 1; n <= 200; n++) yield* ran(`c${n}`)
    const journal = yield* Journal
    let most = 0
    let requests = 0
    const counting = {
      ...journal,
      readBackward: (options?: Parameters<typeof journal.readBackward>[0]) =>
        Effect.tap(journal.readBackward(options), (entries) =>
          Effect.sync(() => {
            most = Math.max(most, entries.length)
            requests += entries.length
          })),
    }
    const first = yield* Effect.provideService(ids({ maxCommands: 1 }), Journal, counting)
    expect(first).toEqual(["c200"])
    expect(requests).toBeLessThan(50)
    yield* Effect.provideService(ids(), Journal, counting)
    expect(most).toBeLessThan(50)
  }).pipe(onJournal))

it.effect("returns the state of each command", () =>
  Effect.gen(function* () {
    yield* ask("waiting")
    yield* ask("running")
    yield* take("running")
    yield* ask("lost")
    yield* take("lost", { host: yield* deadHost })
    // A lease that cannot be read is none.
    const unreadable = ["waiting", "running", "lost"].map((correlationId) => ({
      branch: "compute",
      correlationId,
      body: { _tag: "LeaseTaken", attempt: "x" },
    }))
    yield* Journal.append(unreadable)
    yield* ran("well")
    yield* ran("badly", ["false"], 3)
    yield* ask("killed")
    yield* exit("killed", 137, { signal: "SIGKILL", stdoutBytes: 3, stderrBytes: 4, duration: 5.5 })
    yield* ask("missing")
    yield* fault("missing", { _tag: "NotFound", what: "command", path: "nope" }, "exec: nope is not there (ENOENT)")
    const records = new Map((yield* listed()).map((record) => [record.commandId, record]))
    const stateOf = (id: string) => records.get(id)?.state
    expect(stateOf("waiting")).toEqual({ _tag: "Waiting" })
    expect(stateOf("running")).toEqual({ _tag: "Running" })
    expect(stateOf("lost")).toEqual({ _tag: "Lost" })
    expect(stateOf("well")).toEqual({ _tag: "Exited", exitCode: 0, signal: undefined })
    expect(stateOf("badly")).toEqual({ _tag: "Exited", exitCode: 3, signal: undefined })
    expect(records.get("killed")).toMatchObject({
      state: { _tag: "Exited", exitCode: 137, signal: "SIGKILL" },
      stdoutBytes: 3,
      stderrBytes: 4,
      durationMillis: 5.5,
    })
    expect(stateOf("missing")).toMatchObject({
      _tag: "Faulted",
      reason: { _tag: "NotFound" },
      message: "exec: nope is not there (ENOENT)",
    })
    const which = (is: typeof Audit.isFailed) =>
      [...records.values()].filter(is).map(({ commandId }) => commandId).sort()
    expect(which(Audit.isFailed)).toEqual(["badly", "killed", "lost", "missing"])
    expect(which(Audit.isOpen)).toEqual(["running", "waiting"])
    expect((yield* ids({ failed: true })).toSorted()).toEqual(["badly", "killed", "lost", "missing"])
  }).pipe(onJournal))

it.effect("treats a daemon of another machine as gone after its completion, or after a long silence", () =>
  Effect.gen(function* () {
    const host = yield* farHost
    const sign = (daemon: string, _tag: string) =>
      Journal.append([{
        branch: "compute",
        correlationId: daemon,
        body: _tag === "DaemonCompleted"
          ? { _tag, daemonId: daemon, settledThrough: 0 }
          : { _tag, daemonId: daemon, leaseMillis: 1_000, settledThrough: 0 },
      }])
    for (const daemon of ["silent", "alive", "done"]) {
      yield* ask(daemon)
      yield* sign(`d-${daemon}`, "DaemonAlive")
      yield* take(daemon, { daemon: `d-${daemon}`, host, lasts: 1_000 })
    }
    yield* ask("unseen")
    yield* take("unseen", { host })
    yield* TestClock.adjust("1900 millis")
    yield* sign("d-alive", "DaemonAlive")
    yield* sign("d-done", "DaemonCompleted")
    const states = Effect.map(
      listed(),
      (records) => records.map(({ commandId, state }) => `${commandId} ${state._tag}`),
    )
    expect(yield* states).toEqual(["unseen Running", "done Lost", "alive Running", "silent Running"])
    yield* TestClock.adjust("200 millis")
    expect(yield* states).toEqual(["unseen Running", "done Lost", "alive Running", "silent Lost"])
  }).pipe(onJournal))

it.effect("recognizes a running command without a lease by its output", () =>
  Effect.gen(function* () {
    yield* ask("c1")
    yield* write("c1", { text: "hello\n" })
    expect((yield* listed())[0]).toMatchObject({
      state: { _tag: "Running" },
      attempts: [{ number: 1, lease: undefined }],
    })
  }).pipe(onJournal))

it.effect("distinguishes runs of one id, and attempts of one run", () =>
  Effect.gen(function* () {
    yield* ran("same", ["true"], 1)
    yield* ran("same", ["true"], 2)
    yield* ask("again", ["true"], { onHostLoss: "rerun" })
    yield* take("again", { host: yield* deadHost })
    yield* write("again", { text: "half" })
    yield* take("again", { attempt: 2, daemon: "second" })
    yield* exit("again", 0)
    yield* ask("ended", ["true"])
    yield* take("ended", { host: yield* deadHost })
    yield* take("ended", { daemon: "third" })
    yield* fault("ended", { _tag: "HostLost" })
    const [ended, again, later, earlier] = yield* listed()
    expect(later?.state).toMatchObject({ exitCode: 2 })
    expect(earlier?.state).toMatchObject({ exitCode: 1 })
    expect(again?.attempts.map(({ lease, number }) => [number, lease?.daemonId])).toEqual([
      [1, "in-process"],
      [2, "second"],
    ])
    // A lease that is taken only to end it is no run of it.
    expect(ended?.attempts.map(({ lease, number }) => [number, lease?.daemonId])).toEqual([[1, "in-process"]])
    expect(ended?.state).toMatchObject({ _tag: "Faulted", reason: { _tag: "HostLost" } })
  }).pipe(onJournal))

it.effect("counts a fault's time from the start of the last run", () =>
  Effect.gen(function* () {
    yield* ask("c1")
    yield* TestClock.adjust("5 seconds")
    yield* take("c1")
    yield* TestClock.adjust("2 seconds")
    yield* fault("c1", { _tag: "Timeout", kind: "total", afterMillis: 2_000 })
    expect((yield* listed())[0]).toMatchObject({ requested: 0, ended: 7_000, durationMillis: 2_000 })
  }).pipe(onJournal))

it.effect("applies since and until", () =>
  Effect.gen(function* () {
    for (let hour = 0; hour < 10; hour++) {
      yield* ran(`h${hour}`)
      yield* TestClock.adjust("1 hour")
    }
    const at = (hour: number): number => hour * 3_600_000
    expect(yield* ids({ since: at(7) })).toEqual(["h9", "h8", "h7"])
    expect(yield* ids({ since: at(2), until: at(4) })).toEqual(["h3", "h2"])
    expect(yield* ids({ until: at(2), order: "oldest" })).toEqual(["h0", "h1"])
    expect(yield* ids({ since: at(10) })).toEqual([])
  }).pipe(onJournal))

it.effect("misses no command when the clock stepped back for a moment", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(10_000_000)
    yield* ran("before")
    yield* TestClock.setTime(9_000_000)
    yield* ran("stepped-back")
    yield* TestClock.setTime(10_000_001)
    yield* ran("after")
    expect(yield* ids({ since: 10_000_000 })).toEqual(["after", "before"])
  }).pipe(onJournal))

it.effect("knows programs by name and by path, and whole lines", () =>
  Effect.gen(function* () {
    yield* ran("c1", ["git", "log", "--stat"])
    yield* ran("c2", ["/usr/bin/git", "status"])
    yield* ran("c3", ["npm", "run", "a b"])
    yield* Journal.append([{
      branch: "compute",
      correlationId: "c4",
      body: {
        _tag: "ShellExec",
        arguments: [],
        command: "git | wc",
        commandId: "c4",
        streamOutput: true,
        useShell: true,
      },
    }])
    expect(yield* ids({ command: "git" })).toEqual(["c2", "c1"])
    expect(yield* ids({ command: "/usr/*" })).toEqual(["c2"])
    expect(yield* ids({ command: "git log*" })).toEqual(["c1"])
    expect(yield* ids({ command: "*'a b'" })).toEqual(["c3"])
    expect(yield* ids({ command: "sh -c*" })).toEqual(["c4"])
    expect(yield* ids({ command: "*" })).toHaveLength(4)
    expect(yield* ids({ command: "nothing" })).toEqual([])
  }).pipe(onJournal))

it.effect("lists a command whose request or end cannot be read, as unreadable", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    yield* ran("pruned")
    yield* journal.prune({ correlationIds: ["pruned"] })
    yield* Journal.append([{ branch: "compute", correlationId: "newer", version: 99, body: { _tag: "ShellExec" } }])
    yield* Journal.append([{ branch: "compute", correlationId: "odd", body: { _tag: "ShellExec", command: 1 } }])
    yield* ask("odd-end")
    yield* Journal.append([{
      branch: "compute",
      correlationId: "odd-end",
      body: { _tag: "ShellOutput", exitCode: "?" },
    }])
    const records = yield* listed()
    expect(records.map(({ line, state }) => [line, state._tag])).toEqual([
      ["true", "Unreadable"],
      ["[cannot be read]", "Waiting"],
      ["[written by a newer version]", "Waiting"],
      ["[pruned]", "Unreadable"],
    ])
  }).pipe(onJournal))
