import { expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Chunking, CommandId, LocalShell, type OptionError, Shell, ShellExec } from "@sluice/shell"
import type { LeafRunOptions } from "@sluice/shell/leaf"
import { ComputeBranch, DaemonShell, ShellDaemon } from "@sluice/shell/daemon"
import { Journal, type JournalError, JournalError as TheError, MemoryJournal, Redactor } from "@sluice/shell/journal"
import { draftBranchEntry } from "../../src/branch/Branch.ts"
import { decodeChunking, encodeChunking, withDelivery } from "../../src/compute/ComputeRequest.ts"
import { eventually } from "../support/eventually.ts"

/** A shell that asks in a journal of its own. */
const asking = <A, E>(
  test: Effect.Effect<A, E, Shell | Journal | Scope.Scope>,
  options: DaemonShell.DaemonShellOptions = {},
): Effect.Effect<A, E | JournalError | OptionError> =>
  Effect.provide(Effect.scoped(test), DaemonShell.layerWith(options).pipe(Layer.provideMerge(MemoryJournal.layer)))

/** A daemon on the local leaf, on the same journal. */
const daemon = (options: ShellDaemon.ShellDaemonOptions = {}) =>
  Effect.gen(function* () {
    const journal = Layer.succeed(Journal, yield* Journal)
    yield* Layer.build(ShellDaemon.layerWith(options).pipe(Layer.provide(LocalShell.layer), Layer.provide(journal)))
  })

const sh = (script: string, commandId = CommandId.make()) => ShellExec.shell(script, { commandId, grace: "300 millis" })

const faultOf = (exec: ShellExec, options?: LeafRunOptions) => Effect.flip(Stream.runDrain(Shell.exec(exec, options)))

const bodies = Effect.flatMap(
  Journal,
  (journal) => Effect.map(journal.read(), (entries) => entries.map(({ body }) => body)),
)

it.live("passes bytes that are not text", () =>
  asking(Effect.gen(function* () {
    yield* daemon()
    const events = yield* Shell.bytes(sh("printf '\\377\\000a'; printf '\\376' >&2; exit 3")).pipe(
      Stream.map((event) => event._tag === "ShellBytes" ? { ...event, bytes: [...event.bytes] } : event),
      Stream.runCollect,
    )
    const bytes = (stream: "stdout" | "stderr") =>
      events.flatMap((event) => event._tag === "ShellBytes" && event.stream === stream ? event.bytes : [])
    expect([bytes("stdout"), bytes("stderr")]).toEqual([[255, 0, 97], [254]])
    expect(events.at(-1)).toMatchObject({ _tag: "ShellOutput", exitCode: 3, stdoutBytes: 3, stderrBytes: 1 })
    expect((yield* bodies).find((body) => body?._tag === "ShellExec")?.["delivery"]).toEqual({ bytes: true })
  })))

it.live("says where output is to be cut", () =>
  asking(Effect.gen(function* () {
    yield* daemon()
    const events = yield* Stream.runCollect(Shell.exec(sh("printf abcdefgh"), { chunking: Chunking.size(3) }))
    expect(events.map((event) => event._tag === "ShellOutputChunk" ? event.content : event._tag)).toEqual([
      "abc",
      "def",
      "gh",
      "ShellOutput",
    ])
  })))

it.live("reports that the command runs with its first event", () =>
  asking(Effect.gen(function* () {
    yield* daemon()
    const told: Array<unknown> = []
    yield* Stream.runDrain(Shell.exec(sh("echo a; echo b >&2"), { onSpawn: (process) => void told.push(process) }))
    yield* Stream.runDrain(Shell.exec(sh("exit 0"), { onSpawn: (process) => void told.push(process) }))
    expect(told).toEqual([
      { pid: undefined, executable: "echo a; echo b >&2" },
      { pid: undefined, executable: expect.stringMatching(/sh$/) },
    ])
  })))

it.effect("refuses commands that a journal must not or cannot hold, with advice, and writes nothing", () =>
  asking(Effect.gen(function* () {
    const secret = Redacted.make("hunter2")
    const refused: ReadonlyArray<readonly [field: string, exec: ShellExec, options?: LeafRunOptions]> = [
      ["arguments", ShellExec.make("echo", ["a", secret])],
      ["environment", ShellExec.make("env", [], { env: { TOKEN: secret } })],
      ["input", ShellExec.make("cat", [], { input: secret })],
      ["stdin", ShellExec.make("cat"), { stdin: Stream.empty }],
      ["stdout", ShellExec.make("cat"), {
        stdout: { write: () => Promise.resolve(true), end: () => Promise.resolve() },
      }],
    ]
    for (const [field, exec, options] of refused) {
      const fault = yield* faultOf(exec, options)
      expect(fault.reason).toEqual({ _tag: "InvalidRequest", field, code: "ENOTSUP" })
      expect(fault.message).toMatch(/^exec: \w+ cannot be requested through a journal: .*: .* \(ENOTSUP\)$/)
      expect(JSON.stringify(fault)).not.toContain("hunter2")
    }
    expect((yield* faultOf(refused[0]?.[1] ?? sh("")))?.message).toContain("argument 2 is a secret")
    expect(yield* faultOf(sh("echo"), { signal: AbortSignal.abort() })).toMatchObject({
      reason: { _tag: "Cancelled", by: "signal" },
    })
    expect(yield* bodies).toEqual([])
  })))

it.effect("fails a command that no daemon takes, and no daemon runs it later", () =>
  asking(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(faultOf(sh("echo")))
      yield* TestClock.adjust("20 seconds")
      const fault = yield* Fiber.join(fiber)
      expect(fault.reason).toEqual({ _tag: "Timeout", kind: "queue", afterMillis: 20_000 })
      expect(fault.message).toBe("exec: echo was not started: no daemon was running for 20s (TIMEOUT)")
      yield* daemon()
      yield* Effect.yieldNow
      expect((yield* bodies).map((body) => body?._tag)).toEqual(["ShellExec", "ShellFault", "DaemonStarted"])
    }),
    { acceptTimeout: "20 seconds" },
  ))

it.effect("has a fault for a command whose id is in use", () =>
  asking(Effect.gen(function* () {
    const first = yield* Effect.forkChild(faultOf(sh("sleep 20", "same")))
    yield* TestClock.adjust("1 second")
    const fault = yield* faultOf(sh("echo", "same"))
    expect(fault.reason).toEqual({ _tag: "InvalidRequest", field: "commandId", code: "EEXIST" })
    expect(fault.message).toBe("exec: echo was not started: a command with the id same is open already (EEXIST)")
    yield* Fiber.interrupt(first)
    expect((yield* bodies).at(-1)).toMatchObject({
      _tag: "ShellFault",
      reason: { _tag: "Cancelled", by: "consumer" },
      message: "exec: sleep 20 was ended: its output was closed (CANCELLED)",
    })
  })))

it.effect("has a fault for a command that the journal does not take", () =>
  Effect.gen(function* () {
    const full = TheError.because(
      { _tag: "Full", code: "ENOSPC" },
      "journal: nothing was appended: it is full (ENOSPC)",
    )
    const journal = Layer.effect(
      Journal,
      Effect.map(MemoryJournal.make(), (memory) => ({ ...memory, append: () => Effect.fail(full) })),
    )
    const fault = yield* Effect.provide(faultOf(sh("echo")), DaemonShell.layer.pipe(Layer.provide(journal)))
    expect(fault.reason).toEqual({ _tag: "JournalFailed", what: "Full", code: "ENOSPC" })
    expect(fault.message).toMatch(/^exec: echo was not run.*\(ENOSPC\)$/)
  }).pipe(Effect.scoped))

it.live("names the canceller, with the output so far", () =>
  asking(Effect.gen(function* () {
    yield* daemon()
    const journal = yield* Journal
    let heard = false
    const id = CommandId.make()
    const fiber = yield* Shell.exec(sh("echo up; sleep 20", id)).pipe(
      Stream.tap(() => Effect.sync(() => void (heard = true))),
      Stream.runDrain,
      Effect.flip,
      Effect.forkChild,
    )
    yield* eventually("it is up", () => heard)
    yield* journal.append([draftBranchEntry(ComputeBranch, id, { _tag: "CancelRequested", by: "the operator" })])
    const fault = yield* Fiber.join(fiber)
    expect(fault).toMatchObject({
      reason: { _tag: "Cancelled", by: "the operator" },
      message: "exec: echo up; sleep 20 was cancelled by the operator (CANCELLED)",
      stdout: "up\n",
      stdoutBytes: 3,
      executable: expect.stringMatching(/sh$/),
    })
  })))

it.live("ends a run without its grace when the cancellation is forced, also after an earlier one", () =>
  asking(Effect.gen(function* () {
    yield* daemon()
    const journal = yield* Journal
    for (const after of [[], [{ _tag: "CancelRequested" as const, by: "somebody" }]]) {
      let heard = false
      const script = "trap '' TERM; echo up; while :; do sleep 0.05; done"
      const exec = ShellExec.shell(script, { grace: "2 minutes" })
      const fiber = yield* Shell.exec(exec).pipe(
        Stream.tap(() => Effect.sync(() => void (heard = true))),
        Stream.runDrain,
        Effect.flip,
        Effect.forkChild,
      )
      yield* eventually("it is up", () => heard)
      for (const said of [...after, { _tag: "CancelRequested" as const, by: "the operator", force: true }]) {
        yield* journal.append([draftBranchEntry(ComputeBranch, exec.commandId, said)])
      }
      const by = after[0]?.by ?? "the operator"
      expect((yield* Fiber.join(fiber)).reason).toEqual({ _tag: "Cancelled", by })
    }
  })))

it.live("receives nothing that the daemon must not record", () =>
  asking(Effect.gen(function* () {
    yield* daemon({ redactor: Redactor.secrets([{ value: "hunter2" }]) })
    const output = yield* Shell.run(sh("printf 'the word is hunt'; sleep 0.3; echo er2"))
    expect(output.stdout).toMatch(/^the word is .*redacted.*\n$/)
    expect(JSON.stringify(yield* bodies)).not.toContain("hunter2")
  })))

it.live("gets the output of a command that does not stream in pieces that a journal takes", () =>
  asking(Effect.gen(function* () {
    yield* daemon()
    const output = yield* Shell.run(sh("seq 1 100000"))
    expect(output.stdout).toBe(Array.from({ length: 100_000 }, (_, n) => `${n + 1}\n`).join(""))
    const journal = yield* Journal
    const entries = yield* journal.read({ filter: { tags: ["ShellOutputChunks"] } })
    expect(entries.length).toBeGreaterThan(8)
  })))

it("writes a request that a reader of plain commands can decode", () => {
  const exec = ShellExec.make("ls", ["-l"], { commandId: "x" })
  const chunking = encodeChunking(Chunking.line())
  const asked = withDelivery(exec, { bytes: true, chunking, admission: false })
  const body = ComputeBranch.request.encode(asked)
  expect(Schema.decodeUnknownSync(ShellExec)(body)).toEqual(exec)
  const read = ComputeBranch.request.decode(body, 1)
  expect(read).toMatchObject({ _tag: "Success", success: { command: "ls", delivery: { bytes: true, chunking } } })
  expect(ComputeBranch.request.decode({ ...body, delivery: { bytes: "yes" } }, 1)._tag).toBe("Failure")
  expect(ComputeBranch.request.encode(exec)).not.toHaveProperty("delivery")
})

it("writes every way to cut output down and reads it again", () => {
  for (const way of [Chunking.hybrid(), Chunking.line(500), Chunking.size(3), Chunking.time("1 second")]) {
    expect(decodeChunking(JSON.parse(JSON.stringify(encodeChunking(way))))).toEqual(way)
  }
})

it.effect("fails with a typed error for options that are wrong", () =>
  Effect.gen(function* () {
    const build = <A, E, R>(layer: Layer.Layer<A, E, R>) => Effect.flip(Effect.scoped(Layer.build(layer)))
    const journal = MemoryJournal.layer
    for (const options of [{ acceptTimeout: -1 }, { queueTimeout: Number.NaN }, { closeTimeout: -5 }]) {
      const [option] = Object.keys(options)
      const error = yield* build(DaemonShell.layerWith(options).pipe(Layer.provide(journal)))
      expect(error).toMatchObject({ _tag: "OptionError", option })
    }
    const wrong = [{ concurrency: 0 }, { maxAttempts: 0.5 }, { maxOpen: -1 }, { lease: -1 }, { name: "a b" }]
    for (const options of wrong) {
      const [option] = Object.keys(options)
      const layer = ShellDaemon.layerWith(options).pipe(Layer.provide(LocalShell.layer), Layer.provide(journal))
      expect(yield* build(layer)).toMatchObject({ _tag: "OptionError", option })
    }
    // As plain JavaScript gives them.
    const unknown = { capabilities: {}, name: "d" }
    const shell = DaemonShell.layerWith(unknown)
    expect(yield* build(shell.pipe(Layer.provide(journal)))).toMatchObject({ _tag: "OptionError", option: "name" })
    const daemon = ShellDaemon.layerWith(unknown).pipe(Layer.provide(LocalShell.layer), Layer.provide(journal))
    expect(yield* build(daemon)).toMatchObject({ _tag: "OptionError", option: "capabilities" })
  }))

it.live("takes its options from Config", () =>
  Effect.gen(function* () {
    const provider = ConfigProvider.fromEnvRecord({ DAEMON_NAME: "from config", MAX_CONCURRENCY: "2" })
    const layer = ShellDaemon.layerConfig().pipe(Layer.provide(LocalShell.layer), Layer.provide(MemoryJournal.layer))
    const error = yield* Effect.flip(Effect.scoped(Layer.build(layer))).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, provider),
    )
    expect(error).toMatchObject({ _tag: "OptionError", option: "name" })
    const shell = DaemonShell.layerConfig().pipe(Layer.provide(MemoryJournal.layer))
    const times = ConfigProvider.fromEnvRecord({ ACCEPT_TIMEOUT: "20 millis" })
    const fault = yield* Effect.provide(Effect.flip(Shell.run(ShellExec.make("true"))), shell).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, times),
    )
    expect(fault).toMatchObject({ reason: { _tag: "Timeout", kind: "queue", afterMillis: 20 } })
  }))
