import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { cmd, OptionError, Shell, ShellExec, type ShellExecOptions } from "@sluice/shell"
import { MockRun, type MockScript, MockScriptError, MockShell, type MockShellOptions } from "@sluice/shell/testing"
import { begun, turns } from "../../support/turns.ts"

const mocked = (script: MockScript, options: MockShellOptions = {}) =>
  Effect.provide(MockShell.layerWith(script, options))

const stdoutOf = (exec: ShellExec) => Effect.map(Shell.run(exec), ({ stdout }) => stdout)

const faultOf = (exec: ShellExec) => Effect.flip(Shell.run(exec))

const says = (text: string) => MockRun.stdout(text)

it.effect("answers a command by the first rule that matches it", () =>
  Effect.gen(function* () {
    expect(yield* stdoutOf(cmd`git status`)).toBe("exact")
    expect(yield* stdoutOf(cmd`git status --short`)).toBe("value")
    expect(yield* stdoutOf(cmd`git log -n 3`)).toBe("function")
    expect(yield* stdoutOf(cmd`git push`)).toBe("name")
    expect(yield* stdoutOf(ShellExec.shell("git push"))).toBe("script")
  }).pipe(mocked([
    MockShell.on(["git", "status"], says("exact")),
    MockShell.on(cmd`git status --short`, says("value")),
    MockShell.on(({ arguments: args }) => args.includes("-n"), says("function")),
    MockShell.on("git", says("name")),
    MockShell.on("git", says("too late")),
    MockShell.on(ShellExec.shell("git push"), says("script")),
  ])))

it.effect("compares directory, input and environment of a ShellExec matcher, secrets by value", () =>
  Effect.gen(function* () {
    const run = (options: ShellExecOptions) => Shell.run(ShellExec.make("tool", [], options))
    yield* run({ cwd: "/a", input: "in", env: { A: "1", B: "2", T: Redacted.make("hunter2") } })
    yield* run({ input: Uint8Array.of(1, 2) })
    for (
      const other of [
        { cwd: "/b", input: "in", env: { A: "1", T: "hunter2" } },
        { cwd: "/a", input: "out", env: { A: "1", T: "hunter2" } },
        { cwd: "/a", input: "in", env: { A: "2", T: "hunter2" } },
        { cwd: "/a", input: "in", env: { A: null, T: "hunter2" } },
        { input: Uint8Array.of(1, 3) },
        {},
      ]
    ) {
      expect((yield* Effect.flip(run(other))).reason).toEqual({ _tag: "Unknown", code: "EUNSCRIPTED" })
    }
  }).pipe(mocked([
    MockShell.on(
      ShellExec.make("tool", [], { cwd: "/a", input: "in", env: { A: "1", T: "hunter2" } }),
      says("all"),
    ),
    MockShell.on(ShellExec.make("tool", [], { input: Uint8Array.of(1, 2) }), says("bytes")),
  ])))

it.effect("makes the steps from the command with a function", () =>
  Effect.gen(function* () {
    expect(yield* stdoutOf(cmd`echo a b`)).toBe("a b\n")
    expect((yield* Shell.run(cmd`fails 3`)).exitCode).toBe(3)
  }).pipe(mocked([
    MockShell.on("echo", (exec) => says(`${exec.arguments.join(" ")}\n`)),
    MockShell.on("fails", (exec) => [MockRun.stderr("no\n"), MockRun.exit(Number(exec.arguments[0]))]),
  ])))

it.effect("uses a rule of once for one command, then the next rule", () =>
  Effect.gen(function* () {
    const answers = yield* Effect.forEach([1, 2, 3, 4], () => stdoutOf(cmd`flaky`))
    expect(answers).toEqual(["first", "second", "then", "then"])
    yield* MockShell.verify
  }).pipe(mocked([
    MockShell.once("flaky", says("first")),
    MockShell.once("flaky", says("second")),
    MockShell.on("flaky", says("then")),
  ])))

it.effect("fails with the command line and the most similar rule", () =>
  Effect.gen(function* () {
    const fault = yield* faultOf(ShellExec.make("git", ["statsu", "a b", Redacted.make("hunter2")]))
    expect(fault.reason).toEqual({ _tag: "Unknown", code: "EUNSCRIPTED" })
    expect(fault.message).toBe(
      "exec: git statsu 'a b' <redacted> is not scripted; the nearest that is: git status 'a b' (EUNSCRIPTED)",
    )
    expect((yield* faultOf(cmd`npm`)).message).toContain("the nearest that is: npx …")
    expect((yield* faultOf(ShellExec.shell("ls|wc"))).message).toBe(
      "exec: sh -c 'ls|wc' is not scripted; the nearest that is: sh -c 'ls | wc' (EUNSCRIPTED)",
    )
  }).pipe(mocked([
    MockShell.on(["git", "status", "a b"]),
    MockShell.on("npx"),
    MockShell.on(ShellExec.shell("ls | wc")),
  ])))

it.effect("explains why no rule is similar", () =>
  Effect.gen(function* () {
    const messageOf = (script: MockScript) => Effect.map(faultOf(cmd`x`).pipe(mocked(script)), ({ message }) => message)
    expect(yield* messageOf([])).toContain("the script is empty")
    expect(yield* messageOf([MockShell.on(() => false)])).toContain("no function of the script matches it")
    expect(yield* messageOf(() => undefined)).toContain("the script's function returns undefined")
  }))

it.effect("reports a rule that has been used up", () =>
  Effect.gen(function* () {
    yield* Shell.run(cmd`once`)
    expect((yield* faultOf(cmd`once`)).message).toContain("all scripted rules for it have been used up")
  }).pipe(mocked([MockShell.once("once")])))

it.effect("requires the order of the rules if set, and names the next rule", () =>
  Effect.gen(function* () {
    yield* Shell.run(cmd`git fetch`)
    expect((yield* faultOf(cmd`git push`)).message).toContain("the next one in order is: git rebase")
    yield* Shell.run(cmd`git rebase`)
    yield* Shell.run(cmd`git push`)
    expect((yield* faultOf(cmd`git push`)).message).toContain("all scripted rules for it have been used up")
  }).pipe(mocked([
    MockShell.on(["git", "fetch"]),
    MockShell.on(["git", "rebase"]),
    MockShell.on(["git", "push"]),
  ], { ordered: true })))

it.effect("records every received command with its state", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("5 seconds")
    yield* Shell.run(ShellExec.make("cat", [], { input: "é", cwd: "/x", commandId: "first" }))
    yield* faultOf(cmd`unknown`)
    const running = yield* begun(Shell.run(cmd`hang`))
    const calls = yield* MockShell.calls
    expect(calls.map(({ exec }) => exec.command)).toEqual(["cat", "unknown", "hang"])
    expect(calls).toMatchObject([
      { scripted: true, startedAt: 5_000, input: "é", signals: [], exit: { exitCode: 0 } },
      { scripted: false, input: "", exit: undefined },
      { scripted: true, exit: undefined },
    ])
    expect(calls[0]?.exec).toMatchObject({ commandId: "first", workingDirectory: "/x" })
    yield* Fiber.interrupt(running)
    expect((yield* MockShell.calls)[2]).toMatchObject({ signals: ["SIGTERM"], exit: { signal: "SIGTERM" } })
    // What was told before stays what it was.
    expect(calls[2]?.exit).toBeUndefined()
  }).pipe(mocked([MockShell.on("cat", MockRun.copyInput), MockShell.on("hang", MockRun.hang)])))

it.effect("records no call for invalid, throttled or cancelled commands", () =>
  Effect.gen(function* () {
    const holder = yield* begun(Shell.run(cmd`hang`))
    const waiting = yield* begun(faultOf(cmd({ timeout: "1 second" })`hang`))
    expect((yield* faultOf(cmd`hang`)).reason._tag).toBe("Throttled")
    expect((yield* faultOf(ShellExec.make("a\0b"))).reason).toMatchObject({ _tag: "InvalidRequest", field: "command" })
    yield* TestClock.adjust("1 second")
    expect((yield* Fiber.join(waiting)).reason).toMatchObject({ _tag: "Timeout", kind: "queue" })
    yield* Fiber.interrupt(holder)
    expect((yield* MockShell.calls).length).toBe(1)
  }).pipe(mocked([MockShell.on("hang", MockRun.hang)], { maxConcurrency: 1, maxQueued: 1 })))

it.effect("fails to verify if a command was unscripted, or a required rule was not used", () =>
  Effect.gen(function* () {
    yield* Shell.run(cmd`git fetch`)
    yield* Effect.ignore(Shell.run(cmd`git pull`))
    const error = yield* Effect.flip(MockShell.verify)
    expect(error).toBeInstanceOf(MockScriptError)
    expect(error.message).toBe(
      "mock: git pull is not scripted; the nearest that is: git push; and git push was never used (EUNSCRIPTED)",
    )
  }).pipe(mocked([
    MockShell.once(["git", "fetch"]),
    MockShell.once(["git", "push"]),
    MockShell.on("never", says("need not")),
  ])))

it.effect("verifies the rest of a script in order", () =>
  Effect.gen(function* () {
    yield* Shell.run(cmd`a`)
    expect((yield* Effect.flip(MockShell.verify)).message).toContain("b … was never used")
    yield* Shell.run(cmd`b`)
    yield* MockShell.verify
  }).pipe(mocked([MockShell.on("a"), MockShell.on("b")], { ordered: true })))

it.effect("starts afresh with each mock", () =>
  Effect.gen(function* () {
    const script = [MockShell.once("a", says("x"))]
    for (const _ of [1, 2]) {
      const mock = yield* MockShell.make(script)
      expect(yield* mock.shell.exec(cmd`a`).pipe(Stream.runCount)).toBe(2)
      expect((yield* mock.calls).length).toBe(1)
      expect(yield* mock.problems).toEqual([])
    }
  }))

it.effect("has the given capabilities and executable", () =>
  Effect.gen(function* () {
    const { capabilities } = yield* Shell
    expect(capabilities).toMatchObject({ leaf: "mock", platform: "windows", groupKill: "none", exactOrder: true })
    expect((yield* Shell.run(cmd`tool`)).executable).toBe("C:\\tool.exe")
  }).pipe(
    mocked([MockShell.on("tool")], {
      capabilities: { platform: "windows", groupKill: "none" },
      executable: ({ command }) => `C:\\${command}.exe`,
    }),
  ))

it.effect("applies the times of its options to commands without their own", () =>
  Effect.gen(function* () {
    const fiber = yield* begun(faultOf(cmd`stubborn`))
    yield* TestClock.adjust("1 minute")
    yield* turns()
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 hour")
    expect((yield* Fiber.join(fiber)).reason).toEqual({
      _tag: "Timeout",
      kind: "total",
      afterMillis: Duration.toMillis("1 minute"),
    })
  }).pipe(
    mocked([MockShell.on("stubborn", MockRun.ignoreTerminate, MockRun.hang)], {
      timeout: "1 minute",
      grace: "1 hour",
    }),
  ))

it("refuses limits under which no command could run", () => {
  for (const bad of [0, -1, 1.5, NaN]) {
    expect(() => Effect.runSync(MockShell.make([], { maxConcurrency: bad }))).toThrow(OptionError)
  }
  expect(() => Effect.runSync(MockShell.make([], { maxQueued: -1 }))).toThrow(OptionError)
})
