/** A server over stdin and stdout whose programs are those of `echoTerminal.ts`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { LogToStderr } from "effect/References"
import * as Stdio from "effect/Stdio"
import { denoProcess } from "../../src/cli/denoProcess.ts"
import { makeStdio } from "../../src/cli/mcp/makeStdio.ts"
import { nodeProcess } from "../../src/cli/nodeProcess.ts"
import { ProcessOutput } from "../../src/cli/ProcessOutput.ts"
import { serveStdio } from "../../src/mcp/serveStdio.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { echoTerminals } from "../support/echoTerminal.ts"

const cli = denoProcess() ?? nodeProcess()
if (cli === undefined) throw new Error("no process")
const { shell } = echoTerminals()
const context = Context.make(Shell, shell)
await Effect.runPromise(Effect.scoped(
  Effect.flatMap(
    makeStdio(cli, new ProcessOutput(cli)),
    (stdio) =>
      Effect.provideService(Effect.provideContext(serveStdio({ terminals: true }), context), Stdio.Stdio, stdio),
  ).pipe(Effect.provideService(LogToStderr, true)),
))
cli.exit(0)
