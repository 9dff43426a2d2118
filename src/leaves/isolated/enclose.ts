/** Wraps a host so that its processes start behind walls; translates exits and signals. */
import { signalName } from "../../command/signals.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import { reveal, type Word } from "../../command/Secret.ts"
import type { ExitFault, ExitStatus } from "../../shell/SpawnedProcess.ts"
import { ExitState, exitStatusOf } from "../../host/ExitState.ts"
import type { Host, HostProcess, SpawnRequest } from "../../host/Host.ts"
import type { CommandNetwork, CommandSocket } from "./CommandNetwork.ts"
import { readStatus } from "./launcher.ts"
import { signalInside } from "./signalInside.ts"
import type { LaunchFiles, StatusFile } from "./LaunchFiles.ts"

/** A command line, and its resources. */
export interface WalledCommand {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/** Builds command lines behind walls. */
export interface Walls {
  readonly reportsSignals: boolean
  /** Number of processes between the started one and the command. */
  readonly depth: number
  /** `socket`: the socket of the network, which the command sees at its path. */
  readonly build: (
    request: SpawnRequest,
    cwd: string,
    statusPath: string,
    socket: string | undefined,
  ) => WalledCommand
}

const faultOf = (what: string, reason: FaultReason, code: string): ExitFault => ({
  reason,
  message: `exec: ${what} (${code})`,
})

/** Converts the engine's exit status to the command's. */
const translate = (status: ExitStatus, text: string | undefined, program: string, host: Host): ExitStatus => {
  if (status.signal !== undefined || text === undefined) return status
  const { ran, refusedFork, signal } = readStatus(text)
  if (!ran) {
    // An engine whose inner process was killed while it built the walls: by this program, or because memory ran out.
    const killedBy = signalName(status.exitCode - 128, host.os)
    if (killedBy !== undefined) return exitStatusOf(undefined, killedBy, host.os)
    const what =
      `the isolation of ${program} could not be set up; stderr has the message of the engine. Does every folder of the ` +
      "leaf still exist?"
    return { ...status, fault: faultOf(what, { _tag: "Unknown", code: "EISOLATION" }, "EISOLATION") }
  }
  if (refusedFork) {
    const what = `${program} was not started: no more processes are allowed`
    return {
      ...status,
      fault: faultOf(what, { _tag: "ResourceExhausted", resource: "processes", code: "EAGAIN" }, "EAGAIN"),
    }
  }
  const name = signal === undefined ? undefined : signalName(signal, host.os)
  return name === undefined ? status : exitStatusOf(undefined, name, host.os)
}

const toInner = (
  process: HostProcess,
  { host, program, socket, status, walls }: {
    readonly host: Host
    readonly walls: Walls
    readonly status: StatusFile
    readonly socket: CommandSocket | undefined
    readonly program: string
  },
): HostProcess => {
  const exit = new ExitState()
  process.onExit((outer) => {
    socket?.close()
    const text = status.take()
    exit.settle(translate(outer, walls.reportsSignals ? text : undefined, program, host))
  })
  return {
    ...process,
    onExit: exit.onExit,
    kill: (signal) => {
      if (signal === "SIGKILL") process.kill(signal)
      else signalInside(host, process, walls.depth, signal, () => exit.hasEnded)
    },
  }
}

/** Wraps the host. `env`: variables of every command. `network`: opens the socket of each command, if it has a network. */
export const enclose = (
  host: Host,
  walls: Walls,
  env: Readonly<Record<string, Word>>,
  files: LaunchFiles,
  network: CommandNetwork | undefined,
): Host => {
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, reveal(value) ?? ""]))
  const environment = (): Readonly<Record<string, string>> => ({ ...host.environment(), ...own })
  return {
    ...host,
    environment,
    variable: (name) => Object.hasOwn(own, name) ? own[name] : host.variable(name),
    spawn: (request) => {
      const start = (socket: CommandSocket | undefined): HostProcess | Promise<HostProcess> => {
        // A directory that is held open has a path of this process; the command sees its real one.
        const cwd = host.realPath(request.cwd ?? "/") ?? request.cwd ?? "/"
        const variables = request.env?.clear === true ? request.env.set : { ...environment(), ...request.env?.set }
        const status = files.next()
        const { args, env: packed, file } = walls.build(
          { ...request, env: { clear: true, set: variables } },
          cwd,
          status.path,
          socket?.path,
        )
        const wrap = (process: HostProcess): HostProcess =>
          toInner(process, { host, walls, status, socket, program: request.file })
        const { argv0: _, ...outer } = request
        const process = host.spawn({ ...outer, file, args, env: { clear: true, set: packed } })
        return process instanceof Promise ? process.then(wrap) : wrap(process)
      }
      return network === undefined ? start(undefined) : network.open(request.commandId).then(async (socket) => {
        try {
          return await start(socket)
        } catch (error) {
          socket.close()
          throw error
        }
      })
    },
  }
}
