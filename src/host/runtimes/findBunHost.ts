/** Implements the host of Bun with `Bun.spawn`, and with `node:child_process` for further descriptors. */
import type { ByteWriter } from "../../shell/SpawnedProcess.ts"
import { type BunApi, bunApi, type BunFileSink, killChild } from "./bunApi.ts"
import { ExitState, exitStatusOf } from "../ExitState.ts"
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
        // Reported only once: Bun accepts later bytes as if they were read.
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

const bunHost = (bun: BunApi, process: NodeProcess): Host => {
  const shared = nodeHost(process)
  const host: Host = {
    ...shared,
    runtime: "bun",
    spawn: (request: SpawnRequest): HostProcess | Promise<HostProcess> => {
      if (request.terminal !== undefined) return openTerminal(host, request, request.terminal)
      // `Bun.spawn` returns further pipes as bare descriptors, node:child_process as streams.
      if (request.extra !== undefined) return nodeRuntimeHost(process).spawn(request)
      const exit = new ExitState()
      const env = wholeEnvironment(process, shared, request)
      const child = bun.spawn({
        cmd: [request.file, ...request.args],
        ...(request.argv0 === undefined ? undefined : { argv0: request.argv0 }),
        ...(request.cwd === undefined ? undefined : { cwd: request.cwd }),
        ...(env === undefined ? undefined : { env }),
        stdin: stdio[request.stdin],
        stdout: stdio[request.stdout],
        stderr: stdio[request.stderr],
        // Without this, Bun reads a pipe into memory as fast as the child writes, even without a reader.
        lazy: true,
        detached: request.detached,
        windowsHide: request.hide ?? true,
        windowsVerbatimArguments: request.verbatim,
        onExit: (_child, code, signal) => exit.settle(exitStatusOf(code, signal, process.platform)),
      })
      const { stderr, stdin, stdout } = child
      return {
        pid: child.pid,
        stdout: stdout instanceof ReadableStream ? webReader(stdout) : undefined,
        stderr: stderr instanceof ReadableStream ? webReader(stderr) : undefined,
        stdin: typeof stdin === "object" && stdin !== null ? writer(stdin, () => exit.hasEnded) : undefined,
        onExit: exit.onExit,
        kill: (signal) => exit.hasEnded ? undefined : killChild(child, signal),
        setRef: (ref) => ref ? child.ref() : child.unref(),
      }
    },
  }
  if (host.os !== "windows") return host
  return withJobs(host, bunKernel32(host.variable("SystemRoot")))
}

/** Finds Bun's host; `undefined` on another runtime. */
export const findBunHost = (): Host | undefined => {
  const [bun, process] = [bunApi(), nodeProcess()]
  return bun === undefined || process === undefined ? undefined : bunHost(bun, process)
}
