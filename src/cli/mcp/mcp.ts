/**
 * Implements `sluice mcp`: serves commands as MCP tools, under the access policy and with a journal, over stdio or HTTP
 * until stdin ends or a signal comes.
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
import { guardShell } from "../guardShell.ts"
import { openServerJournal } from "../journal/openJournal.ts"
import { type CliContext, withLocalShell } from "../withLocalShell.ts"
import type { CliProcess } from "../CliProcess.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { applyConfigFlag } from "../config/applyConfigFlag.ts"
import { makeRedactor } from "../redaction.ts"
import { emptyAllowlist, localShellOptions } from "../serverFlags.ts"
import { UsageError } from "../UsageError.ts"
import { tryMessage } from "../writeMessage.ts"
import { exitStatusOfStop } from "../stopOnSignals.ts"
import { version } from "../version.ts"
import { type McpRequest, readMcpRequest } from "./McpRequest.ts"
import { makeStdio } from "./makeStdio.ts"

/**
 * Builds the shell and the journal, which also records refused commands. A journal in memory keeps whole outputs, so that
 * clients can read on where a tool result was cut.
 */
const services = (
  cli: CliProcess,
  { flags }: McpRequest,
  shell: ShellService,
): Effect.Effect<Context.Context<Shell>, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const redactor = yield* Effect.fromResult(makeRedactor(flags, cli))
    const journal = (yield* openServerJournal(cli, flags.journal)) ??
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
  { output, cli, shell, stop }: CliContext,
): Effect.Effect<number, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    // Without an allowlist nothing may run.
    const allowed = request.allowed ?? emptyAllowlist
    if ((allowed.ALLOWED_COMMANDS ?? "").trim() === "") {
      yield* tryMessage(
        output,
        "no command may run: list some with --allow-command or in ALLOWED_COMMANDS, as in ALLOWED_COMMANDS=git,ls",
      )
    }
    const guarded = yield* guardShell(shell, { ...request, allowed }, output)
    const context = yield* services(cli, request, guarded.shell)
    // The server has read its variables. `/proc` still shows the original environment block.
    yield* Effect.sync(() => cli.forget(isServerVariable))
    const settings: McpToolOptions & McpIdentity = {
      name: "sluice",
      version,
      defaultTimeout: request.flags.timeout,
      maxOutputBytes: request.flags["max-output"],
      policy: guarded.policy,
      signal: stop.signal,
    }
    if (request.http !== undefined) {
      const { overHttp } = yield* loadHttp
      yield* overHttp({ ...settings, context }, request.http, output, stop.signal)
      return 0
    }
    const stdio = yield* makeStdio(cli, output)
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
export const mcp: CommandHandler = (words, cli) =>
  Effect.gen(function* () {
    const texts = yield* applyConfigFlag(cli, "mcp", words.flags)
    const request = yield* Effect.fromResult(readMcpRequest(texts, cli))
    return yield* withLocalShell(cli, (all) => perform(request, all), localShellOptions(request))
  })
