import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync } from "node:fs"
import { cmd, LocalShell, Shell, ShellExec } from "@sluice/shell"
import { Redactor } from "@sluice/shell/journal"
import { MockRun, type MockScript, MockShell, Recorder } from "@sluice/shell/testing"
import { begun, turns } from "../../support/turns.ts"
import { workshop } from "../../support/workshop.ts"
import { allOf, type Event, textOf } from "./support.ts"

/** A program on a shell of the recorder, over a script. */
const over = (script: MockScript, options: Recorder.RecorderOptions) =>
  Effect.provide(Layer.fresh(Recorder.layer(options).pipe(Layer.provide(MockShell.layer(script)))))

const nothing: MockScript = []

const script: MockScript = [
  MockShell.on(["git", "status"], MockRun.stdout(" M a.ts\n"), MockRun.stderr("hint\n")),
  MockShell.on("npm", MockRun.stdout("one\n"), MockRun.wait(1), MockRun.stdout("two\n"), MockRun.exit(3)),
  MockShell.on("gone", MockRun.fail({ _tag: "NotFound", what: "command", path: "gone", code: "ENOENT" })),
  MockShell.on("raw", MockRun.stdout(Uint8Array.of(0xff, 0xfe)), MockRun.stdout(Uint8Array.of(0x00))),
]

/** Everything that a program of several commands sees, ids and times left out. */
const program = Effect.gen(function* () {
  const told = (events: ReadonlyArray<Event>) => [
    textOf(events),
    textOf(events, "stderr"),
    ...events.flatMap((event) => event._tag === "ShellOutput" ? [event.exitCode, event.stdout, event.stderr] : []),
  ]
  const bytes = yield* Shell.bytes(cmd`raw`).pipe(
    Stream.runCollect,
    Effect.map((all) => all.flatMap((event) => event._tag === "ShellBytes" ? [...event.bytes] : [])),
  )
  const whole = yield* Shell.run(cmd`git status`)
  const [status] = yield* allOf(cmd`git status`)
  const [test] = yield* allOf(cmd`npm test`)
  const [, gone] = yield* allOf(cmd`gone`)
  return {
    bytes,
    whole: told([whole]),
    status: told(status),
    test: told(test),
    gone: gone?.reason,
    message: gone?.message,
  }
})

it.live("records once, and answers from the file from then on", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const file = path("fixtures/program.ndjson")
    const recorded = yield* program.pipe(over(script, { file }))
    const text = read("fixtures/program.ndjson")
    expect(text.split("\n").length).toBeGreaterThan(10)
    const replayed = yield* program.pipe(over(nothing, { file }))
    expect(replayed).toEqual(recorded)
    expect(replayed).toMatchObject({ whole: ["", "", 0, " M a.ts\n", "hint\n"], bytes: [255, 254, 0] })
    expect(read("fixtures/program.ndjson")).toBe(text)
  }))

it.live("writes the same file for the same commands, whatever their ids and their speed", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const slow = script.map((rule) =>
      rule.matcher === "npm"
        ? MockShell.on(
          "npm",
          MockRun.stdout("one\n"),
          MockRun.wait(120),
          MockRun.stdout("t"),
          MockRun.wait(120),
          MockRun.stdout("wo\n"),
          MockRun.exit(3),
        )
        : rule
    )
    yield* program.pipe(over(script, { file: path("a"), mode: "record" }))
    yield* program.pipe(over(slow, { file: path("b"), mode: "record" }))
    expect(read("b")).toBe(read("a"))
    expect(read("a")).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/)
  }))

it.live("changes only the lines of one command when that command changes", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const other = [MockShell.on(["git", "status"], MockRun.stdout(" M b.ts\n")), ...script]
    yield* program.pipe(over(script, { file: path("a") }))
    yield* program.pipe(over(other, { file: path("b") }))
    const [before, after] = [read("a").split("\n"), read("b").split("\n")]
    const different = before.filter((line) => !after.includes(line))
    expect(different.length).toBeGreaterThan(0)
    expect(different.filter((line) => !line.includes('"commandId":"git-'))).toEqual([])
  }))

it.live("keeps the names of other commands when one is added before them", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    yield* program.pipe(over(script, { file: path("a") }))
    yield* Effect.andThen(Shell.run(cmd`npm install`), program).pipe(over(script, { file: path("b") }))
    const after = read("b").split("\n")
    expect(read("a").split("\n").filter((line) => !after.includes(line))).toEqual([])
  }))

it.live("names runs of one command by their number, also when they run at once", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const exec = cmd`npm test`
    const three = Effect.all([allOf(exec), allOf(exec), allOf(exec)], { concurrency: 3 })
    const recorded = yield* three.pipe(over(script, { file: path("a") }))
    expect(recorded.map(([events]) => textOf(events))).toEqual(["one\ntwo\n", "one\ntwo\n", "one\ntwo\n"])
    expect(recorded.every(([events]) => events.every(({ commandId }) => commandId === exec.commandId))).toBe(true)
    const ids = [...read("a").matchAll(/"_tag":"ShellExec".*"commandId":"([^"]*)"/g)].map(([, id]) => id)
    expect(ids).toEqual([1, 2, 3].map((n) => expect.stringMatching(new RegExp(`^npm-[0-9a-f]{8}-${n}$`))))
  }))

it.live("omits secrets and the matches of the redactor", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const redactor = Redactor.patterns([{ pattern: /\/tmp\/\S+/, label: "directory" }])
    const login = (directory: string) =>
      Shell.run(ShellExec.make("login", [Redacted.make("hunter2"), directory], { input: Redacted.make("hunter2") }))
    const says = [MockShell.on("login", MockRun.copyInput, MockRun.stdout(" in /tmp/walrus \n"))]
    const options = { file: path("a"), redactor }
    yield* login("/tmp/zebra").pipe(over(says, options))
    expect(read("a")).not.toMatch(/hunter2|zebra|walrus/)
    const { stdout } = yield* login("/tmp/lion").pipe(over(nothing, options))
    expect(stdout).toBe("<redacted> in <redacted:directory> \n")
  }))

it.live("faults for an unrecorded command, and does not run it", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("a")
    yield* Shell.run(cmd`git status`).pipe(over(script, { file }))
    for (const mode of ["auto", "replay"] as const) {
      const fault = yield* Effect.flip(Shell.run(cmd`git statsu`)).pipe(over(script, { file, mode }))
      expect(fault.reason).toEqual({ _tag: "Unknown", code: "EUNRECORDED" })
      expect(fault.message).toContain("the nearest that is: git status")
    }
  }))

it.live('records again with mode "record"', () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const file = path("a")
    yield* program.pipe(over(script, { file }))
    yield* Shell.run(cmd`npm test`).pipe(over(script, { file, mode: "record" }))
    expect(read("a").match(/"_tag":"ShellExec"/g)?.length).toBe(1)
  }))

it.effect("keeps times with keepTimes, measured from the start", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("a")
    const timed = [
      MockShell.on(
        "npm",
        MockRun.stdout("one\n"),
        MockRun.wait("2 seconds"),
        MockRun.stdout("two\n"),
        MockRun.wait("1 second"),
      ),
    ]
    yield* TestClock.adjust("1 day")
    const run = (options: Partial<Recorder.RecorderOptions>) =>
      Effect.gen(function* () {
        const started = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        const fiber = yield* begun(allOf(cmd`npm test`).pipe(over(timed, { file, keepTimes: true, ...options })))
        for (let second = 0; second < 4; second++) {
          yield* TestClock.adjust("1 second")
          yield* turns()
        }
        const [events] = fiber.pollUnsafe()?._tag === "Success" ? yield* Fiber.join(fiber) : [[]]
        return events.map((event) =>
          event._tag === "ShellOutput"
            ? [event.completed - started, event.duration]
            : [event.timestamp - started, event.content, event.seq]
        )
      })
    const recorded = yield* run({})
    expect(recorded).toEqual([[0, "one\n", 0], [2_000, "two\n", 1], [3_000, 3_000]])
    expect(yield* run({ speed: "recorded" })).toEqual(recorded)
    expect(yield* run({})).toEqual(recorded)
  }))

it.live("records a run up to the point where its consumer closed it", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const first = Shell.exec(cmd`npm test`).pipe(Stream.take(1), Stream.runCollect)
    const [chunk] = yield* first.pipe(over(script, { file: path("a") }))
    expect(yield* first.pipe(over(nothing, { file: path("a") }))).toMatchObject([{ content: "one\n" }])
    expect(chunk).toMatchObject({ content: "one\n" })
  }))

it.live("reports missing, unreadable and unwritable recordings", () =>
  Effect.gen(function* () {
    const { makeDirectory, path, write } = yield* workshop
    const failed = (options: Recorder.RecorderOptions) =>
      Effect.map(
        Effect.flip(Effect.asVoid(Shell.pipe(over(nothing, options)))),
        (error) => ["reason" in error ? error.reason : error._tag, error.message],
      )
    expect(yield* failed({ file: path("ghost"), mode: "replay" })).toEqual([
      { _tag: "Missing", path: path("ghost"), code: "ENOENT" },
      `journal: there are no recordings at ${path("ghost")} (ENOENT); make them with mode "record"`,
    ])
    expect(yield* failed({ file: write("bad", "{}\n") })).toMatchObject([
      { _tag: "Corrupt" },
      expect.stringContaining("line 1"),
    ])
    expect(yield* failed({ file: makeDirectory("folder"), mode: "replay" })).toEqual([
      { _tag: "Failed", code: "EISDIR" },
      `journal: ${path("folder")} could not be read (EISDIR)`,
    ])
    const exit = yield* Effect.exit(
      Shell.run(cmd`npm test`).pipe(over(script, { file: path("folder"), mode: "record" })),
    )
    expect(Exit.hasDies(exit) && String(exit)).toContain("could not be written")
  }))

const committed = new URL("./recorded.ndjson", import.meta.url)

/** What a program asks of the machine that it was recorded on. */
const questions = Effect.gen(function* () {
  const { stdout: sum } = yield* Shell.run(ShellExec.shell("echo $((40 + 2)); echo counted >&2"))
  const { exitCode } = yield* Shell.run(cmd`sh -c ${"exit 3"}`)
  const words = yield* Shell.lines(cmd`printf ${"%s\\n"} ${["one", "two", "three"]}`).pipe(Stream.runCollect)
  const upper = yield* Shell.run(ShellExec.make("tr", ["a-z", "A-Z"], { input: "é and e\n" }))
  const fault = yield* Effect.flip(Shell.run(cmd`no-such-program --version`))
  return [sum, exitCode, words, upper.stdout, fault.reason._tag]
})

it.live("answers from a recording that is kept with the tests as a real run does", () =>
  Effect.gen(function* () {
    const answers = ["42\n", 3, ["one", "two", "three"], "é AND E\n", "NotFound"]
    expect(yield* questions.pipe(over(nothing, { file: committed, mode: "replay" }))).toEqual(answers)
    expect(yield* questions.pipe(Effect.provide(LocalShell.layer))).toEqual(answers)
  }))

it.live("equals a new recording, except for the paths of programs", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const recorder = Recorder.layer({ file: path("again"), mode: "record" }).pipe(Layer.provide(LocalShell.layer))
    yield* questions.pipe(Effect.provide(Layer.fresh(recorder)))
    const same = (text: string) => text.replace(/"executable":"[^"]*"/g, "")
    expect(same(read("again"))).toBe(same(readFileSync(committed, "utf8")))
  }))
