/** Implements `sluice serve`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { approvalRoutes, shellRoutes } from "../../http/mod.ts"
import { isServerVariable } from "../../policy/inheritedVariables.ts"
import { Shell } from "../../shell/Shell.ts"
import { watchSignals } from "../stopOnSignals.ts"
import { guardShell, requireTerminals } from "../guardShell.ts"
import { openServerJournal } from "../journal/openJournal.ts"
import { makeKillableShell } from "../killableShell.ts"
import { ProcessOutput } from "../ProcessOutput.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { applyConfigFlag } from "../config/applyConfigFlag.ts"
import { makeRedactor } from "../redaction.ts"
import { filesBesideCommands, serveFiles } from "../filesBesideCommands.ts"
import { localShellOptions } from "../serverFlags.ts"
import { announce, makeAppWithTokens, shutDown, startListening } from "../serveApp.ts"
import { version } from "../version.ts"
import { readServeRequest } from "../serverRequests.ts"

export const serve: CommandHandler = (words, cli) =>
  Effect.scoped(Effect.gen(function* () {
    const texts = yield* applyConfigFlag(cli, "serve", words.flags)
    const request = yield* Effect.fromResult(readServeRequest(texts, cli))
    const { drain = 0, journal: at, "max-concurrency": maxConcurrency } = request.flags
    const output = new ProcessOutput(cli)
    const local = localShellOptions(request)
    const killable = yield* makeKillableShell(cli, { ...local, maxConcurrency })
    const redactor = yield* Effect.fromResult(makeRedactor(request.flags, cli))
    const { policy, shell } = yield* guardShell(killable.shell, request, output)
    if (request.flags.terminals) yield* requireTerminals(policy, shell)
    const journal = yield* openServerJournal(cli, at)
    if (journal !== undefined) killable.journalNetwork(journal)
    // The server has read its variables. `/proc` still shows the original environment block.
    yield* Effect.sync(() => cli.forget(isServerVariable))

    const { app: routes, token } = yield* makeAppWithTokens(
      request,
      (access) => shellRoutes({ context: Context.make(Shell, shell), journal, redactor, ...access }),
    )
    // Loaded here, so that `sluice` loads neither for other subcommands.
    const { consoleRoutes } = yield* Effect.promise(() => import("../../console/mod.ts"))
    const app = consoleRoutes({ approvals: request.flags.approvals }).route("/", routes)
    const approvals = request.flags.approvals ? approvalRoutes({ server: routes }) : undefined
    if (approvals !== undefined) app.route("/", approvals)
    const tools = request.mcp === undefined
      ? undefined
      : (yield* Effect.promise(() => import("../../mcp/mcpRoutes.ts"))).mcpRoutes({
        allowedHosts: request.mcp.allowedHosts,
        cors: { origins: request.mcp.allowedOrigins },
        server: routes,
        policy,
        terminals: request.flags.terminals,
        name: "sluice",
        version,
      })
    if (tools !== undefined) app.route("/", tools)
    const folder = request.flags.files
    // If every command may run, commands can change all files anyway.
    const isBounded = policy !== undefined || local.isolation !== undefined
    const rules = folder === undefined || !isBounded
      ? {}
      : yield* filesBesideCommands(folder.path, local.isolation, output)
    const files = folder === undefined ? undefined : yield* serveFiles(folder, rules, routes)
    if (files !== undefined) app.route("/", files)
    const server = yield* startListening(request, app, "port")
    // Checks at once, because commands of a killed server continue to run until they are detected.
    yield* Effect.promise(routes.start)
    if (approvals !== undefined) yield* Effect.promise(approvals.start)
    const end = watchSignals(cli)
    const served = [["/mcp", tools], ["/files", files], ["/approvals", approvals]] as const
    const paths = ["", ...served.flatMap(([path, routes]) => routes === undefined ? [] : [path])]
    yield* announce(request, server, token, paths, output)

    yield* end.first
    // Runs concurrently, because each waits for commands, and the commands of the tools also belong to the routes.
    const dispose = async () => {
      // Its daemon is on the journal of the routes.
      await approvals?.dispose()
      await Promise.all([tools?.dispose({ drain }), files?.dispose({ drain }), routes.dispose({ drain })])
    }
    const down = shutDown(server, dispose, drain > 0)
    yield* Effect.raceFirst(down, Effect.andThen(end.second, killable.killAll))
    return end.status()
  }))
