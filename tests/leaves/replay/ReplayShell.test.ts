import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { cmd, Shell, ShellExec, type ShellExecOptions } from "@sluice/shell"
import { Redactor } from "@sluice/shell/journal"
import { MockRun, MockShell, type ReplayShell } from "@sluice/shell/testing"
import { begun, turns } from "../../support/turns.ts"
import { allOf, type Event, journal, recording, replaying, textOf } from "./support.ts"

/** Writes, waits, writes on the other stream, waits, ends with 3. */
const build = MockShell.on(
  "build",
  MockRun.stdout("one\ntwo\n"),
  MockRun.wait("2 seconds"),
  MockRun.stderr("warning: é€😀\n"),
  MockRun.stdout("part"),
  MockRun.wait("8 seconds"),
  MockRun.stdout(" done\n"),
  MockRun.exit(3),
)

/** Runs a command to its end while the test moves the clock second by second. */
const moved = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* begun(effect)
    for (let second = 0; fiber.pollUnsafe() === undefined; second++) {
      if (second > 300) throw new Error("it never ends")
      yield* TestClock.adjust("1 second")
      yield* turns(6)
    }
    return yield* Fiber.join(fiber)
  })

/** Records one run of `build`; what it brought. */
const recorded = (options?: ShellExecOptions) =>
  moved(allOf(ShellExec.make("build", [], options))).pipe(recording([build]))

const shifted = (events: ReadonlyArray<Event>, millis: number, commandId: string): ReadonlyArray<Event> =>
  events.map((event) =>
    event._tag === "ShellOutputChunk"
      ? { ...event, commandId, timestamp: event.timestamp + millis }
      : { ...event, commandId, completed: event.completed + millis }
  )

it.effect("replays the same events, at the same times after the start", () =>
  Effect.gen(function* () {
    const [events] = yield* recorded()
    expect(events.length).toBeGreaterThan(4)
    expect(events.at(-1)).toMatchObject({ exitCode: 3, duration: 10_000 })
    yield* TestClock.adjust("1 day")
    yield* Effect.gen(function* () {
      const started = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const seen: Array<readonly [at: number, event: Event]> = []
      const exec = ShellExec.make("build", [], { commandId: "again" })
      yield* moved(
        Shell.exec(exec).pipe(
          Stream.runForEach((event) =>
            Effect.clockWith((clock) => Effect.map(clock.currentTimeMillis, (now) => void seen.push([now, event])))
          ),
        ),
      )
      expect(seen.map(([, event]) => event)).toEqual(shifted(events, started, "again"))
      for (const [at, event] of seen) {
        const due = event._tag === "ShellOutput" ? event.completed : event.timestamp
        expect(at).toBeGreaterThanOrEqual(due)
        expect(at - due).toBeLessThan(1_000)
      }
    }).pipe(replaying())
  }).pipe(journal))

it.effect("scales the times by its speed", () =>
  Effect.gen(function* () {
    yield* recorded()
    const fiber = yield* begun(allOf(cmd`build`)).pipe(replaying({ speed: 4 }))
    const started = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    yield* TestClock.adjust("2499 millis")
    yield* turns()
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 millis")
    const [events] = yield* Fiber.join(fiber)
    expect(events.at(-1)).toMatchObject({ duration: 2_500, completed: started + 2_500, exitCode: 3 })
    expect(events.find((event) => event._tag === "ShellOutputChunk" && event.stream === "stderr")).toMatchObject({
      timestamp: started + 500,
    })
  }).pipe(journal))

it.effect("does not wait at speed max, and keeps the recorded times", () =>
  Effect.gen(function* () {
    const [events] = yield* recorded({ commandId: "first" })
    const [again] = yield* allOf(cmd({ commandId: "first" })`build`).pipe(replaying({ speed: "max" }))
    const started = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    expect(again).toEqual(shifted(events, started, "first"))
  }).pipe(journal))

it.effect("joins output that was recorded in chunks, within the caller's budget", () =>
  Effect.gen(function* () {
    const [events] = yield* recorded()
    yield* Effect.gen(function* () {
      const output = yield* Shell.run(cmd`build`)
      expect(output).toMatchObject({ stdout: textOf(events), stderr: "warning: é€😀\n", stdoutBytesOmitted: 0 })
      const small = yield* Shell.run(cmd({ maxOutputBytes: 6 })`build`)
      expect(small).toMatchObject({
        stdout: "one\n[… 12 bytes left out …]\nne\n",
        stdoutBytesOmitted: 12,
        stdoutBytes: 18,
      })
    }).pipe(replaying({ speed: "max" }))
  }).pipe(journal))

it.effect("replays output that came whole in the chunks in which it came", () =>
  Effect.gen(function* () {
    const [[output]] = yield* recorded({ streamOutput: false })
    const [events] = yield* allOf(cmd`build`).pipe(replaying({ speed: "max" }))
    expect(events.map(({ _tag }) => _tag)).toEqual([
      ...Array.from({ length: 4 }, () => "ShellOutputChunk"),
      "ShellOutput",
    ])
    expect(output).toMatchObject({ stdout: textOf(events), stderr: textOf(events, "stderr") })
    expect(events.at(-1)).toMatchObject({ exitCode: 3, stdout: "", stderr: "", stdoutBytes: 18 })
    const again = yield* Shell.run(cmd`build`).pipe(replaying({ speed: "max" }))
    expect(again).toMatchObject({ stdout: textOf(events), stderr: textOf(events, "stderr") })
  }).pipe(journal))

it.effect("counts output that was omitted from a recording", () =>
  Effect.gen(function* () {
    const [[output]] = yield* recorded({ streamOutput: false, maxOutputBytes: 6 })
    const again = yield* Shell.run(cmd({ maxOutputBytes: 6 })`build`).pipe(replaying({ speed: "max" }))
    expect(again).toMatchObject({
      stdout: "one\n[… 12 bytes left out …]\nne\n",
      stdoutBytesOmitted: 12,
      ...(output?._tag === "ShellOutput" ? { duration: output.duration } : undefined),
    })
  }).pipe(journal))

it.effect("replays bytes as bytes, bytes as text and text as bytes", () =>
  Effect.gen(function* () {
    const bytes = Uint8Array.of(0xff, 0xe2, 0x82, 0xac, 0x0a)
    const halves = MockShell.on("raw", MockRun.stdout(bytes.subarray(0, 3)), MockRun.stdout(bytes.subarray(3)))
    const allBytes = (exec: ShellExec) =>
      Shell.bytes(exec).pipe(
        Stream.filter((event) => event._tag === "ShellBytes"),
        Stream.map((event) => ({ ...event, bytes: event.bytes.slice() })),
        Stream.runCollect,
        Effect.map((all) => all.flatMap(({ bytes, stream }) => stream === "stdout" ? [...bytes] : [])),
      )
    expect(yield* allBytes(cmd`raw`).pipe(recording([halves]))).toEqual([...bytes])
    yield* Effect.gen(function* () {
      expect(yield* allBytes(cmd`raw`)).toEqual([...bytes])
      expect(textOf((yield* allOf(cmd`raw`))[0])).toBe("\uFFFD€\n")
      expect((yield* Shell.run(cmd`raw`)).stdout).toBe("\uFFFD€\n")
    }).pipe(replaying({ speed: "max" }))
    yield* recorded()
    const text = yield* allBytes(cmd`build`).pipe(replaying({ speed: "max" }))
    expect(new TextDecoder().decode(Uint8Array.from(text))).toContain("one\ntwo\npart done\n")
  }).pipe(journal))

it.effect("replays the same fault, with the output before it", () =>
  Effect.gen(function* () {
    const script = [
      MockShell.on(
        "half",
        MockRun.stdout("so far\n"),
        MockRun.stderr("oh\n"),
        MockRun.fail({ _tag: "Unknown", code: "X" }),
      ),
      MockShell.on("gone", MockRun.fail({ _tag: "NotFound", what: "command", path: "gone", code: "ENOENT" })),
    ]
    for (const name of ["half", "gone"]) {
      for (const streamOutput of [true, false]) {
        const exec = ShellExec.make(name, [String(streamOutput)], {
          streamOutput,
          commandId: `${name}-${streamOutput}`,
        })
        const [, fault] = yield* allOf(exec).pipe(recording(script))
        const [events, again] = yield* allOf(exec).pipe(replaying({ speed: "max" }))
        expect(fault).toBeDefined()
        expect(again).toEqual(fault)
        expect(again?.message).toBe(fault?.message)
        if (name === "half") expect(textOf(events)).toBe(streamOutput ? "so far\n" : "")
      }
    }
  }).pipe(journal))

it.effect("keeps the end of a run that its consumer closed", () =>
  Effect.gen(function* () {
    const first = Shell.exec(cmd`build`).pipe(Stream.take(1), Stream.runCollect)
    yield* first.pipe(recording([build]))
    yield* Effect.gen(function* () {
      expect(yield* first).toMatchObject([{ content: "one\ntwo\n" }])
      const [events, fault] = yield* allOf(cmd`build`)
      expect(textOf(events)).toBe("one\ntwo\n")
      expect(fault?.reason).toEqual({ _tag: "Cancelled", by: "consumer" })
    }).pipe(replaying({ speed: "max", repeat: true }))
  }).pipe(journal))

const answers = (...names: ReadonlyArray<string>) => names.map((name) => MockShell.once("next", MockRun.stdout(name)))

const nexts = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.map(Shell.run(cmd`next`), ({ stdout }) => stdout))

it.effect("answers with several recordings in their order, and then with the last", () =>
  Effect.gen(function* () {
    yield* nexts(3).pipe(recording(answers("a", "b", "c")))
    expect(yield* nexts(5).pipe(replaying({ speed: "max" }))).toEqual(["a", "b", "c", "c", "c"])
    const fault = yield* Effect.flip(nexts(4).pipe(replaying({ speed: "max", repeat: false })))
    expect(fault).toMatchObject({ reason: { _tag: "Unknown", code: "EUNRECORDED" } })
    expect(fault.message).toBe("exec: next was recorded 3 times, and has been answered as often (EUNRECORDED)")
  }).pipe(journal))

it.effect("distinguishes runs of one command value", () =>
  Effect.gen(function* () {
    const exec = cmd`next`
    const twice = Effect.all([Shell.run(exec), Shell.run(exec)]).pipe(
      Effect.map((all) => all.map(({ stdout }) => stdout)),
    )
    yield* twice.pipe(recording(answers("a", "b")))
    expect(yield* twice.pipe(replaying({ speed: "max" }))).toEqual(["a", "b"])
  }).pipe(journal))

const faultOf = (exec: ShellExec, options: ReplayShell.ReplayOptions = {}) =>
  Effect.flip(Shell.run(exec)).pipe(replaying({ speed: "max", ...options }))

const anything = [MockShell.on(() => true)]

it.effect("names the most similar recording of an unrecorded command", () =>
  Effect.gen(function* () {
    expect((yield* faultOf(cmd`git push`)).message).toBe("exec: git push is not recorded; nothing is (EUNRECORDED)")
    yield* Effect.all([Shell.run(cmd`git status --short`), Shell.run(cmd`npm test`)]).pipe(recording(anything))
    const fault = yield* faultOf(cmd`git statsu --short`)
    expect(fault.reason).toEqual({ _tag: "Unknown", code: "EUNRECORDED" })
    expect(fault.message).toBe(
      "exec: git statsu --short is not recorded; the nearest that is: git status --short (EUNRECORDED)",
    )
  }).pipe(journal))

it.effect("names the differing fields of a command with the same line", () =>
  Effect.gen(function* () {
    const exec = (options?: ShellExecOptions) => ShellExec.make("make", ["all"], options)
    yield* Shell.run(exec({ cwd: "/a", input: "one" })).pipe(recording(anything))
    expect((yield* faultOf(exec())).message).toContain(
      'make all is not recorded; the same line is, with the workingDirectory "/a" and another input',
    )
    expect((yield* faultOf(exec({ cwd: "/b", input: "one" }))).message).toContain(
      'the same line is, with the workingDirectory "/a" (EUNRECORDED)',
    )
    expect((yield* faultOf(exec({ input: "two" }), { key: ["arguments", "input"] })).message).toContain(
      "the same line is, with another input (",
    )
    expect((yield* faultOf(exec(), { key: ({ input }) => String(input) })).message).toContain(
      "the same line is, with another key",
    )
  }).pipe(journal))

it.effect("runs unrecorded commands on the shell of onUnmatched", () =>
  Effect.gen(function* () {
    yield* Shell.run(cmd`next`).pipe(recording(answers("recorded")))
    const { shell } = yield* MockShell.make([
      MockShell.on("next", MockRun.stdout("never")),
      MockShell.on("other", MockRun.stdout("real")),
    ])
    yield* Effect.gen(function* () {
      expect((yield* Shell.run(cmd`next`)).stdout).toBe("recorded")
      expect((yield* Shell.run(cmd`other`)).stdout).toBe("real")
      expect(yield* Shell.bytes(cmd`other`).pipe(Stream.runCount)).toBe(2)
    }).pipe(replaying({ speed: "max", onUnmatched: shell }))
  }).pipe(journal))

it.effect("matches by the fields of key, or by a function", () =>
  Effect.gen(function* () {
    const exec = (n: number) =>
      ShellExec.make("tool", [String(n)], {
        env: { N: String(n) },
        commandId: `c${n}`,
        cwd: `/${n}`,
      })
    const script = [MockShell.on("tool", ({ arguments: [n] }) => MockRun.stdout(`run ${n}`))]
    yield* Effect.forEach([1, 2], (n) => Shell.run(exec(n))).pipe(recording(script))
    const asked = ShellExec.make("other", [], { env: { N: "2" }, commandId: "c1", cwd: "/2" })
    const by = (key: ReplayShell.ReplayKey) =>
      Effect.map(Shell.run(asked).pipe(replaying({ speed: "max", key })), ({ stdout }) => stdout)
    expect(yield* by(["environment"])).toBe("run 2")
    expect(yield* by(["commandId"])).toBe("run 1")
    expect(yield* by(({ workingDirectory = "" }) => workingDirectory)).toBe("run 2")
  }).pipe(journal))

it.effect("treats secrets as equal, since they are not recorded", () =>
  Effect.gen(function* () {
    const exec = (secret: string) =>
      ShellExec.make("login", [Redacted.make(secret)], {
        input: Redacted.make(secret),
        env: { T: Redacted.make(secret) },
      })
    yield* Shell.run(exec("hunter2")).pipe(recording([MockShell.on("login", MockRun.copyInput)]))
    const { stdout } = yield* Shell.run(exec("another")).pipe(
      replaying({ speed: "max", key: ["command", "arguments", "input", "environment"] }),
    )
    expect(stdout).toBe("<redacted>")
    expect((yield* faultOf(ShellExec.make("login", ["plain"]))).message).toContain("login <redacted>")
  }).pipe(journal))

it.effect("matches commands in their redacted form", () =>
  Effect.gen(function* () {
    const redactor = Redactor.patterns([{ pattern: /\d{4}-\d\d-\d\d/, label: "date" }])
    yield* Shell.run(cmd`backup ${"2026-11-22"}`).pipe(recording(anything, { redactor }))
    yield* Shell.run(cmd`backup ${"2027-01-01"}`).pipe(replaying({ speed: "max", redactor }))
    expect((yield* faultOf(cmd`backup ${"2027-01-01"}`)).message).toContain("backup '<redacted:date>'")
  }).pipe(journal))

it.effect("faults with Cancelled and the output so far when its signal is aborted", () =>
  Effect.gen(function* () {
    yield* recorded()
    yield* Effect.gen(function* () {
      const controller = new AbortController()
      const fiber = yield* begun(Stream.runDrain(Shell.exec(cmd`build`, { signal: controller.signal })))
      yield* TestClock.adjust("2 seconds")
      yield* turns()
      controller.abort()
      const fault = yield* Effect.flip(Fiber.join(fiber))
      expect(fault).toMatchObject({
        reason: { _tag: "Cancelled", by: "signal" },
        stdout: expect.stringMatching(/^one\ntwo\n/),
        stderr: "warning: é€😀\n",
        stderrBytes: 19,
      })
      const before = yield* Effect.flip(Stream.runDrain(Shell.exec(cmd`build`, { signal: AbortSignal.abort() })))
      expect(before).toMatchObject({ reason: { _tag: "Cancelled" }, stdout: "" })
    }).pipe(replaying())
  }).pipe(journal))

it.effect("runs out of time where the command would have, at any speed", () =>
  Effect.gen(function* () {
    yield* recorded()
    for (const speed of ["max", 1_000] as const) {
      const late = (options: ShellExecOptions) =>
        moved(Effect.flip(Shell.run(ShellExec.make("build", [], options)))).pipe(replaying({ speed }))
      expect(yield* late({ timeout: "5 seconds" })).toMatchObject({
        reason: { _tag: "Timeout", kind: "total", afterMillis: 5_000 },
        stderr: "warning: é€😀\n",
      })
      expect((yield* late({ idleTimeout: "1 second" })).reason).toMatchObject({ kind: "idle", afterMillis: 1_000 })
      expect((yield* late({ idleTimeout: "6 seconds", timeout: "1 hour" })).reason).toMatchObject({ kind: "idle" })
    }
    const enough = Shell.run(cmd({ timeout: "11 seconds", idleTimeout: "9 seconds" })`build`)
    expect((yield* enough.pipe(replaying({ speed: "max" }))).exitCode).toBe(3)
  }).pipe(journal))

it.effect("replays a recorded timeout, with the output of its termination", () =>
  Effect.gen(function* () {
    const script = [
      MockShell.on("slow", MockRun.onTerminate(MockRun.wait("1 second"), MockRun.stdout("bye\n")), MockRun.hang),
    ]
    const exec = cmd({ timeout: "2 seconds" })`slow`
    const [, fault] = yield* moved(allOf(exec)).pipe(recording(script))
    const [events, again] = yield* allOf(exec).pipe(replaying({ speed: "max" }))
    expect(textOf(events)).toBe("bye\n")
    expect(again).toEqual(fault)
  }).pipe(journal))

it.effect("reads stdin, and ends when its source fails", () =>
  Effect.gen(function* () {
    yield* recorded()
    let taken = 0
    const source = Stream.make(new Uint8Array(1_000)).pipe(
      Stream.forever,
      Stream.take(100),
      Stream.tap(() => Effect.sync(() => void taken++)),
    )
    yield* Shell.exec(cmd`build`, { stdin: source }).pipe(Stream.runDrain, replaying({ speed: "max" }))
    expect(taken).toBeGreaterThan(0)
    const broken = Stream.fail(new Error("the disk is gone"))
    const fault = yield* Shell.exec(cmd`build`, { stdin: broken }).pipe(Stream.runDrain, Effect.flip, replaying())
    expect(fault.reason).toEqual({ _tag: "Unknown", code: "ESTDIN" })
    expect(fault.message).toContain("the disk is gone")
  }).pipe(journal))

it.effect("passes stdout on in a pipeline", () =>
  Effect.gen(function* () {
    const script = [
      MockShell.on("yes", MockRun.stdout("y\n"), MockRun.stderr("e\n")),
      MockShell.on("cat", MockRun.copyInput),
    ]
    yield* Effect.all([Shell.run(cmd`yes`), Shell.run(ShellExec.make("cat", [], { input: "other\n" }))]).pipe(
      recording(script),
    )
    const events = yield* Shell.pipeline([cmd`yes`, ShellExec.make("cat", [], { input: "other\n" })]).pipe(
      Stream.runCollect,
      replaying({ speed: "max" }),
    )
    expect(textOf(events)).toBe("other\n")
    expect(textOf(events, "stderr")).toBe("e\n")
    expect(events.at(-1)).toMatchObject({ exitCode: 0, stages: [{ command: "yes" }, { command: "cat" }] })
  }).pipe(journal))

it.effect("ends although a writer is blocked", () =>
  Effect.gen(function* () {
    yield* recorded()
    const written: Array<string> = []
    let ended = false
    const stdout = {
      write: (bytes: Uint8Array) => {
        written.push(new TextDecoder().decode(bytes))
        return Promise.resolve(false)
      },
      end: () => Promise.resolve(void (ended = true)),
    }
    const last = yield* Stream.unwrap(Effect.map(Shell, (shell) => shell.exec(cmd`build`, { stdout }))).pipe(
      Stream.runLast,
      replaying({ speed: "max" }),
    )
    expect(last).toMatchObject({ value: { exitCode: 3 } })
    expect([written, ended]).toEqual([["one\ntwo\n"], true])
  }).pipe(journal))

it.effect("has the default capabilities, and the given ones", () =>
  Effect.gen(function* () {
    const { capabilities } = yield* Shell.pipe(replaying({ capabilities: { platform: "windows" } }))
    expect(capabilities).toMatchObject({ leaf: "replay", platform: "windows", orphans: false, backPressure: true })
  }).pipe(journal))

it.effect("fails with an OptionError for a speed that is not above 0 and finite", () =>
  Effect.gen(function* () {
    for (const speed of [0, -1, Infinity, NaN]) {
      const error = yield* Effect.flip(Effect.asVoid(Shell.pipe(replaying({ speed }))))
      expect(error).toMatchObject({ _tag: "OptionError", option: "speed" })
      expect(error.message).toContain("speed must be above 0")
    }
  }).pipe(journal))
