/**
 * Implements `sluice serve`: serves the HTTP routes, the console and MCP on a port.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { shellRoutes } from "../../http/Http.ts"
import { isServerVariable } from "../../policy/inheritedVariables.ts"
import { Shell } from "../../shell/Shell.ts"
import { watchSignals } from "../watchSignals.ts"
import { guardShell } from "../guardShell.ts"
import { openServerJournal } from "../journal/openServerJournal.ts"
import { makeKillableShell } from "../killableShell.ts"
import { ProcessOutput } from "../ProcessOutput.ts"
import type { CliProcess } from "../CliProcess.ts"
import { makeRedactor } from "../redaction.ts"
import { localShellOptions } from "../serverFlags.ts"
import { announce, makeAppWithTokens, shutDown, startListening } from "../serveApp.ts"
import { UsageError } from "../UsageError.ts"
import { version } from "../version.ts"
import type { ServeRequest } from "./ServeRequest.ts"

/** Serves until a signal, then ends all commands, and returns the exit status. */
export const serve = (options: ServeRequest, own: CliProcess): Effect.Effect<number, UsageError> =>
  Effect.scoped(Effect.gen(function* () {
    const output = new ProcessOutput(own)
    const killable = makeKillableShell({ ...localShellOptions(options), concurrencyLimit: options.maxConcurrent })
    if (killable === undefined) return yield* Effect.fail(new UsageError("needs Deno, Bun or Node"))
    const redactor = yield* Effect.fromResult(makeRedactor(options.redaction, own))
    const { policy, shell } = yield* guardShell(killable.shell, options, output)
    const journal = yield* openServerJournal(own, options.journal)
    // All of them have been read. `/proc` still shows the original environment block.
    yield* Effect.sync(() => own.forget(isServerVariable))

    const { app: routes, token } = yield* makeAppWithTokens(
      options,
      (access) => shellRoutes({ context: Context.make(Shell, shell), journal, redactor, ...access }),
    )
    // Loaded here, so that `sluice` loads neither for other subcommands.
    const { consoleRoutes } = yield* Effect.promise(() => import("../../console/Console.ts"))
    const app = consoleRoutes().route("/", routes)
    const tools = options.mcp === undefined
      ? undefined
      : (yield* Effect.promise(() => import("../../mcp/mcpRoutes.ts"))).mcpRoutes({
        allowedHosts: options.mcp.allowedHosts,
        cors: { origins: options.mcp.allowedOrigins },
        server: routes,
        policy,
        name: "sluice",
        version,
      })
    if (tools !== undefined) app.route("/", tools)
    const server = yield* startListening(options, app)
    // Checks at once: commands of a killed server run on until they are detected.
    yield* Effect.promise(routes.start)
    const end = watchSignals(own)
    yield* announce(options, server, token, tools === undefined ? ["/exec"] : ["/exec", "/mcp"], output)

    yield* end.first
    const drain = { drain: options.drainMillis }
    // Concurrently: each waits for commands, and the commands of the tools belong to the routes too.
    const dispose = () => Promise.all([tools?.dispose(drain), routes.dispose(drain)])
    const down = shutDown(server, dispose, options.drainMillis > 0)
    yield* Effect.raceFirst(down, Effect.andThen(end.second, killable.killAll))
    return end.status()
  }))
