/** Implements the host of Deno within its permissions, with `node:child_process` for further descriptors. */
import type { ByteWriter, ExitStatus } from "../../shell/SpawnedProcess.ts"
import { exitStatusOf } from "../ExitState.ts"
import { errorCode } from "../faults/errorCode.ts"
import { type DenoApi, denoApi, type DenoChild } from "./denoApi.ts"
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"
import { holdDirectory } from "./fileIdentity.ts"
import { nodeProcess } from "../nodeProcess.ts"
import { nodeRuntimeHost } from "./nodeRuntimeHost.ts"
import { readFileHead } from "./readFileHead.ts"
import type { FileKind } from "../resolveExecutable.ts"
import { byobReader } from "./byteReaders.ts"
import { denoKernel32 } from "../windows/Kernel32.ts"
import { openTerminal } from "../terminal/openTerminal.ts"
import { withJobs } from "../windows/withJobs.ts"
import { resultOrUndefined as attempt } from "../../base/resultOrUndefined.ts"

const osOf = (name: string): Host["os"] => name === "linux" || name === "darwin" || name === "windows" ? name : "other"

const writer = (stream: WritableStream<Uint8Array<ArrayBuffer>>): ByteWriter => {
  const sink = stream.getWriter()
  // A pipe that broke between writes is reported by the next write.
  sink.closed.catch(() => {})
  return {
    write: (bytes) => {
      const owned = bytes.buffer instanceof ArrayBuffer
        ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : new Uint8Array(bytes)
      return sink.write(owned).then(() => true, () => false)
    },
    end: () => sink.close().catch(() => {}),
  }
}

/** Reads the status of a process; for one ended by a real-time signal, Deno throws an error with its number. */
const statusOfUnnamed = (error: unknown, os: string): ExitStatus => {
  const number = Number(/Invalid signal: (\d+)/.exec(error instanceof Error ? error.message : "")?.[1])
  return exitStatusOf(undefined, Number.isNaN(number) ? undefined : number, os)
}

const processOf = (deno: DenoApi, child: DenoChild, request: SpawnRequest): HostProcess => ({
  pid: child.pid,
  stdout: request.stdout === "piped" ? byobReader(child.stdout) : undefined,
  stderr: request.stderr === "piped" ? byobReader(child.stderr) : undefined,
  stdin: request.stdin === "piped" ? writer(child.stdin) : undefined,
  onExit: (done) => {
    child.status.then(
      ({ code, signal }) => done(exitStatusOf(deno.build.os === "windows" ? code >>> 0 : code, signal, deno.build.os)),
      (error: unknown) => done(statusOfUnnamed(error, deno.build.os)),
    )
  },
  kill: (signal) => {
    try {
      child.kill(signal)
    } catch {
      // The process has ended.
    }
  },
  setRef: (ref) => ref ? child.ref() : child.unref(),
})

/** Starts a process with further descriptors through node:child_process: `Deno.Command` has only three. */
const withExtra = (request: SpawnRequest): HostProcess | Promise<HostProcess> => {
  const process = nodeProcess()
  if (process === undefined) throw new Error("Deno has no node:child_process here, which further descriptors need")
  return nodeRuntimeHost(process).spawn(request)
}

/** Makes the host of Deno, within its permissions. */
const denoHost = (deno: DenoApi): Host => {
  const os = osOf(deno.build.os)
  const granted = (query: Parameters<DenoApi["permissions"]["querySync"]>[0]): boolean =>
    deno.permissions.querySync(query).state === "granted"
  // Deno requires all permissions to read /proc.
  const readsProc = os === "linux" && attempt(() => deno.readTextFileSync("/proc/self/environ")) !== undefined
  // Read on first use: the first access to `process` costs 20 ms and more on Deno.
  const nodeFs = () => nodeProcess()?.getBuiltinModule("node:fs")
  const host: Host = {
    runtime: "deno",
    os,
    pid: deno.pid,
    pipesAreSockets: false,
    spawn: (request) =>
      request.terminal !== undefined
        ? openTerminal(host, request, request.terminal)
        : request.extra === undefined
        ? processOf(
          deno,
          new deno.Command(request.file, {
            args: request.args,
            ...(request.cwd === undefined ? undefined : { cwd: request.cwd }),
            ...(request.env === undefined ? undefined : { env: request.env.set, clearEnv: request.env.clear }),
            stdin: request.stdin,
            stdout: request.stdout,
            stderr: request.stderr,
            ...(request.detached ? { detached: true } : undefined),
            ...(request.verbatim ? { windowsRawArguments: true } : undefined),
          }).spawn(),
          request,
        )
        : withExtra(request),
    environment: () => attempt(() => deno.env.toObject()),
    variable: (name) => attempt(() => deno.env.get(name)),
    cwd: () => attempt(() => deno.cwd()),
    fileKind: (path): FileKind => {
      try {
        const info = deno.statSync(path)
        if (info.isDirectory) return "directory"
        if (!info.isFile && os !== "windows") return "special"
        // Windows has no mode bits, though Deno reports some: the name decides whether a file is started.
        return os === "windows" || info.mode === null || (info.mode & 0o111) !== 0 ? "executable" : "file"
      } catch (error) {
        return error instanceof Error && (error.name === "NotFound" || error.name === "NotADirectory")
          ? "none"
          : "unknown"
      }
    },
    errorAt: (path) => {
      try {
        deno.statSync(path)
        return undefined
      } catch (error) {
        return errorCode(error, os === "windows" ? "windows" : "posix")
      }
    },
    realPath: (path) => attempt(() => deno.realPathSync(path)),
    isLink: (path) => attempt(() => deno.lstatSync(path).isSymlink) === true,
    identity: (path) =>
      attempt(() => {
        const { dev, ino, isDirectory, mtime, size } = deno.statSync(path)
        return isDirectory ? `${dev}:${ino}` : `${dev}:${ino}:${size}:${mtime?.getTime()}`
      }),
    // Deno's own files have no descriptor number, but those of node:fs do.
    ...(readsProc
      ? {
        hold: (path: string) =>
          attempt(() => {
            const fs = nodeFs()
            return fs === undefined ? undefined : holdDirectory(fs, deno.pid, path)
          }),
      }
      : undefined),
    readsProc,
    readHead: (path, length) =>
      attempt(() => {
        const fs = nodeFs()
        return fs === undefined ? undefined : readFileHead(fs, path, length)
      }),
    readText: (path) => attempt(() => deno.readTextFileSync(path)),
    readNames: (path) => attempt(() => Array.from(deno.readDirSync(path), (entry) => entry.name)) ?? [],
    signal: granted({ name: "run" })
      ? (pid, signal) => {
        try {
          deno.kill(pid, signal)
          return "sent"
        } catch (error) {
          return error instanceof Error && (error.name === "NotFound" || error.message.includes("ESRCH"))
            ? "gone"
            : "denied"
        }
      }
      : undefined,
    mayRun: (program) => granted({ name: "run", command: program }),
    isRoot: () => attempt(() => deno.uid() === 0),
  }
  return os === "windows" ? withJobs(host, denoKernel32(host.variable("SystemRoot"))) : host
}

/** Finds Deno's host; `undefined` on another runtime. */
export const findDenoHost = (): Host | undefined => {
  const deno = denoApi()
  return deno === undefined ? undefined : denoHost(deno)
}
