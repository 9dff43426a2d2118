/** Implements `sluice run`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ShellFault } from "../command/ShellFault.ts"
import type { InheritedDescriptors, ProcessRunOptions } from "../shell/ProcessLeaf.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { exitStatusOfFault } from "./exitStatus.ts"
import { inputStream } from "./commandInput.ts"
import { type CliContext, journaledRun, withLocalShell } from "./withLocalShell.ts"
import type { BrokenOutputError, OutputWriter } from "./ProcessOutput.ts"
import type { CliProcess } from "./CliProcess.ts"
import { printBytes, type PrintEffect, printEvents, printText, type RunEvents, writeCollected } from "./printRun.ts"
import type { CommandHandler } from "./CommandSpec.ts"
import { readRunRequest, type RunRequest } from "./RunRequest.ts"
import { writeMessage } from "./writeMessage.ts"
import type { UsageError } from "./UsageError.ts"

// Loaded on demand: most runs need none of these, and they would slow the start.
const statusLine = Effect.promise(() => import("./StatusLine.ts"))
const windows = Effect.promise(() => import("../window/apply.ts"))
const wire = Effect.promise(() => import("../wire/ndjson.ts"))
const onTerminal = Effect.promise(() => import("./terminal/runOnTerminal.ts"))
const explaining = Effect.promise(() => import("./explainRun.ts"))
const onServer = Effect.promise(() => import("./terminal/openServer.ts"))

/** Whether to draw a status line: for text on a terminal, where lines can be erased. */
const hasStatusLine = ({ json, tty }: RunRequest, cli: CliProcess): boolean =>
  !json && !tty && cli.isTerminal(2) && cli.isTerminal(1) && cli.variable("TERM") !== "dumb"

const print = (
  { exec, json, policy }: RunRequest,
  shell: ShellService,
  options: ProcessRunOptions,
  output: OutputWriter,
): PrintEffect => {
  if (!json && policy === undefined && exec.streamOutput) return printBytes(shell.bytes(exec, options), output)
  const write = (events: RunEvents): PrintEffect =>
    json ? Effect.flatMap(wire, ({ toBytes }) => printEvents(events, output, toBytes)) : printText(events, output)
  const chunks = shell.exec(exec, options)
  return policy === undefined ? write(chunks) : Effect.flatMap(windows, ({ apply }) => write(apply(chunks, policy)))
}

/** Writes the rest of a faulted run: its event, or the output collected so far, and the message. */
const printFault = Effect.fnUntraced(function* (fault: ShellFault, { exec, json }: RunRequest, output: OutputWriter) {
  if (json) yield* output.write(1, (yield* wire).toBytes([fault]))
  else if (!exec.streamOutput) yield* writeCollected(fault, output)
  yield* writeMessage(output, fault.message)
})

const perform = (
  request: RunRequest,
  context: CliContext,
): Effect.Effect<number, UsageError | BrokenOutputError, Scope.Scope> =>
  Effect.gen(function* () {
    const { cli, output: plain, stop } = context
    const output = hasStatusLine(request, cli) ? yield* (yield* statusLine).withStatusLine(plain) : plain
    const run = Effect.gen(function* () {
      if (request.tty) {
        return yield* (yield* onTerminal).runOnTerminal(request, context)
      }
      const source = request.input ?? (cli.hasInput() ? "-" : undefined)
      if (request.url !== undefined) {
        const { checkReachable, openServer } = yield* onServer
        const server = yield* openServer(request, cli)
        yield* checkReachable(server, request.exec, stop.signal)
        const stdin = source === undefined ? undefined : yield* inputStream(cli, source)
        const { exitCode } = yield* print(request, server.shell, { stdin, signal: stop.signal }, output)
        return exitCode
      }
      // The portable shell runs in this process.
      const isInherited = source === "-" && request.exec.shell !== "portable"
      const stdin = source === undefined || isInherited ? undefined : yield* inputStream(cli, source)
      const run = yield* journaledRun(context, request, request.exec)
      // Inherits the descriptor, so that input which the command does not read stays for the next reader.
      const descriptors: InheritedDescriptors | undefined = isInherited ? { stdin: "inherit" } : undefined
      const options: ProcessRunOptions = { stdin, descriptors, signal: stop.signal }
      const { exitCode } = yield* print({ ...request, exec: run.exec }, run.shell, options, output)
      return exitCode
    })
    return yield* run.pipe(
      Effect.catchTag("ShellFault", (fault) =>
        Effect.as(printFault(fault, request, output), exitStatusOfFault(fault.reason, stop.by()))),
    )
  })

export const run: CommandHandler = (words, cli) =>
  Effect.flatMap(readRunRequest(words, cli), (request) => {
    const { exec, explain, json } = request
    if (explain !== undefined) {
      return Effect.flatMap(explaining, (all) => all.explainRun(exec, { flags: explain, json }, cli))
    }
    return withLocalShell(cli, (all) => perform(request, all), { isolation: request.isolation })
  })
