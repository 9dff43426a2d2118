import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import {
  commandDuration,
  commandsFinished,
  commandsRunning,
  commandsStarted,
  outputBytes,
} from "../../src/shell/metrics.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { collectSpans } from "../support/collectSpans.ts"

/** A registry of this test's own, so that other tests' commands are not counted. */
const fresh = Effect.provideService(Metric.MetricRegistry, new Map())

it.live("counts started commands, their ends, bytes and durations", () =>
  Effect.gen(function* () {
    yield* Stream.runDrain(Shell.exec(ShellExec.make("sh", ["-c", "printf 12345; printf 123 >&2"])))
    yield* Stream.runDrain(Shell.exec(ShellExec.make("no-such-program-anywhere"))).pipe(Effect.ignore)
    yield* Stream.runDrain(Shell.exec(ShellExec.make("sleep", ["30"], { timeout: 50 }))).pipe(Effect.ignore)
    yield* Stream.runDrain(Stream.take(Shell.exec(ShellExec.make("yes")), 1))
    const finished = (reason: string) => Metric.value(Metric.withAttributes(commandsFinished, { reason }))
    expect((yield* Metric.value(commandsStarted)).count).toBe(3)
    expect((yield* finished("Exit")).count).toBe(1)
    expect((yield* finished("Timeout")).count).toBe(1)
    expect((yield* finished("Closed")).count).toBe(1)
    expect((yield* Metric.value(commandsRunning)).value).toBe(0)
    expect((yield* Metric.value(Metric.withAttributes(outputBytes, { stream: "stdout" }))).count).toBe(5)
    expect((yield* Metric.value(Metric.withAttributes(outputBytes, { stream: "stderr" }))).count).toBe(3)
    expect((yield* Metric.value(commandDuration)).count).toBe(1)
  }).pipe(Effect.provide(LocalShell.layer), fresh))

it.live("makes a span for each run, with its program, exit and no secret", () =>
  Effect.gen(function* () {
    const { layer, spans } = collectSpans()
    const exec = ShellExec.make("sh", ["-c", "exit 3", Redacted.make("hunter2")])
    yield* Stream.runDrain(Shell.exec(exec)).pipe(
      Effect.withSpan("parent"),
      Effect.provide(LocalShell.layer),
      Effect.provide(layer),
    )
    const span = spans.find(({ name }) => name === "Shell.exec")
    const attributes = Object.fromEntries(span?.attributes ?? [])
    expect(attributes).toMatchObject({
      "sluice.command_id": exec.commandId,
      "process.command": "sh",
      "process.command_args": ["-c", "exit 3", "<redacted>"],
      "process.exit.code": 3,
    })
    expect(attributes["process.pid"]).toBeGreaterThan(0)
    expect(String(attributes["process.executable.path"])).toMatch(/\/sh$/)
    expect(span?.status).toMatchObject({ _tag: "Ended", exit: Exit.void })
    expect(JSON.stringify([...span?.attributes ?? []])).not.toContain("hunter2")
    expect(span?.parent).toMatchObject({ value: { name: "parent" } })
  }))

it.live("ends the span with the fault, and as interrupted when the stream is closed early", () =>
  Effect.gen(function* () {
    const { layer, spans } = collectSpans()
    const provide = <A, E>(effect: Effect.Effect<A, E, Shell>) =>
      effect.pipe(Effect.provide(LocalShell.layer), Effect.provide(layer))
    yield* provide(Stream.runDrain(Shell.exec(ShellExec.make("sleep", ["30"], { timeout: 50 })))).pipe(Effect.ignore)
    yield* provide(Stream.runDrain(Stream.take(Shell.exec(ShellExec.make("yes")), 1)))
    const [late, closed] = spans.map(({ status }) => status._tag === "Ended" ? status.exit : undefined)
    const fault = late === undefined ? undefined : Option.getOrUndefined(Exit.findErrorOption(late))
    expect(fault).toMatchObject({ _tag: "ShellFault", reason: { _tag: "Timeout", kind: "total", afterMillis: 50 } })
    expect(spans[0]?.attributes.get("error.type")).toBe("Timeout")
    expect(closed !== undefined && Exit.hasInterrupts(closed)).toBe(true)
  }))

it.live("logs the end of a run at level Debug, annotated with the command id", () =>
  Effect.gen(function* () {
    const lines: Array<readonly [unknown, unknown]> = []
    const logger = Logger.make(({ fiber, message }) => {
      lines.push([message, Context.get(fiber.context, References.CurrentLogAnnotations)])
    })
    const exec = ShellExec.make("true", [], { commandId: "build-7" })
    yield* Stream.runDrain(Shell.exec(exec)).pipe(
      Effect.provide(LocalShell.layer),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "Debug"),
    )
    expect(lines).toEqual([[["true exited with 0"], { commandId: "build-7" }]])
  }))
