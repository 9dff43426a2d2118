import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Shell, ShellExec, type ShellExecOptions, type ShellOutput, type ShellOutputChunk } from "@sluice/shell"
import { MockRun, MockShell, type MockShellOptions } from "@sluice/shell/testing"
import { eventually } from "../../support/eventually.ts"
import { begun, turns } from "../../support/turns.ts"

const play = (steps: MockRun.MockRun, options: MockShellOptions = {}) =>
  Effect.provide(MockShell.layerWith(() => steps, options))

const exec = (options?: ShellExecOptions): ShellExec => ShellExec.make("played", [], options)

/** Runs a command in the background of a test that moves the clock; `seen` is what has come so far. */
const started = (options?: ShellExecOptions) =>
  Effect.gen(function* () {
    const seen: Array<ShellOutputChunk | ShellOutput> = []
    const fiber = yield* Shell.exec(exec(options)).pipe(
      Stream.tap((event) => Effect.sync(() => void seen.push(event))),
      Stream.runDrain,
      begun,
    )
    const contents = () => seen.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : [])
    return { fiber, seen, contents }
  })

it.effect("makes a chunk of each line that is written, at the time it is written", () =>
  Effect.gen(function* () {
    const { contents, fiber, seen } = yield* started()
    expect(contents()).toEqual(["one\n"])
    yield* TestClock.adjust("59 seconds")
    yield* turns()
    expect(contents()).toEqual(["one\n"])
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    expect(seen).toMatchObject([
      { stream: "stdout", content: "one\n", seq: 0, timestamp: 0 },
      { stream: "stderr", content: "two\n", seq: 1, timestamp: 60_000 },
      { stream: "stdout", content: "three\n", seq: 2, timestamp: 60_000 },
      { exitCode: 3, duration: 60_000, completed: 60_000, drain: "eof" },
    ])
  }).pipe(
    play([
      MockRun.stdout("one\n"),
      MockRun.wait("1 minute"),
      MockRun.stderr("two\n"),
      MockRun.stdout("three\n"),
      MockRun.exit(3),
      MockRun.stdout("never\n"),
    ]),
  ))

it.effect("exits with 0 after the last step, and without steps", () =>
  Effect.gen(function* () {
    expect(yield* Shell.run(exec())).toMatchObject({ exitCode: 0, stdout: "", stderr: "", drain: "eof" })
  }).pipe(play([])))

it.effect("ends by a signal", () =>
  Effect.gen(function* () {
    expect(yield* Shell.run(exec())).toMatchObject({ exitCode: 139, signal: "SIGSEGV", stdout: "so far" })
  }).pipe(play([MockRun.stdout("so far"), MockRun.exitBy("SIGSEGV"), MockRun.stdout("never")])))

it.effect("makes the fault of a command that cannot be started", () =>
  Effect.gen(function* () {
    let spawned = false
    const fault = yield* Effect.flip(
      Stream.runDrain(Shell.exec(exec(), { onSpawn: () => void (spawned = true) })),
    )
    expect(fault.reason).toEqual({ _tag: "PermissionDenied", path: "/bin/played", code: "EACCES" })
    expect(fault.message).toMatch(/^exec: .*played.* \(EACCES\)$/)
    expect(spawned).toBe(false)
  }).pipe(play(MockRun.fail({ _tag: "PermissionDenied", path: "/bin/played", code: "EACCES" }))))

it.effect("faults in the middle of a run, with the output so far", () =>
  Effect.gen(function* () {
    const events = yield* Shell.exec(exec()).pipe(
      Stream.catchReason("ShellFault", "ResourceExhausted", (reason, fault) => Stream.make({ reason, fault })),
      Stream.runCollect,
    )
    expect(events).toMatchObject([
      { content: "one\n" },
      { stream: "stderr", content: "part" },
      {
        reason: { resource: "memory" },
        fault: { message: "exec: no room (ENOMEM)", stdout: "one\n", stderr: "part", stdoutBytes: 4, stderrBytes: 4 },
      },
    ])
    const again = yield* Effect.flip(Shell.run(exec()))
    expect(again).toMatchObject({ reason: { _tag: "ResourceExhausted" }, stdout: "one\n", stderr: "part" })
    expect((yield* MockShell.calls).map(({ exit }) => exit?.signal)).toEqual(["SIGKILL", "SIGKILL"])
  }).pipe(
    play([
      MockRun.stdout("one\n"),
      MockRun.stderr("part"),
      MockRun.fail({ _tag: "ResourceExhausted", resource: "memory" }, "exec: no room (ENOMEM)"),
      MockRun.stdout("never\n"),
    ]),
  ))

it.effect("hangs until its timeout, and ends at the first signal", () =>
  Effect.gen(function* () {
    const { fiber } = yield* started({ timeout: "1 hour", grace: "1 day" })
    yield* TestClock.adjust("59 minutes")
    yield* turns()
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 minute")
    expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject({
      reason: { _tag: "Timeout", kind: "total", afterMillis: 3_600_000 },
      stdout: "up\n",
    })
    expect(yield* MockShell.calls).toMatchObject([{ signals: ["SIGTERM"], exit: { exitCode: 143, signal: "SIGTERM" } }])
  }).pipe(play([MockRun.stdout("up\n"), MockRun.hang])))

it.effect("performs the steps of onTerminate within the grace period", () =>
  Effect.gen(function* () {
    const { fiber } = yield* started({ timeout: "1 minute", grace: "10 seconds" })
    yield* TestClock.adjust("1 minute")
    yield* turns()
    yield* TestClock.adjust("9 seconds")
    const fault = yield* Effect.flip(Fiber.join(fiber))
    expect(fault).toMatchObject({ reason: { _tag: "Timeout" }, stdout: "up\nending\nbye\n" })
    expect(yield* MockShell.calls).toMatchObject([{ signals: ["SIGTERM"], exit: { exitCode: 0 } }])
  }).pipe(
    play([
      MockRun.onTerminate(
        MockRun.stdout("ending\n"),
        MockRun.wait("9 seconds"),
        MockRun.stdout("bye\n"),
        MockRun.exit(),
      ),
      MockRun.stdout("up\n"),
      MockRun.wait("2 days"),
      MockRun.stdout("never\n"),
    ]),
  ))

it.effect("ends by the signal after the steps of onTerminate, unless one exits", () =>
  Effect.gen(function* () {
    const { fiber } = yield* started({ timeout: "1 minute" })
    yield* TestClock.adjust("1 minute")
    yield* Effect.flip(Fiber.join(fiber))
    expect(yield* MockShell.calls).toMatchObject([{ exit: { exitCode: 143, signal: "SIGTERM" } }])
  }).pipe(play([MockRun.onTerminate(MockRun.stdout("bye\n")), MockRun.hang])))

it.effect("is killed at the end of the grace period when it ignores SIGTERM, and runs until then", () =>
  Effect.gen(function* () {
    const { contents, fiber } = yield* started({ timeout: "1 minute", grace: "10 seconds" })
    yield* TestClock.adjust("1 minute")
    yield* turns()
    expect(contents()).toEqual(["tick\n", "tick\n"])
    yield* TestClock.adjust("9999 millis")
    yield* turns()
    expect(fiber.pollUnsafe()).toBeUndefined()
    expect(yield* MockShell.calls).toMatchObject([{ signals: ["SIGTERM"], exit: undefined }])
    yield* TestClock.adjust("1 millis")
    yield* Effect.flip(Fiber.join(fiber))
    expect(yield* MockShell.calls).toMatchObject([{ signals: ["SIGTERM", "SIGKILL"], exit: { exitCode: 137 } }])
  }).pipe(play([MockRun.ignoreTerminate, MockRun.forever(MockRun.stdout("tick\n"), MockRun.wait("45 seconds"))])))

it.effect("is killed at once when there is no grace", () =>
  Effect.gen(function* () {
    const { fiber } = yield* started({ grace: 0 })
    yield* Fiber.interrupt(fiber)
    expect(yield* MockShell.calls).toMatchObject([{ signals: ["SIGTERM", "SIGKILL"] }])
  }).pipe(play([MockRun.ignoreTerminate, MockRun.hang])))

it.effect("ends when its stream is closed or its signal is aborted", () =>
  Effect.gen(function* () {
    const taken = yield* Shell.exec(exec()).pipe(Stream.take(2), Stream.runCollect)
    expect(taken).toMatchObject([{ content: "tick\n" }, { content: "tick\n" }])
    const controller = new AbortController()
    const fault = yield* Shell.exec(exec(), { signal: controller.signal }).pipe(
      Stream.tap(() => Effect.sync(() => controller.abort())),
      Stream.runDrain,
      Effect.flip,
    )
    expect(fault.reason).toEqual({ _tag: "Cancelled", by: "signal" })
    expect((yield* MockShell.calls).map(({ exit }) => exit?.signal)).toEqual(["SIGTERM", "SIGTERM"])
  }).pipe(play(MockRun.forever(MockRun.stdout("tick\n")))))

it.effect("blocks the script while its output is not read", () => {
  let written = 0
  return Effect.gen(function* () {
    const bytes = yield* Shell.bytes(exec()).pipe(
      Stream.tap(() =>
        Effect.gen(function* () {
          yield* turns()
          // What is being looked at, what has been read ahead, and what the pipe holds.
          expect(written).toBeLessThanOrEqual(8)
        })
      ),
      Stream.take(2),
      Stream.runCollect,
    )
    expect(bytes.length).toBe(2)
  }).pipe(
    play(
      MockRun.forever(MockRun.stdout(new Uint8Array(32_768)), MockRun.effect(() => Effect.sync(() => void written++))),
    ),
  )
})

it.effect("reads stdin as text, copies it, or ignores it", () =>
  Effect.gen(function* () {
    const text = "é€😀\n".repeat(50_000)
    for (const name of ["input", "copy", "read"]) {
      expect((yield* Shell.run(ShellExec.make(name, [], { input: text }))).stdout).toBe(name === "read" ? "" : text)
    }
    expect((yield* MockShell.calls).every(({ input }) => input === text)).toBe(true)
    expect((yield* Shell.run(ShellExec.make("copy"))).stdout).toBe("")
  }).pipe(
    Effect.provide(MockShell.layer([
      MockShell.on("input", MockRun.input((text) => MockRun.stdout(text))),
      MockShell.on("copy", MockRun.copyInput),
      MockShell.on("read", MockRun.readInput),
    ])),
  ))

it.effect("takes no more of a stream than it reads, and closes it when it exits", () => {
  const seen = { taken: 0, ended: false }
  const source = Stream.make(new Uint8Array(65_536)).pipe(
    Stream.forever,
    Stream.tap(() => Effect.sync(() => void seen.taken++)),
    Stream.ensuring(Effect.sync(() => void (seen.ended = true))),
  )
  return Effect.gen(function* () {
    const fiber = yield* begun(Stream.runDrain(Shell.exec(exec(), { stdin: source })))
    yield* eventually("the pipe is full", () => seen.taken > 1)
    yield* turns()
    expect(seen.taken).toBeLessThan(4)
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(fiber)
    expect(seen.ended).toBe(true)
  }).pipe(play(MockRun.wait("1 minute")))
})

it.effect("releases a pipe that a background process holds, or reads its output in time", () =>
  Effect.gen(function* () {
    const { fiber, seen } = yield* started()
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    expect(seen).toMatchObject([{ content: "up\n" }, { content: "later\n" }, { exitCode: 0, drain: "cut" }])
  }).pipe(
    play([
      MockRun.background(MockRun.wait("90 millis"), MockRun.stdout("later\n"), MockRun.wait("1 day")),
      MockRun.stdout("up\n"),
    ]),
  ))

it.effect("ends background processes too", () => {
  let ended = 0
  const beside = MockRun.background(
    MockRun.effect(() => Effect.never.pipe(Effect.ensuring(Effect.sync(() => void ended++)))),
  )
  return Effect.gen(function* () {
    yield* Shell.exec(exec()).pipe(Stream.take(1), Stream.runDrain)
    expect(ended).toBe(1)
    expect(yield* MockShell.calls).toMatchObject([{ signals: ["SIGTERM"], exit: { exitCode: 0 } }])
  }).pipe(play([beside, MockRun.stdout("up\n")]))
})

it.effect("discards output that is written after the stream was closed", () =>
  Effect.gen(function* () {
    const { fiber, seen } = yield* started({ streamOutput: false })
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(fiber)
    expect(seen).toMatchObject([{ exitCode: 7, stdout: "a", stdoutBytes: 1, duration: 60_000, drain: "eof" }])
  }).pipe(
    play([
      MockRun.stdout("a"),
      MockRun.close("stdout"),
      MockRun.stdout("b"),
      MockRun.wait("1 minute"),
      MockRun.exit(7),
    ]),
  ))

it.effect("puts both streams into one when they are merged", () =>
  Effect.gen(function* () {
    const output = yield* Shell.run(exec({ mergeStreams: true }))
    expect(output).toMatchObject({ stdout: "oeo", stderr: "", stderrBytes: 0 })
  }).pipe(play([MockRun.stdout("o"), MockRun.stderr("e"), MockRun.stdout("o")])))

it.effect("reports a failing script", () =>
  Effect.gen(function* () {
    const fault = yield* Effect.flip(Shell.run(exec()))
    expect(fault.reason).toEqual({ _tag: "Unknown", code: "EMOCK" })
    expect(fault.message).toContain("a typo in the test")
    expect(fault.stdout).toBe("up\n")
  }).pipe(play([MockRun.stdout("up\n"), MockRun.effect(() => Effect.die(new Error("a typo in the test")))])))

it.effect("is a defect when the function that makes the run throws", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Shell.run(exec()))
    expect(Exit.hasDies(exit)).toBe(true)
  }).pipe(Effect.provide(MockShell.layer(() => {
    throw new Error("a typo in the test")
  }))))

it.effect("joins commands as other leaves do", () =>
  Effect.gen(function* () {
    const events = yield* Shell.pipeline([ShellExec.make("yes"), ShellExec.make("upper")]).pipe(Stream.runCollect)
    const text = events.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : []).join("")
    expect(text).toBe("Y\n")
    expect(events.at(-1)).toMatchObject({
      exitCode: 0,
      stages: [{ command: "yes", signal: "SIGPIPE" }, { command: "upper", exitCode: 0 }],
    })
  }).pipe(
    Effect.provide(MockShell.layer([
      MockShell.on("yes", MockRun.forever(MockRun.stdout("y\n"))),
      MockShell.on(
        "upper",
        MockRun.effect((process) =>
          Effect.flatMap(
            process.read,
            (bytes) => process.write("stdout", new TextDecoder().decode(bytes).toUpperCase()),
          )
        ),
      ),
    ])),
  ))
