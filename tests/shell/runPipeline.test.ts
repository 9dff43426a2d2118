import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { ShellOutput, type ShellOutputChunk } from "../../src/command/ShellEvent.ts"

const sh = (script: string, options?: ShellExecOptions): ShellExec => ShellExec.make("sh", ["-c", script], options)

const textOf = (events: ReadonlyArray<ShellOutputChunk | ShellOutput>, stream: "stdout" | "stderr"): string =>
  events.map((event) => event._tag === "ShellOutputChunk" && event.stream === stream ? event.content : "").join("")

const outputOf = (events: ReadonlyArray<ShellOutputChunk | ShellOutput>): ShellOutput => {
  const last = events.at(-1)
  if (last?._tag !== "ShellOutput") throw new Error("no output")
  return last
}

const live = it.live

live("passes any bytes from each stage to the next", () =>
  Effect.gen(function* () {
    const events = yield* Stream.runCollect(Shell.pipeline([
      ShellExec.make("head", ["-c", "3000000", "/dev/urandom"]),
      ShellExec.make("cat"),
      ShellExec.make("wc", ["-c"]),
    ]))
    expect(textOf(events, "stdout").trim()).toBe("3000000")
    expect(outputOf(events).stages?.map((stage) => stage.exitCode)).toEqual([0, 0, 0])
  }).pipe(Effect.provide(LocalShell.layer)))

live("ends with a leaf that says no start and writes into no pipe", () =>
  Effect.gen(function* () {
    const leaf = Shell.make({
      capabilities: { leaf: "test" },
      exec: ({ command, commandId }) =>
        Stream.succeed(ShellOutput.make({
          ...{ commandId, executable: command, exitCode: 0, stdout: "", stderr: "", duration: 0, completed: 0 },
          ...{ drain: "eof", stdoutBytes: 0, stderrBytes: 0, stdoutBytesOmitted: 0, stderrBytesOmitted: 0 },
        })),
      bytes: () => Stream.never,
    })
    const program = Shell.pipeline([ShellExec.make("a"), ShellExec.make("b"), ShellExec.make("c")])
    const events = yield* Stream.runCollect(program).pipe(
      Effect.provideService(Shell, leaf),
      Effect.timeout("10 seconds"),
    )
    expect(outputOf(events).stages?.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  }))

live("ends a writer as SIGPIPE would when its reader ends early", () =>
  Effect.gen(function* () {
    const events = yield* Stream.runCollect(
      Shell.pipeline([ShellExec.make("yes"), ShellExec.make("head", ["-n", "3"])]),
    )
    expect(textOf(events, "stdout")).toBe("y\ny\ny\n")
    expect(outputOf(events)).toMatchObject({
      exitCode: 0,
      stages: [{ command: "yes", exitCode: 141, signal: "SIGPIPE" }, { command: "head", exitCode: 0 }],
    })
  }).pipe(Effect.provide(LocalShell.layer)))

live("lets a writer finish that writes no more after its reader has gone", () =>
  Effect.gen(function* () {
    const events = yield* Stream.runCollect(
      Shell.pipeline([sh("echo first; sleep 0.3; echo cleaned up >&2; exit 4"), ShellExec.make("true")]),
    )
    expect(textOf(events, "stderr")).toBe("cleaned up\n")
    expect(outputOf(events).stages?.[0]).toMatchObject({ exitCode: 4 })
  }).pipe(Effect.provide(LocalShell.layer)))

live("keeps the stderr of every stage, told apart by its command id", () =>
  Effect.gen(function* () {
    const stages = [sh("echo one >&2; echo a"), sh("cat; echo two >&2")] as const
    const events = yield* Stream.runCollect(Shell.pipeline(stages))
    const byCommand = (id: string) =>
      events.filter((event) => event._tag === "ShellOutputChunk" && event.stream === "stderr" && event.commandId === id)
    expect(byCommand(stages[0].commandId)).toHaveLength(1)
    expect(byCommand(stages[1].commandId)).toHaveLength(1)
    expect(textOf(events, "stdout")).toBe("a\n")
  }).pipe(Effect.provide(LocalShell.layer)))

live(
  "takes the last stage's exit code, or with pipefail that of the last stage that failed",
  () =>
    Effect.gen(function* () {
      const stages = [sh("exit 3"), sh("cat; exit 5"), ShellExec.make("cat")] as const
      expect(outputOf(yield* Stream.runCollect(Shell.pipeline(stages))).exitCode).toBe(0)
      const strict = outputOf(yield* Stream.runCollect(Shell.pipeline(stages, { pipefail: true })))
      expect(strict.exitCode).toBe(5)
      expect(strict.stages?.map((stage) => stage.exitCode)).toEqual([3, 5, 0])
    }).pipe(Effect.provide(LocalShell.layer)),
)

live("fails with the fault of the stage that cannot be executed, and ends the others", () =>
  Effect.gen(function* () {
    const fault = yield* Stream.runDrain(
      Shell.pipeline([ShellExec.make("sleep", ["30"]), ShellExec.make("no-such-program-anywhere")]),
    ).pipe(Effect.flip)
    expect(fault.reason).toMatchObject({ _tag: "NotFound", path: "no-such-program-anywhere" })
  }).pipe(Effect.provide(LocalShell.layer)))

live("takes one place for all stages, so that a long pipeline does not wait for itself", () =>
  Effect.gen(function* () {
    const cats = Array.from({ length: 6 }, () => ShellExec.make("cat"))
    const events = yield* Stream.runCollect(Shell.pipeline([ShellExec.make("echo", ["through"]), ...cats]))
    expect(textOf(events, "stdout")).toBe("through\n")
  }).pipe(Effect.provide(LocalShell.layerWith({ maxConcurrency: 1 }))))

live("holds the first stage back when the last is read slowly", () =>
  Effect.gen(function* () {
    let pulled = 0
    const source = Stream.fromEffectRepeat(Effect.sync(() => {
      pulled++
      return new Uint8Array(65_536)
    }))
    yield* Shell.pipeline([ShellExec.make("cat"), sh("exec sleep 30")], { stdin: source }).pipe(
      Stream.runDrain,
      Effect.timeoutOption("700 millis"),
    )
    // Two pipes' worth, what each reader holds, and no more: the source is endless.
    expect(pulled).toBeGreaterThan(0)
    expect(pulled).toBeLessThan(40)
  }).pipe(Effect.provide(LocalShell.layer)))

live("collects the whole output when the stages do not stream", () =>
  Effect.gen(function* () {
    const events = yield* Stream.runCollect(
      Shell.pipeline([
        sh("echo warning >&2; seq 5", { streamOutput: false }),
        ShellExec.make("tail", ["-n", "2"], { streamOutput: false }),
      ]),
    )
    expect(events).toHaveLength(1)
    expect(outputOf(events)).toMatchObject({ stdout: "4\n5\n", stderr: "warning\n" })
  }).pipe(Effect.provide(LocalShell.layer)))

live("counts the bytes that were handed on instead of shown", () =>
  Effect.gen(function* () {
    const taken: Array<number> = []
    const stdout = {
      write: (bytes: Uint8Array) => Promise.resolve(taken.push(bytes.length) > 0),
      end: () => Promise.resolve(),
    }
    const shell = yield* Shell
    const events = yield* Stream.runCollect(
      shell.exec(ShellExec.make("head", ["-c", "200000", "/dev/zero"]), { stdout }),
    )
    expect(events).toHaveLength(1)
    expect(outputOf(events).stdoutBytes).toBe(200_000)
    expect(taken.reduce((sum, size) => sum + size, 0)).toBe(200_000)
  }).pipe(Effect.provide(LocalShell.layer)))

it.effect("refuses a pipeline without a command when it runs", () =>
  Effect.gen(function* () {
    // @ts-expect-error an empty list
    const empty = Shell.pipeline([])
    // @ts-expect-error plain JavaScript can leave it out
    const missing = Shell.pipeline()
    for (const pipeline of [empty, missing]) {
      const { message, reason } = yield* Effect.flip(Stream.runDrain(pipeline))
      expect(reason._tag).toBe("InvalidRequest")
      expect(message).toBe("exec: a pipeline is a list of commands, at least one (EINVAL)")
    }
  }).pipe(Effect.provide(LocalShell.layer)))
