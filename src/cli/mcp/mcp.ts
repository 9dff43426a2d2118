/**
 * `sluice mcp`: commands as tools for agents.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import { currentHost } from "../../branch/HostIdentity.ts"
import { Journal } from "../../journal/JournalService.ts"
import type { McpIdentity } from "../../mcp/McpIdentity.ts"
import type { McpSettings } from "../../mcp/McpSettings.ts"
import { serveStdio } from "../../mcp/serveStdio.ts"
import { AccessPolicy } from "../../shell/AccessPolicy.ts"
import { makeJournaled } from "../../shell/compute/Journaled.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { statusOfFault } from "../exitStatus.ts"
import { chosenLocation } from "../journal/location.ts"
import { openJournal } from "../journal/openJournal.ts"
import { makeKillableShell } from "../killableShell.ts"
import { OwnOutput } from "../Output.ts"
import type { OwnProcess } from "../OwnProcess.ts"
import { stopSignals } from "../stopSignals.ts"
import { UsageError } from "../UsageError.ts"
import { version } from "../version.ts"
import { aborted } from "./aborted.ts"
import type { McpRequest } from "./McpRequest.ts"
import { ownStdio } from "./ownStdio.ts"

/** What the environment allows; without `ALLOWED_COMMANDS` nothing. */
const policyOf = (own: OwnProcess): Effect.Effect<AccessPolicy, UsageError> =>
  AccessPolicy.fromEnvironment({
    ALLOWED_COMMANDS: own.variable("ALLOWED_COMMANDS"),
    ALLOWED_CWD_ROOTS: own.variable("ALLOWED_CWD_ROOTS"),
  }).pipe(Effect.mapError(({ message }) => new UsageError(message)))

/** The shell, and the journal where one was asked for: what was refused is in it, too. */
const services = (
  own: OwnProcess,
  at: string | undefined,
  shell: ShellService,
): Effect.Effect<Context.Context<Shell>, UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const location = chosenLocation(own, at)
    if (location === undefined) return Context.make(Shell, shell)
    const journal = yield* openJournal(yield* location, "append").pipe(
      Effect.catchTag("JournalError", ({ message }) => Effect.fail(new UsageError(message))),
    )
    return Context.make(Shell, makeJournaled(shell, journal, yield* currentHost, {})).pipe(
      Context.add(Journal, journal),
    )
  })

const loadHttp = Effect.tryPromise({
  try: () => import("./overHttp.ts"),
  catch: (error) => new UsageError(`mcp --http needs the package hono: npm install hono (${error})`),
})

/** Serves until stdin ends or a signal comes; then ends all commands, and answers with the status to exit with. */
export const mcp = (request: McpRequest, own: OwnProcess): Effect.Effect<number, UsageError> => {
  const output = new OwnOutput(own)
  const killable = makeKillableShell()
  if (killable === undefined) return Effect.fail(new UsageError("needs Deno, Bun or Node"))
  const stop = stopSignals(own, output, killable.killAll)
  const serving = Effect.scoped(Effect.gen(function* () {
    const guardedBy = yield* policyOf(own)
    const guarded = yield* AccessPolicy.wrap(guardedBy, killable.shell).pipe(
      Effect.mapError(({ message }) => new UsageError(message)),
    )
    const context = yield* services(own, request.journal, guarded)
    const settings: McpSettings & McpIdentity = {
      name: "sluice",
      version,
      defaultTimeout: request.timeoutMillis,
      maxOutputBytes: request.maxOutputBytes,
      guardedBy,
      signal: stop.signal,
    }
    if (request.http !== undefined) {
      const { overHttp } = yield* loadHttp
      yield* overHttp({ ...settings, context }, request.http, output, stop.signal)
      return
    }
    const stdio = yield* ownStdio(own, output)
    yield* Effect.raceFirst(
      serveStdio(settings).pipe(Effect.provideContext(context), Effect.provideService(Stdio.Stdio, stdio)),
      aborted(stop.signal),
    )
  })).pipe(Effect.provideService(Logger.LogToStderr, true))
  const status = (): number => {
    const by = stop.by()
    return by === undefined || request.http !== undefined ? 0 : statusOfFault({ _tag: "Cancelled" }, by)
  }
  return Effect.flatMap(
    // By itself: commands that do not end must not keep somebody who wants to leave at once.
    Effect.forkDetach(serving),
    (fiber) =>
      Effect.raceFirst(
        Effect.map(Fiber.join(fiber), status),
        Effect.map(stop.now, () => statusOfFault({ _tag: "Cancelled" }, stop.by())),
      ),
  )
}
