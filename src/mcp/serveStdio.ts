/** Serves the tools and resources to one MCP client over stdin and stdout. */
import * as McpServer from "effect/ai/McpServer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { LogToStderr } from "effect/References"
import * as Semaphore from "effect/Semaphore"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { Latch } from "../base/waits.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import type { Shell } from "../shell/Shell.ts"
import { checkSpellOptions, type McpSpells, type McpWithoutSpells, spellOptionNames } from "./McpSpells.ts"
import { identityNames, identityOf, type McpIdentity, protocols } from "./McpIdentity.ts"
import { type McpToolOptions, toolOptionNames, type ToolSettings, toolSettings } from "./McpToolOptions.ts"
import { type MessageLineError, MessageLineReader } from "./MessageLineReader.ts"
import { registrationsOf, spellRegistrationsOf } from "./registrations.ts"

/** Options of {@link serveStdio}. */
export interface ServeStdioOptions extends McpToolOptions, McpIdentity {
  /** Maximum size of a message, in bytes. Default: 4 MiB. */
  readonly maxMessageBytes?: number | undefined
}

const optionNames: Readonly<Record<keyof (ServeStdioOptions & McpSpells<never>), true>> = {
  ...toolOptionNames,
  ...identityNames,
  ...spellOptionNames,
  maxMessageBytes: true,
}

const stdioSettings = (
  options: ServeStdioOptions & (McpSpells<unknown> | McpWithoutSpells),
): ToolSettings & { readonly maxMessageBytes: number } => {
  refuseUnknownOptions("serveStdio", options, optionNames)
  checkSpellOptions("serveStdio", options)
  const maxMessageBytes = requireCount("serveStdio", "maxMessageBytes", options.maxMessageBytes ?? 4 * 1024 * 1024, {
    min: 1,
  })
  return { ...toolSettings(options), maxMessageBytes }
}

/** Time for commands to end and for their answers to be written, after the end of stdin. */
const answerTimeout = "10 seconds"

const problemLine = (error: MessageLineError): string => `${JSON.stringify({ jsonrpc: "2.0", id: null, error })}\n`

/**
 * Serves the tools, or with `spells` those instead, to the client at the other end of stdin and stdout until stdin ends; then
 * it cancels all calls and answers their requests. Interruption cancels them too. Effect's own logger writes to stderr
 * meanwhile; a logger of yours must not write to stdout.
 *
 * Supports all protocol revisions since 2024-11-05. A line without a valid message is answered with an error.
 *
 * Fails for an unknown or invalid option, and if the shell cannot enforce the policy.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { serveStdio } from "@sluice/shell/mcp"
 * import { Effect, Layer, Sink, Stdio, Stream } from "effect"
 *
 * const answers: Array<string | Uint8Array> = []
 * const initialize = {
 *   jsonrpc: "2.0",
 *   id: 1,
 *   method: "initialize",
 *   params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "me", version: "1" } },
 * }
 * const stdio = Stdio.layerTest({
 *   stdin: Stream.succeed(new TextEncoder().encode(`${JSON.stringify(initialize)}\n`)),
 *   stdout: () => Sink.forEach((text) => Effect.sync(() => answers.push(text))),
 * })
 * await Effect.runPromise(Effect.provide(serveStdio(), Layer.merge(LocalShell.layer, stdio)))
 * console.log(answers.length === 1 && String(answers[0]).includes(`"protocolVersion":"2025-11-25"`)) // true
 * ```
 */
export function serveStdio(
  options?: ServeStdioOptions & McpWithoutSpells,
): Effect.Effect<void, OptionError | AccessPolicyError, Shell | Stdio.Stdio>
/** Serves the spells of a book, with the services that they need from the context. */
export function serveStdio<R>(
  options: ServeStdioOptions & McpSpells<R>,
): Effect.Effect<void, OptionError | AccessPolicyError, R | Stdio.Stdio>
export function serveStdio<R>(
  options: ServeStdioOptions & (McpSpells<R> | McpWithoutSpells) = {},
): Effect.Effect<void, OptionError | AccessPolicyError, R | Shell | Stdio.Stdio> {
  return Effect.scoped(Effect.gen(function* () {
    const { maxMessageBytes, ...settings } = yield* attemptOptions(() => stdioSettings(options))
    const stdio = yield* Stdio.Stdio
    const turns = yield* Semaphore.make(1)
    const ended = new Latch()
    const stop = new AbortController()
    const end = Effect.sync(() => {
      stop.abort()
      ended.open()
    })
    // A closed stdout ends the server too.
    const write = (text: string | Uint8Array): Effect.Effect<void> =>
      Semaphore.withPermits(turns, 1)(Stream.run(Stream.succeed(text), stdio.stdout({ endOnDone: false }))).pipe(
        Effect.catch(() => end),
      )

    const lines = new MessageLineReader(maxMessageBytes)
    const messages: Stream.Stream<Uint8Array> = stdio.stdin.pipe(
      // A broken stdin is treated as its end.
      Stream.catch(() => Stream.empty),
      Stream.flatMap((bytes) => Stream.fromIterable(lines.push(bytes))),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(lines.end()))),
      Stream.mapEffect((line) =>
        typeof line === "string" ? Effect.succeed([encodeUtf8(line)]) : Effect.as(write(problemLine(line)), [])
      ),
      Stream.flatMap((some) => Stream.fromIterable(some)),
      Stream.ensuring(end),
    )
    // One pull: Effect's server restarts its reader after a message that it cannot decode, and must not lose input.
    const pull = yield* Stream.toPull(messages)

    const signal = settings.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, settings.signal])
    const known = { ...settings, signal }
    const tools: Layer.Layer<never, OptionError | AccessPolicyError, McpServer.McpServer> = options.spells === undefined
      ? Layer.provide(
        registrationsOf(known, options.registrations),
        Layer.succeedContext(yield* Effect.context<Shell>()),
      )
      : Layer.provide(spellRegistrationsOf(options, known), Layer.succeedContext(yield* Effect.context<R>()))
    const server = McpServer.layerStdio({
      ...identityOf(options),
      protocols,
      registrations: tools,
    }).pipe(
      Layer.provide(Layer.succeed(
        Stdio.Stdio,
        Stdio.make({
          args: stdio.args,
          stdin: Stream.fromPull(Effect.succeed(pull)),
          stdout: () => Sink.forEach(write),
          stderr: stdio.stderr,
        }),
      )),
    )
    // The server interrupts itself after the last answer.
    const fiber = yield* Effect.forkScoped(
      // Its other error is an invalid cache hint; there are none.
      Effect.catchTag(Layer.launch(server), "IllegalArgumentError", Effect.die),
    )
    const exit = yield* Effect.raceFirst(
      Fiber.await(fiber),
      Effect.andThen(ended.await, Effect.as(Effect.sleep(answerTimeout), Exit.void)),
    )
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) yield* Effect.failCause(exit.cause)
  })).pipe(Effect.provideService(LogToStderr, true))
}
