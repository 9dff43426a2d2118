/**
 * The adapter to `node:child_process`.
 *
 * @module
 */
import type * as NodeChildProcess from "node:child_process"
import { exitCodeOfSignal } from "../../command/signals.ts"
import type { ByteWriter, ExitStatus } from "../../shell/Spawned.ts"
import type { Host, HostProcess, SpawnRequest } from "./Host.ts"
import type { NodeProcess } from "./nodeBuiltins.ts"
import { nodeHost } from "./nodeHost.ts"
import { nodeReader } from "./readers.ts"

const stdio = { null: "ignore", piped: "pipe", inherit: "inherit" } as const

const writer = (stdin: NonNullable<NodeChildProcess.ChildProcess["stdin"]>): ByteWriter => {
  // EPIPE is normal (`head`), and is told by the write's own callback.
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

/** The host that Node gives. */
export const nodeRuntimeHost = (process: NodeProcess): Host => {
  const shared = nodeHost(process)
  const childProcess = process.getBuiltinModule("node:child_process")
  return {
    ...shared,
    runtime: "node",
    spawn: (request: SpawnRequest): HostProcess | Promise<HostProcess> => {
      const env = request.env === undefined
        ? undefined
        : request.env.clear
        ? request.env.set
        : { ...process.env, ...request.env.set }
      const child = childProcess.spawn(request.file, request.args, {
        ...(request.cwd === undefined ? undefined : { cwd: request.cwd }),
        ...(env === undefined ? undefined : { env }),
        stdio: [stdio[request.stdin], stdio[request.stdout], stdio[request.stderr]],
        detached: request.detached,
        windowsHide: true,
        windowsVerbatimArguments: request.verbatim,
      })
      let status: ExitStatus | undefined
      let onExit: ((status: ExitStatus) => void) | undefined
      child.on("exit", (code, signal) => {
        status = signal === null
          ? { exitCode: code ?? 255 }
          : { exitCode: exitCodeOfSignal(signal, process.platform), signal }
        onExit?.(status)
      })
      const { pid } = child
      if (pid === undefined) {
        return new Promise((_, reject) => {
          child.on("error", reject)
        })
      }
      // A later error is a signal that could not be sent: whoever sent it is told by its return.
      child.on("error", () => {})
      return {
        pid,
        stdout: child.stdout === null ? undefined : nodeReader(child.stdout),
        stderr: child.stderr === null ? undefined : nodeReader(child.stderr),
        stdin: child.stdin === null ? undefined : writer(child.stdin),
        onExit: (done) => {
          if (status === undefined) onExit = done
          else done(status)
        },
        kill: (signal) => {
          if (status === undefined) shared.signal?.(pid, signal)
        },
        setRef: (ref) => ref ? child.ref() : child.unref(),
      }
    },
  }
}
