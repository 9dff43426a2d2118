/** Runs the command of `sluice run --tty` on a terminal like the user's, here or on an execution server. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { RemoteError } from "../../client/RemoteError.ts"
import type { StartedProcess } from "../../shell/ShellService.ts"
import { maxDisconnectGraceMillis } from "../../wire/ExecRequestOptions.ts"
import { inputStream } from "../commandInput.ts"
import type { BrokenOutputError } from "../ProcessOutput.ts"
import { printBytes } from "../printRun.ts"
import { rawTerminal, terminalLike } from "../rawTerminal.ts"
import type { RunRequest } from "../RunRequest.ts"
import { exitStatusOfStop } from "../stopOnSignals.ts"
import { UsageError } from "../UsageError.ts"
import { type CliContext, journaledRun } from "../withLocalShell.ts"
import { TerminalModes } from "./TerminalModes.ts"
import { attachTerminal } from "./attachTerminal.ts"
import { defaultDetachKey } from "../attach/attachSpec.ts"
import { openServer } from "./openServer.ts"

type Run = Effect.Effect<number, ShellFault | UsageError | BrokenOutputError, Scope.Scope>

const flag = "--tty"

const runHere = (request: RunRequest, context: CliContext): Run =>
  Effect.gen(function* () {
    const { cli, output, stop } = context
    const run = yield* journaledRun(context, request, request.exec)
    const terminal = yield* rawTerminal(cli, flag)
    let process: StartedProcess | undefined
    yield* Effect.acquireRelease(
      Effect.sync(() => terminal.onResize(() => process?.resize?.(terminal.size()))),
      (remove) => Effect.sync(remove),
    )
    const events = run.shell.bytes(run.exec, {
      terminal: terminalLike(terminal, cli),
      stdin: yield* inputStream(cli, "-", flag),
      signal: stop.signal,
      onSpawn: (started) => {
        process = started
        // It may have changed since the request was made.
        started.resize?.(terminal.size())
      },
    })
    const modes = new TerminalModes()
    const decoder = new TextDecoder()
    const watched = Stream.tap(events, (event) =>
      Effect.sync(() => {
        if (event._tag === "ShellBytes") modes.push(decoder.decode(event.bytes, { stream: true }))
      }))
    const restore = Effect.suspend(() => {
      terminal.setRaw(false)
      return Effect.ignore(output.write(1, encodeUtf8(modes.reset())))
    })
    const { exitCode } = yield* Effect.ensuring(printBytes(watched, output), restore)
    return exitCode
  })

const notStarted = (exec: ShellExec) => (error: RemoteError | ShellFault): ShellFault | UsageError =>
  error._tag === "ShellFault"
    ? error
    : new UsageError(`${exec.command} was not started: ${error.message.replace(/^http: /, "")}`)

/**
 * Starts the command on the server, where it waits an hour for a client that comes back, and attaches to it. A signal to this
 * program ends it, as it does for `sluice run`.
 */
const runThere = (request: RunRequest, { cli, output, stop }: CliContext): Run =>
  Effect.gen(function* () {
    const { client, url } = yield* openServer(request, cli)
    const { exec } = request
    const terminal = cli.openTerminal()
    // Before anything runs.
    if (terminal === undefined) return yield* Effect.scoped(Effect.as(rawTerminal(cli, flag), 0))
    const options = { terminal: terminalLike(terminal, cli), disconnectGrace: maxDisconnectGraceMillis }
    yield* Effect.mapError(client.start(exec, options), notStarted(exec))
    const status = yield* attachTerminal({
      url,
      client,
      id: exec.commandId,
      cli,
      output,
      stop,
      detachByte: defaultDetachKey.byte,
      readOnly: false,
      isReplayed: false,
      flag,
    })
    if (status !== "stopped") return status
    yield* Effect.ignore(client.cancel(exec.commandId))
    return exitStatusOfStop(stop)
  })

export const runOnTerminal = (request: RunRequest, context: CliContext): Run =>
  request.url === undefined ? runHere(request, context) : runThere(request, context)
