/**
 * Parses the command line with effect/cli and runs the chosen subcommand, with help, completions and usage errors.
 *
 * @module
 */
import * as CliConfig from "effect/cli/CliConfig"
import { isCliError } from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { makeRootCommand, type ParsedSubcommand } from "./commands.ts"
import { readDaemonRequest } from "./daemon/DaemonRequest.ts"
import { readRunCodeRequest } from "./code/RunCodeRequest.ts"
import { ownFailureStatus } from "./exitStatus.ts"
import { runFlags } from "./flags.ts"
import { applyConfigFlag } from "./config/applyConfigFlag.ts"
import { readJournalRequest } from "./journal/readJournalRequest.ts"
import { readMcpRequest } from "./mcp/McpRequest.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import type { CliProcess } from "./CliProcess.ts"
import { run } from "./run.ts"
import { parseRunRequest } from "./RunRequest.ts"
import { sandboxFlags } from "./sandbox/flags.ts"
import { readServeRequest } from "./serve/ServeRequest.ts"
import { readSandboxRequest } from "./sandbox/SandboxRequest.ts"
import { makePresenter } from "./usageErrors.ts"
import { UsageError } from "./UsageError.ts"
import { version } from "./version.ts"
import { insertSeparator } from "./parseRunWords.ts"

/** Services that effect/cli requires for prompts and file flags, which this program does not have. */
const services = Layer.mergeAll(
  Path.layer,
  FileSystem.layerNoop({}),
  Stdio.layerTest({}),
  Layer.mock(Terminal.Terminal)({ "~effect/Terminal": "~effect/Terminal" }),
  Layer.mock(ChildProcessSpawner)({}),
)

/** Parses the command line; returns the subcommand, or the exit status after help or a usage error. */
export const readCommandLine = (own: CliProcess): Effect.Effect<ParsedSubcommand | number> =>
  Effect.suspend(() => {
    const output = new ProcessOutput(own)
    let chosen: ParsedSubcommand | undefined
    const command = makeRootCommand((one) => {
      chosen = one
    })
    const words = own.args.length === 0 ? ["--help"] : own.args
    const [name, ...rest] = words
    const flags = name === "run" ? runFlags : name === "sandbox" ? sandboxFlags : undefined
    const args = name === undefined || flags === undefined ? words : [name, ...insertSeparator(rest, flags)]
    const colors = own.isTerminal(1) && (own.variable("NO_COLOR") ?? "") === ""
    return Command.runWith(command, { version })(args).pipe(
      Effect.provideService(CliOutput.Presenter, makePresenter(output, colors)),
      Effect.provideService(
        CliConfig.CliConfig,
        CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
      ),
      Effect.provide(services),
      Effect.map(() => chosen ?? 0),
      Effect.catchIf(isCliError, () => Effect.succeed(ownFailureStatus)),
    )
  })

const loadServe = Effect.tryPromise({
  try: () => import("./serve/serve.ts"),
  catch: (error) => new UsageError(`serve needs the package hono: npm install hono (${error})`),
})

const loadDaemon = Effect.promise(() => import("./daemon/daemon.ts"))

const loadCode = Effect.promise(() => import("./code/runCode.ts"))

const loadJournal = Effect.promise(() => import("./journal/journal.ts"))

const loadMcp = Effect.promise(() => import("./mcp/mcp.ts"))

const loadConfig = Effect.promise(() => import("./config/checkConfig.ts"))

const loadSandbox = Effect.promise(() => import("./sandbox/sandbox.ts"))

/** Runs the command line and returns the exit status. */
export const makeProgram = (own: CliProcess): Effect.Effect<number, UsageError> =>
  Effect.flatMap(readCommandLine(own), (chosen) => {
    if (typeof chosen === "number") return Effect.succeed(chosen)
    switch (chosen._tag) {
      case "Run":
        return Effect.flatMap(parseRunRequest(chosen.words), (request) => run(request, own))
      case "Serve":
        return Effect.flatMap(
          Effect.flatMap(
            applyConfigFlag(own, "serve", chosen.words),
            (all) => Effect.fromResult(readServeRequest(all, own)),
          ),
          (request) => Effect.flatMap(loadServe, ({ serve }) => serve(request, own)),
        )
      case "Daemon":
        return Effect.flatMap(
          Effect.flatMap(
            applyConfigFlag(own, "daemon", chosen.words),
            ({ words }) => Effect.fromResult(readDaemonRequest(words, own)),
          ),
          (request) => Effect.flatMap(loadDaemon, ({ daemon }) => daemon(request, own)),
        )
      case "Code":
        return Effect.flatMap(
          Effect.fromResult(readRunCodeRequest(chosen.words)),
          (request) => Effect.flatMap(loadCode, ({ runCode }) => runCode(request, own)),
        )
      case "Sandbox":
        return Effect.flatMap(
          Effect.fromResult(readSandboxRequest(chosen.words)),
          (request) => Effect.flatMap(loadSandbox, ({ sandbox }) => sandbox(request, own)),
        )
      case "Journal":
        return Effect.flatMap(
          Effect.fromResult(readJournalRequest(chosen.words)),
          (request) => Effect.flatMap(loadJournal, ({ journal }) => journal(request, own)),
        )
      case "ConfigCheck":
        return Effect.flatMap(loadConfig, ({ checkConfig }) => checkConfig(own, chosen.file))
      case "Mcp":
        return Effect.flatMap(
          Effect.flatMap(
            applyConfigFlag(own, "mcp", chosen.words),
            (all) => Effect.fromResult(readMcpRequest(all, own)),
          ),
          (request) => Effect.flatMap(loadMcp, ({ mcp }) => mcp(request, own)),
        )
    }
  })
