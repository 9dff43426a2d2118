/**
 * Implements `sluice mcp`: serves commands as MCP tools over stdio or HTTP.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import { currentHost } from "../../branch/HostIdentity.ts"
import { Journal } from "../../journal/JournalService.ts"
import { make as makeMemoryJournal } from "../../journal/stores/memory/MemoryJournal.ts"
import type { McpIdentity } from "../../mcp/McpIdentity.ts"
import type { McpToolOptions } from "../../mcp/McpToolOptions.ts"
import { serveStdio } from "../../mcp/serveStdio.ts"
import { aborted } from "../../base/abort.ts"
import { isServerVariable } from "../../policy/inheritedVariables.ts"
import { makeJournaled } from "../../compute/makeJournaled.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { emptyAllowlist } from "../AllowlistVariables.ts"
import { guardShell } from "../guardShell.ts"
import { openServerJournal } from "../journal/openServerJournal.ts"
import { type CliContext, exitStatusOfStop, withLocalShell } from "../withLocalShell.ts"
import type { CliProcess } from "../CliProcess.ts"
import { makeRedactor } from "../redaction.ts"
import { localShellOptions } from "../serverFlags.ts"
import { UsageError } from "../UsageError.ts"
import { writeMessage } from "../writeMessage.ts"
import { version } from "../version.ts"
import type { McpRequest } from "./McpRequest.ts"
import { makeStdio } from "./makeStdio.ts"

/**
 * Builds the shell and the journal, which also records refused commands. A journal in memory keeps whole outputs, so that
 * clients can read on where a tool result was cut.
 */
const services = (
  own: CliProcess,
  { journal: at, redaction }: McpRequest,
  shell: ShellService,
): Effect.Effect<Context.Context<Shell>, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const redactor = yield* Effect.fromResult(makeRedactor(redaction, own))
    const journal = (yield* openServerJournal(own, at)) ??
      (yield* Effect.mapError(makeMemoryJournal({ chained: false }), ({ message }) => new UsageError(message)))
    return Context.make(Shell, makeJournaled(shell, journal, yield* currentHost, { redactor })).pipe(
      Context.add(Journal, journal),
    )
  })

const loadHttp = Effect.tryPromise({
  try: () => import("./overHttp.ts"),
  catch: (error) => new UsageError(`mcp --http needs the package hono: npm install hono (${error})`),
})

const perform = (
  request: McpRequest,
  { output, own, shell, stop }: CliContext,
): Effect.Effect<number, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    // Without an allowlist nothing may run.
    const allowed = request.allowed ?? emptyAllowlist
    if ((allowed.ALLOWED_COMMANDS ?? "").trim() === "") {
      yield* Effect.ignore(
        writeMessage(
          output,
          "no command may run: list some with --allow-command or in ALLOWED_COMMANDS, as in ALLOWED_COMMANDS=git,ls",
        ),
      )
    }
    const behind = yield* guardShell(shell, { ...request, allowed }, output)
    const context = yield* services(own, request, behind.shell)
    // All of them have been read. `/proc` still shows the original environment block.
    yield* Effect.sync(() => own.forget(isServerVariable))
    const settings: McpToolOptions & McpIdentity = {
      name: "sluice",
      version,
      defaultTimeout: request.timeoutMillis,
      maxOutputBytes: request.maxOutputBytes,
      policy: behind.policy,
      signal: stop.signal,
    }
    if (request.http !== undefined) {
      const { overHttp } = yield* loadHttp
      yield* overHttp({ ...settings, context }, request.http, output, stop.signal)
      return 0
    }
    const stdio = yield* makeStdio(own, output)
    yield* Effect.raceFirst(
      serveStdio(settings).pipe(
        Effect.mapError(({ message }) => new UsageError(message)),
        Effect.provideContext(context),
        Effect.provideService(Stdio.Stdio, stdio),
      ),
      aborted(stop.signal),
    )
    return stop.by() === undefined ? 0 : exitStatusOfStop(stop)
  }).pipe(Effect.provideService(Logger.LogToStderr, true))

/** Serves until stdin ends or a signal comes, then ends all commands, and returns the exit status. */
export const mcp = (request: McpRequest, own: CliProcess): Effect.Effect<number, UsageError> =>
  withLocalShell(own, (all) => perform(request, all), localShellOptions(request))
