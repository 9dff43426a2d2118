/** Implements the host of Node with `node:child_process`. */
import type * as NodeChildProcess from "node:child_process"
import type * as Net from "node:net"
import { requireNode } from "../../base/requireNode.ts"
import type { ByteWriter } from "../../shell/SpawnedProcess.ts"
import { applyDelta } from "../environment.ts"
import { ExitState, exitStatusOf } from "../ExitState.ts"
import type { Host, HostPipe, HostProcess, SpawnRequest } from "../Host.ts"
import { type NodeProcess, nodeProcess } from "../nodeProcess.ts"
import { nodeHost } from "./nodeHost.ts"
import { nodeReader } from "./byteReaders.ts"
import { coverMasters } from "../terminal/openMasters.ts"
import { openTerminal } from "../terminal/openTerminal.ts"

const stdio = { null: "ignore", piped: "pipe", inherit: "inherit" } as const

type Stdin = NonNullable<NodeChildProcess.ChildProcess["stdin"]>
type Stdio = NodeChildProcess.ChildProcess["stdio"][number]

const writer = (stdin: Stdin): ByteWriter => {
  // EPIPE is normal (`head`); the callback of the write reports it.
  stdin.on("error", () => {})
  return {
    write: (bytes) =>
      new Promise((resolve) => {
        if (stdin.destroyed || stdin.writableEnded) resolve(false)
        else stdin.write(bytes, (error) => resolve(error === null || error === undefined))
      }),
    end: () =>
      new Promise((resolve) => {
        if (stdin.destroyed || stdin.writableEnded) resolve()
        else stdin.end(resolve)
        stdin.once("close", () => resolve())
      }),
  }
}

const isSocket = (stream: Stdio | undefined): stream is Net.Socket =>
  typeof stream === "object" && stream !== null && "allowHalfOpen" in stream

const pipeOf = (socket: Net.Socket): HostPipe => {
  // Its two directions end independently.
  socket.allowHalfOpen = true
  let failure: unknown
  socket.on("error", (error) => {
    failure ??= error
  })
  return { reader: nodeReader(socket), writer: writer(socket), failure: () => failure }
}

const pipesOf = (streams: ReadonlyArray<Stdio | undefined>): ReadonlyMap<number, HostPipe> => {
  const pipes = new Map<number, HostPipe>()
  for (const [fd, stream] of streams.entries()) if (fd > 2 && isSocket(stream)) pipes.set(fd, pipeOf(stream))
  return pipes
}

/** The whole environment of a process to start; `undefined` for that of this program. */
export const wholeEnvironment = (
  process: NodeProcess,
  host: Pick<Host, "os" | "environment">,
  { env }: SpawnRequest,
): Readonly<Record<string, string | undefined>> | undefined => {
  if (env === undefined || env.clear) return env?.set
  // `Path` and `PATH` are one variable on Windows, and either of two entries may win.
  if (host.os === "windows") return applyDelta("windows", { ...env, remove: [] }, host.environment() ?? {})
  return { ...process.env, ...env.set }
}

export const nodeRuntimeHost = (process: NodeProcess): Host => {
  const shared = nodeHost(process)
  const childProcess = process.getBuiltinModule("node:child_process")
  const fs = process.getBuiltinModule("node:fs")
  const host: Host = {
    ...shared,
    runtime: "node",
    spawn: (request: SpawnRequest): HostProcess | Promise<HostProcess> => {
      if (request.terminal !== undefined) return openTerminal(host, request, request.terminal)
      const env = wholeEnvironment(process, shared, request)
      const child = childProcess.spawn(request.file, request.args, {
        ...(request.cwd === undefined ? undefined : { cwd: request.cwd }),
        ...(env === undefined ? undefined : { env }),
        stdio: [
          stdio[request.stdin],
          stdio[request.stdout],
          stdio[request.stderr],
          ...(request.extra ?? []).map((each) => stdio[each]),
          ...coverMasters(fs, 3 + (request.extra?.length ?? 0)),
        ],
        ...(request.argv0 === undefined ? undefined : { argv0: request.argv0 }),
        detached: request.detached,
        windowsHide: request.hide ?? true,
        windowsVerbatimArguments: request.verbatim,
      })
      const exit = new ExitState()
      // Node reports an end by a real-time signal as an exit with code 0, without a signal.
      child.on("exit", (code, signal) => exit.settle(exitStatusOf(code, signal, process.platform)))
      const { pid } = child
      if (pid === undefined) {
        return new Promise((_, reject) => {
          child.on("error", reject)
        })
      }
      // A later error is a signal that could not be sent; the return value of `kill` reports it.
      child.on("error", () => {})
      return {
        pid,
        stdout: child.stdout === null ? undefined : nodeReader(child.stdout),
        stderr: child.stderr === null ? undefined : nodeReader(child.stderr),
        stdin: child.stdin === null ? undefined : writer(child.stdin),
        extra: request.extra === undefined ? undefined : pipesOf(child.stdio),
        onExit: exit.onExit,
        kill: (signal) => {
          if (!exit.hasEnded) shared.signal?.(pid, signal)
        },
        setRef: (ref) => ref ? child.ref() : child.unref(),
      }
    },
  }
  return host
}

/** Finds the host of `node:child_process`; `undefined` where a runtime has no such module. */
export const findNodeHost = (): Host | undefined => {
  const process = nodeProcess()
  if (process === undefined) return undefined
  requireNode()
  return nodeRuntimeHost(process)
}
