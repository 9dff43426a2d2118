import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec, ShellExitError, ShellFault, type ShellOutput } from "@sluice/shell"
import { KernelShell } from "@sluice/shell/sandbox"
import { MockRun, MockShell } from "@sluice/shell/testing"

const sh = (script: string, options = {}) => ShellExec.make("sh", ["-c", script], options)

const live = it.live.skipIf(process.platform === "win32")

const locally = Effect.provide(LocalShell.layer)

live("text returns stdout without its last line end, and only that one", () =>
  Effect.gen(function* () {
    expect(yield* Shell.text(sh("printf 'a\\nb\\n\\n'; echo warning >&2"))).toBe("a\nb\n")
    expect(yield* Shell.text(sh("printf 'a\\r\\n'"))).toBe("a")
    expect(yield* Shell.text(sh("true"))).toBe("")
  }).pipe(locally))

live("text and json fail with the exit code, and its output", () =>
  Effect.gen(function* () {
    const exec = sh("echo half; echo broken >&2; exit 4")
    for (const run of [Shell.text(exec), Shell.json(exec, Schema.Unknown)]) {
      const error = yield* Effect.flip<unknown, unknown, Shell>(run)
      expect(error).toBeInstanceOf(ShellExitError)
      expect(error).toMatchObject({ exitCode: 4, stdout: "half\n", stderr: "broken\n" })
    }
  }).pipe(locally))

live("bytes gives elements that may be kept", () =>
  Effect.gen(function* () {
    const events = yield* Stream.runCollect(Shell.bytes(sh("seq 100000")))
    const pieces = events.flatMap((event) => event._tag === "ShellBytes" ? [event.bytes] : [])
    expect(pieces.length).toBeGreaterThan(1)
    const text = pieces.map((bytes) => new TextDecoder().decode(bytes)).join("")
    expect(text === Array.from({ length: 100_000 }, (_, n) => `${n + 1}\n`).join("")).toBe(true)
  }).pipe(locally))

live("json decodes by the Schema, and fails for invalid JSON and for other types", () =>
  Effect.gen(function* () {
    const Point = Schema.Struct({ x: Schema.Int, at: Schema.DurationFromMillis })
    expect((yield* Shell.json(sh(`echo '{"x":3,"at":1500}'`), Point)).x).toBe(3)
    for (const text of ['{"x":"3","at":1}', "{", ""]) {
      const error = yield* Effect.flip(Shell.json(ShellExec.make("echo", [text]), Point))
      expect(error._tag).toBe("SchemaError")
    }
  }).pipe(locally))

live("json refuses output of which the middle was left out", () =>
  Effect.gen(function* () {
    const exec = sh("printf '[%01000d]' 0", { maxOutputBytes: 100 })
    const error = yield* Effect.flip(Shell.json(exec, Schema.Unknown))
    if (!(error instanceof ShellFault)) throw error
    expect(error.reason).toEqual({ _tag: "ResourceExhausted", resource: "output", code: "ENOBUFS" })
    expect(error.message).toBe("exec: sh wrote 1002 bytes, and 100 of them were kept: raise maxOutputBytes (ENOBUFS)")
  }).pipe(locally))

live(
  "exitCode returns any exit code, also of a command that writes more than is kept",
  () =>
    Effect.gen(function* () {
      expect(yield* Shell.exitCode(sh("exit 7"))).toBe(7)
      expect(yield* Shell.exitCode(sh("head -c 300000 /dev/zero; kill -TERM $$"))).toBe(143)
      expect((yield* Effect.flip(Shell.exitCode(ShellExec.make("no-such-program-anywhere")))).reason._tag).toBe(
        "NotFound",
      )
    }).pipe(locally),
)

live("failOnExit fails the result of run as it fails the stream of exec", () =>
  Effect.gen(function* () {
    const failed = yield* Effect.flip(Shell.run(sh("echo out; exit 3")).pipe(Shell.failOnExit()))
    expect(failed).toBeInstanceOf(ShellExitError)
    expect(failed).toMatchObject({ _tag: "ShellExitError", exitCode: 3, stdout: "out\n" })
    expect((yield* Shell.run(sh("exit 1")).pipe(Shell.failOnExit(({ exitCode }) => exitCode > 1))).exitCode).toBe(1)
    expect((yield* Effect.flip(Shell.failOnExit(Shell.run(sh("exit 2")))))._tag).toBe("ShellExitError")
    expect((yield* Shell.failOnExit(Shell.run(sh("exit 2")), () => false)).exitCode).toBe(2)
    const seen: Array<string> = []
    const streamed = Shell.exec(sh("echo out; exit 3")).pipe(
      Shell.failOnExit(),
      Stream.runForEach((event) => Effect.sync(() => void seen.push(event._tag))),
    )
    expect((yield* Effect.flip(streamed))._tag).toBe("ShellExitError")
    expect(seen).toEqual(["ShellOutputChunk"])
  }).pipe(locally))

it.effect("make offers nothing that a leaf does not declare", () =>
  Effect.gen(function* () {
    const { exec, bytes } = yield* Shell
    const shell = Shell.make({ exec, bytes, capabilities: { leaf: "mine", limits: ["cpuSeconds"] } })
    expect(shell.capabilities).toEqual({
      leaf: "mine",
      platform: "posix",
      groupKill: "none",
      escapees: false,
      orphans: false,
      limits: ["cpuSeconds"],
      exactOrder: false,
      pty: false,
      isolated: false,
      backPressure: false,
      resolvesPath: false,
    })
    expect(Shell.make({ exec, bytes }).capabilities.leaf).toBe("custom")
    const output: ShellOutput = yield* Effect.provide(
      Shell.run(ShellExec.make("ls")),
      Layer.succeed(Shell, Shell.make({ exec, bytes })),
    )
    expect(output.stdout).toBe("a\n")
  }).pipe(Effect.provide(MockShell.layer([MockShell.on("ls", MockRun.stdout("a\n"))]))))

it.live("says of a command line as one text that its arguments go into a list, on each leaf", () =>
  Effect.gen(function* () {
    const messageOf = <A>(run: Effect.Effect<A, { readonly message: string }, Shell>) =>
      Effect.map(Effect.flip(run), ({ message }) => message)
    const line = ShellExec.make("ls -la /tmp")
    const advice = 'write ShellExec.make("ls", ["-la", "/tmp"]) or ShellExec.shell("ls -la /tmp")'
    for (const leaf of [LocalShell.layer, KernelShell.layer]) {
      yield* Effect.gen(function* () {
        const runs = [Shell.run(line), Shell.text(line), Stream.runDrain(Shell.exec(line)), Shell.exitCode(line)]
        for (const run of [...runs, Stream.runDrain(Shell.bytes(line)), Stream.runDrain(Shell.lines(line))]) {
          expect(yield* messageOf<unknown>(run)).toMatch(/^exec: ".*ls -la \/tmp" not found \(ENOENT\); /)
          expect(yield* messageOf<unknown>(run)).toContain(
            `"ls -la /tmp" is read as the name of one program: ${advice}`,
          )
        }
        const more = ShellExec.make("git log", ["-3", Redacted.make("k3y")])
        expect(yield* messageOf(Shell.run(more))).toContain(
          'write ShellExec.make("git", ["log", "-3", "<redacted>"])',
        )
        expect(yield* messageOf(Shell.run(ShellExec.make("ls | wc -l")))).toMatch(
          /is read as the name of one program: write ShellExec\.shell\("ls \| wc -l"\)$/,
        )
        expect(yield* messageOf(Shell.run(ShellExec.make("no-such-program", ["a b"])))).toMatch(/\(ENOENT\)$/)
      }).pipe(Effect.provide(leaf))
    }
  }))
