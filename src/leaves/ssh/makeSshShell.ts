/** Makes the Shell service of a server, over one SSH connection or, after a loss, a new one. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { durationOf } from "../../base/duration.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { withPortableScripts } from "../../script/withPortableScripts.ts"
import { makeProcessRuns, type ProcessRunOptions } from "../../shell/ProcessLeaf.ts"
import { validateTerminal } from "../../shell/refuseTerminal.ts"
import { makeCapabilities } from "../../shell/ShellCapabilities.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { validateExec } from "../../shell/validateExec.ts"
import { markOf, newMarker } from "../../host/runMarker.ts"
import { planRemote } from "./planRemote.ts"
import { startRemote } from "./RemoteProcess.ts"
import type { SshTransport } from "./SshConnection.ts"
import { sshCode, type SshError } from "./SshError.ts"
import type { SshLeafSettings } from "./SshShellOptions.ts"
import { makeWatchedSession } from "./watchedSession.ts"

const connectionFault = (exec: ShellExec, error: SshError): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "Unknown", code: sshCode(error) },
    `exec: ${exec.command} was not started: ${error.message} (${sshCode(error)})`,
    { exception: `${error.reason._tag}: ${error.message}` },
  )

export const makeSshShell = (
  connection: SshTransport,
  settings: SshLeafSettings,
): Effect.Effect<ShellService, SshError, Scope.Scope> =>
  Effect.gen(function* () {
    const { server } = connection
    const running = { count: 0 }
    const hostPid = nodeBuiltins()?.pid
    const session = yield* makeWatchedSession(connection, Duration.toMillis(settings.grace))
    const { facts } = yield* session.open

    const start = (
      exec: ShellExec,
      stdin: boolean,
      { terminal }: Pick<ProcessRunOptions, "terminal">,
    ): Effect.Effect<Effect.Success<ReturnType<typeof startRemote>>, ShellFault> =>
      Effect.gen(function* () {
        const { facts, link } = yield* Effect.mapError(session.open, (error) => connectionFault(exec, error))
        const marker = newMarker(exec.commandId, hostPid)
        const plan = yield* Effect.fromResult(planRemote(exec, { stdin, terminal, marker, facts, settings }))
        const context = { server, link, session, connectTimeoutMillis: connection.connectTimeoutMillis, running }
        return yield* startRemote(exec, plan, terminal, context)
      })

    return withPortableScripts({
      ...makeProcessRuns({
        ...settings,
        prepare: (exec, stdin, options) => {
          const invalid = validateExec(exec) ?? validateTerminal(exec, options.terminal)
          if (invalid !== undefined) return Result.fail(invalid)
          return Result.succeed(() => Effect.interruptible(start(exec, stdin, options)))
        },
      }),
      endOrphans: (commandId, { grace, hostPid } = {}) =>
        Effect.gen(function* () {
          const patience = grace === undefined ? settings.grace : durationOf("grace", grace)
          const { ended, survivors } = yield* Effect.mapError(
            session.endOthers(markOf(commandId, hostPid), Duration.toMillis(patience)),
            (error) =>
              ShellFault.because(
                commandId,
                { _tag: "Unknown", code: sshCode(error) },
                `exec: the remaining processes on ${server} were not ended: ${error.message} (${sshCode(error)})`,
              ),
          )
          const pids = ended.filter((pid) => !survivors.includes(pid))
          return { ended: pids.length, pids, survivors }
        }).pipe(Effect.uninterruptible),
      capabilities: makeCapabilities({
        leaf: "ssh",
        platform: "posix",
        groupKill: "helper",
        escapees: facts.hasProc,
        orphans: true,
        limits: facts.limits,
        exactOrder: true,
        pty: facts.hasStty,
        backPressure: true,
      }),
    }, settings)
  })
