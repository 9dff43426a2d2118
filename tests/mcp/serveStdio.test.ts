import { expect, it } from "@effect/vitest"
import type * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"
import { LocalShell, type OptionError, type Shell } from "../../mod.ts"
import { serveStdio } from "../../src/mcp/mod.ts"
import { eventually, settled } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { answerOf, toolCall } from "./support.ts"

const heartbeat = fileURLToPath(new URL("../fixtures/heartbeat.sh", import.meta.url))

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
}

interface Written {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

/** A server at the other end of two pipes. */
const piped = Effect.suspend(() => pipedTo(LocalShell.layer))

const pipedTo = Effect.fnUntraced(function* (shell: Layer.Layer<Shell, OptionError>) {
  const input = yield* Queue.make<Uint8Array, Cause.Done>()
  const written: Array<Written> = []
  const pipes = { broken: false }
  const stdio = Stdio.make({
    args: Effect.succeed([]),
    stdin: Stream.fromQueue(input),
    stdout: () =>
      Sink.forEach((text: string | Uint8Array) =>
        pipes.broken
          ? Effect.fail(PlatformError.systemError({ _tag: "Unknown", module: "test", method: "write" }))
          : Effect.sync(() => {
            const line = typeof text === "string" ? text : new TextDecoder().decode(text)
            expect(line).toMatch(/^[^\n]*\n$/)
            written.push(JSON.parse(line))
          })
      ),
    stderr: () => Sink.drain,
  })
  const fiber = yield* Effect.forkChild(
    serveStdio().pipe(Effect.provide(shell), Effect.provideService(Stdio.Stdio, stdio)),
    { startImmediately: true },
  )
  const send = (text: string) => Queue.offer(input, new TextEncoder().encode(text))
  return {
    send,
    sendMessage: (message: unknown) => send(`${JSON.stringify(message)}\n`),
    end: Queue.end(input),
    pipes,
    fiber,
    written,
    answer: (id: unknown) =>
      Effect.map(
        eventually(`an answer to ${id}`, () => written.some((one) => one.id === id)),
        () => written.find((one) => one.id === id),
      ),
  }
})

it.live("answers an invalid message with an error, and continues", () =>
  Effect.gen(function* () {
    const { answer, end, fiber, send, sendMessage, written } = yield* piped
    yield* send("GET / HTTP/1.1\r\n\r\n")
    yield* sendMessage([5])
    yield* sendMessage(initialize)
    yield* answer(0)
    yield* sendMessage({ jsonrpc: "2.0", method: "notifications/initialized" })
    yield* send(`{not json}\n${JSON.stringify(toolCall(1, "execute_command", { command: "echo hello" }))}\n`)
    expect(answerOf((yield* answer(1))?.result).result.stdout).toBe("hello\n")
    expect(written.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([-32_700, -32_600, -32_700])
    yield* end
    yield* Fiber.join(fiber)
  }))

it.live("ends its commands when there is no more input, and answers them", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { answer, end, fiber, sendMessage } = yield* piped
    yield* sendMessage(initialize)
    yield* sendMessage(
      toolCall(1, "execute_command", { command: `echo begun; sh '${heartbeat}' '${path("heartbeat")}' & wait` }),
    )
    yield* eventually("it runs", () => size("heartbeat") > 3)
    yield* end
    yield* Fiber.join(fiber)
    const last = size("heartbeat")
    const { isError, result } = answerOf((yield* answer(1))?.result)
    expect({ isError, result }).toMatchObject({ isError: true, result: { reason: "Cancelled", stdout: "begun\n" } })
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
  }).pipe(Effect.scoped))

it.live("ends its commands when the output is closed", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { fiber, pipes, sendMessage } = yield* piped
    yield* sendMessage(initialize)
    yield* sendMessage(toolCall(1, "execute_command", { command: `sh '${heartbeat}' '${path("heartbeat")}' & wait` }))
    yield* eventually("it runs", () => size("heartbeat") > 3)
    pipes.broken = true
    yield* sendMessage(toolCall(2, "execute_command", { command: "true" }))
    yield* settled(() => size("heartbeat"))
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.scoped))

it.live("ends its commands when it is interrupted", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { fiber, sendMessage } = yield* piped
    yield* sendMessage(initialize)
    yield* sendMessage(toolCall(1, "execute_command", { command: `sh '${heartbeat}' '${path("heartbeat")}' & wait` }))
    yield* eventually("it runs", () => size("heartbeat") > 3)
    yield* Fiber.interrupt(fiber)
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
  }).pipe(Effect.scoped))

it.effect("fails with the option that is wrong", () =>
  Effect.gen(function* () {
    const stdio = Stdio.layerTest({ stdin: Stream.empty, stdout: () => Sink.drain })
    for (
      const [option, settings] of [["defaultTimeout", { defaultTimeout: "Infinity" }], ["maxOutputBytes", {
        maxOutputBytes: -1,
      }]] as const
    ) {
      const error = yield* Effect.flip(Effect.provide(serveStdio(settings), Layer.merge(LocalShell.layer, stdio)))
      expect(error).toMatchObject({ _tag: "OptionError", option })
    }
  }))

it.live("logs to stderr: stdout is for the answers", () => {
  const printed: Array<readonly [where: string, line: string]> = []
  const quiet: Console.Console = {
    ...console,
    log: (...line) => void printed.push(["stdout", line.join(" ")]),
    error: (...line) => void printed.push(["stderr", line.join(" ")]),
  }
  return Effect.gen(function* () {
    const { answer, end, fiber, sendMessage } = yield* pipedTo(LocalShell.layerWith({ maxConcurrency: 1 }))
    yield* sendMessage(initialize)
    yield* sendMessage(toolCall(1, "execute_command", { command: "sleep 60" }))
    yield* sendMessage(toolCall(2, "execute_command", { command: "true" }))
    yield* eventually("it warns", () => printed.length > 0)
    expect(printed).toEqual([["stderr", expect.stringMatching(/ WARN .* waits: .* \(maxConcurrency\), first /)]])
    yield* end
    yield* Fiber.join(fiber)
    expect(answerOf((yield* answer(2))?.result).result.reason).toBe("Cancelled")
  }).pipe(Effect.provideService(Console.Console, quiet))
})
