/**
 * Finds and implements the host of Bun: starts processes with `Bun.spawn` (with `node:child_process` for further
 * descriptors), writes their stdin, and adds job objects on Windows.
 */
import { exitCodeOfSignal, signalName } from "../../command/signals.ts"
import type { ByteWriter, ExitStatus } from "../../shell/SpawnedProcess.ts"
import { type BunApi, bunApi, type BunFileSink } from "./bunApi.ts"
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"
import { type NodeProcess, nodeProcess } from "../nodeProcess.ts"
import { nodeHost } from "./nodeHost.ts"
import { nodeRuntimeHost, wholeEnvironment } from "./nodeRuntimeHost.ts"
import { webReader } from "./byteReaders.ts"
import { bunKernel32 } from "../windows/Kernel32.ts"
import { openTerminal } from "../terminal/openTerminal.ts"
import { withJobs } from "../windows/withJobs.ts"

const stdio = { null: "ignore", piped: "pipe", inherit: "inherit" } as const

const writer = (sink: BunFileSink, isGone: () => boolean): ByteWriter => {
  let ended = false
  let broken = false
  return {
    write: async (bytes) => {
      if (broken || ended || isGone()) return false
      try {
        await sink.write(bytes)
        await sink.flush()
        // Bun reports no error when the reader has closed the pipe: only the exit shows it.
        return !isGone()
      } catch {
        // Only once: Bun accepts later bytes as if they were read.
        broken = true
        return false
      }
    },
    end: async () => {
      if (ended) return
      ended = true
      try {
        await sink.end()
      } catch {
        // The reader has closed the pipe first.
      }
    },
  }
}

/** Makes the host of Bun. */
const bunHost = (bun: BunApi, process: NodeProcess): Host => {
  const shared = nodeHost(process)
  const host: Host = {
    ...shared,
    runtime: "bun",
    spawn: (request: SpawnRequest): HostProcess | Promise<HostProcess> => {
      if (request.terminal !== undefined) return openTerminal(host, request, request.terminal)
      // `Bun.spawn` returns further pipes as bare descriptors, node:child_process as streams.
      if (request.extra !== undefined) return nodeRuntimeHost(process).spawn(request)
      let status: ExitStatus | undefined
      let onExit: ((status: ExitStatus) => void) | undefined
      const env = wholeEnvironment(process, shared, request)
      const child = bun.spawn({
        cmd: [request.file, ...request.args],
        ...(request.argv0 === undefined ? undefined : { argv0: request.argv0 }),
        ...(request.cwd === undefined ? undefined : { cwd: request.cwd }),
        ...(env === undefined ? undefined : { env }),
        stdin: stdio[request.stdin],
        stdout: stdio[request.stdout],
        stderr: stdio[request.stderr],
        // Otherwise Bun reads a pipe into memory as fast as the child writes, even without a reader.
        lazy: true,
        detached: request.detached,
        windowsHide: request.hide ?? true,
        windowsVerbatimArguments: request.verbatim,
        onExit: (_child, code, signal) => {
          const name = typeof signal === "number" ? signalName(signal, process.platform) : signal ?? undefined
          status = name === undefined
            ? { exitCode: code ?? 255 }
            : { exitCode: exitCodeOfSignal(name, process.platform), signal: name }
          onExit?.(status)
        },
      })
      const { stderr, stdin, stdout } = child
      return {
        pid: child.pid,
        stdout: stdout instanceof ReadableStream ? webReader(stdout) : undefined,
        stderr: stderr instanceof ReadableStream ? webReader(stderr) : undefined,
        stdin: typeof stdin === "object" && stdin !== null ? writer(stdin, () => status !== undefined) : undefined,
        onExit: (done) => {
          if (status === undefined) onExit = done
          else done(status)
        },
        kill: (signal) => {
          try {
            if (status === undefined) child.kill(signal)
          } catch {
            // Bun knows no signal of this name.
          }
        },
        setRef: (ref) => ref ? child.ref() : child.unref(),
      }
    },
  }
  if (host.os !== "windows") return host
  return withJobs(host, bunKernel32((id) => process.getBuiltinModule(id), host.variable("SystemRoot")))
}

/** Finds Bun's host; `undefined` on another runtime. */
export const findBunHost = (): Host | undefined => {
  const [bun, process] = [bunApi(), nodeProcess()]
  return bun === undefined || process === undefined ? undefined : bunHost(bun, process)
}
