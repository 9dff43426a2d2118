import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { cmd, LocalShell, type LocalShellOptions, Shell, ShellExec, type ShellExecOptions } from "@sluice/shell"
import { DryRunShell } from "../../../src/leaves/local/DryRunShell.ts"
import { workshop } from "../../support/workshop.ts"

const dry = (options: LocalShellOptions = {}) => Effect.provide(DryRunShell.layerWith(options))

it.effect("returns a description of the command, and exit code 0", () =>
  Effect.gen(function* () {
    const exec = ShellExec.make("sh", ["-c", "exit 3"], { commandId: "dry-1", cwd: "/" })
    const [chunk, output, ...more] = yield* Stream.runCollect(Shell.exec(exec))
    expect(chunk).toEqual({
      _tag: "ShellOutputChunk",
      commandId: "dry-1",
      stream: "stdout",
      content: expect.stringMatching(/^\/.*\/sh -c 'exit 3'\n {2}directory {4}\/\n {2}stdin {8}closed\n$/),
      timestamp: 0,
      seq: 0,
    })
    const text = chunk?._tag === "ShellOutputChunk" ? chunk.content : ""
    expect(output).toEqual({
      _tag: "ShellOutput",
      commandId: "dry-1",
      exitCode: 0,
      stdout: "",
      stderr: "",
      duration: 0,
      completed: 0,
      drain: "eof",
      executable: expect.stringMatching(/^\/.*\/sh$/),
      stdoutBytes: text.length,
      stderrBytes: 0,
      stdoutBytesOmitted: 0,
      stderrBytesOmitted: 0,
    })
    expect(more).toEqual([])
    expect(yield* Shell.run(exec)).toMatchObject({ stdout: text, stdoutBytes: text.length, exitCode: 0 })
  }).pipe(dry()))

it.effect("returns the same as bytes", () =>
  Effect.gen(function* () {
    const { stdout } = yield* Shell.run(cmd`echo é`)
    const [bytes, output] = yield* Stream.runCollect(Shell.bytes(cmd`echo é`))
    expect(bytes?._tag === "ShellBytes" && new TextDecoder().decode(bytes.bytes)).toBe(stdout)
    expect(output).toMatchObject({ _tag: "ShellOutput", exitCode: 0, stdout: "" })
  }).pipe(dry()))

it.live("starts nothing, and reads no input", () =>
  Effect.gen(function* () {
    const { exists, path } = yield* workshop
    let pulled = false
    const stdin = Stream.fromEffect(Effect.sync(() => {
      pulled = true
      return new Uint8Array(1)
    }))
    const events = yield* Stream.runCollect(Shell.exec(ShellExec.shell(`echo x > '${path("made")}'`), { stdin }))
    expect(events).toMatchObject([{ content: expect.stringContaining("a stream") }, { exitCode: 0 }])
    expect(exists("made")).toBe(false)
    expect(pulled).toBe(false)
  }).pipe(dry()))

it.live("fails like a real run if that is known in advance", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    write("plain", "echo never\n", 0o644)
    write("bad", "#!/no/such/interpreter\n", 0o755)
    const make = (command: string, options?: ShellExecOptions) =>
      ShellExec.make(command, [], { commandId: "x", ...options })
    const cases = [
      make("no-such-program"),
      make("/no/such/program"),
      make(path("plain")),
      make(directory),
      make(path("bad")),
      make("true", { cwd: "/no/such/directory" }),
      make("true", { cwd: path("plain") }),
      make("true", { env: { "A=B": "x" } }),
      make("true", { env: { PATH: "/nowhere" } }),
      make("true", { encoding: "klingon-8" }),
      make("a\0b"),
      make(""),
      ShellExec.make("echo", ["half \ud800 a character"], { commandId: "x" }),
    ]
    for (const exec of cases) {
      const faultOn = (layer: typeof LocalShell.layer) =>
        Effect.map(
          Effect.flip(Effect.provide(Stream.runDrain(Shell.exec(exec)), layer)),
          ({ message, reason }) => ({ message, reason }),
        )
      expect(yield* faultOn(DryRunShell.layer)).toEqual(yield* faultOn(LocalShell.layer))
    }
  }))

it.live("finds programs like the leaf that it replaces", () =>
  Effect.gen(function* () {
    const { directory, makeDirectory, path, write } = yield* workshop
    write("node_modules/.bin/tool", "#!/bin/sh\n", 0o755)
    write("greet", "#!/bin/sh\n", 0o755)
    const inner = makeDirectory("inner")
    const tool = yield* Shell.run(cmd`tool`).pipe(dry({ cwd: inner, localBin: true }))
    expect(tool.executable).toBe(path("node_modules/.bin/tool"))
    expect(tool.stdout).toContain(`  directory    ${inner}\n`)
    const greet = yield* Shell.run(ShellExec.make("greet", [], { env: { PATH: directory } })).pipe(dry())
    expect(greet.stdout.split("\n")[0]).toBe(path("greet"))
    const script = yield* Shell.run(ShellExec.shell("a | b")).pipe(dry({ defaultShell: path("greet") }))
    expect(script.stdout.split("\n")[0]).toBe(`${path("greet")} -c 'a | b'`)
  }))

it.live("prints a line with the same effect in a shell", () =>
  Effect.gen(function* () {
    const words = [
      "",
      " ",
      "a b",
      "'",
      '"',
      "\\",
      "$HOME",
      "`id`",
      "*",
      "-n",
      "!x",
      "~",
      "#",
      "é€😀",
      "a=b;c&d|e",
      "{a,b}",
    ]
    const exec = ShellExec.make("printf", ["[%s]", ...words])
    const { stdout } = yield* Shell.run(exec).pipe(dry())
    const [line = ""] = stdout.split("\n")
    const typed = yield* Shell.run(ShellExec.shell(line)).pipe(Effect.provide(LocalShell.layer))
    expect(typed.stdout).toBe(words.map((word) => `[${word}]`).join(""))
  }))

it.effect("shows no secret", () =>
  Effect.gen(function* () {
    const secret = Redacted.make("hunter2")
    const events = yield* Stream.runCollect(
      Shell.exec(ShellExec.make("echo", [secret], { env: { TOKEN: secret }, input: secret })),
    )
    expect(JSON.stringify(events)).not.toContain("hunter2")
    expect(JSON.stringify(events).match(/<redacted>/g)?.length).toBe(3)
  }).pipe(dry()))

it.effect("shows every stage of a pipeline, and comes to its end", () =>
  Effect.gen(function* () {
    const events = yield* Shell.pipeline([cmd`echo a`, cmd`tr a b`, cmd`wc -c`]).pipe(Stream.runCollect)
    const lines = events.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content.split("\n")[0]] : [])
    expect(lines.map((line) => line?.replace(/^.*\//, ""))).toEqual(["echo a", "tr a b", "wc -c"])
    expect(events.at(-1)).toMatchObject({
      _tag: "ShellOutput",
      exitCode: 0,
      stages: [{ command: "echo" }, { command: "tr" }, { command: "wc" }],
    })
  }).pipe(dry()))

it.effect("does nothing after a cancellation", () =>
  Effect.gen(function* () {
    const fault = yield* Effect.flip(Stream.runDrain(Shell.exec(cmd`echo`, { signal: AbortSignal.abort() })))
    expect(fault.reason).toEqual({ _tag: "Cancelled", by: "signal" })
  }).pipe(dry()))

it.effect("declares the capabilities of the leaf that it replaces", () =>
  Effect.gen(function* () {
    const local = yield* Effect.provide(Shell, LocalShell.layer)
    const { capabilities } = yield* Effect.provide(Shell, DryRunShell.layer)
    expect(capabilities.leaf).toBe(local.capabilities.leaf.replace("local", "dry-run"))
    expect(capabilities).toMatchObject({ limits: local.capabilities.limits, platform: local.capabilities.platform })
  }))
