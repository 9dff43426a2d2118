/**
 * Makes an engine of Windows' pseudo-consoles, with the native functions of npm `@lydell/node-pty`, whose own JavaScript
 * starts no process on Deno.
 *
 * Source: Microsoft, "Creating a Pseudoconsole session", "ClosePseudoConsole"; node-pty, `src/win/conpty.cc`.
 */
import type * as Net from "node:net"
import * as Result from "effect/Result"
import type { ByteWriter } from "../../shell/SpawnedProcess.ts"
import { nodeReader } from "../runtimes/byteReaders.ts"
import { ExitState } from "../ExitState.ts"
import type { Host } from "../Host.ts"
import { nodeProcess } from "../nodeProcess.ts"
import { windowsCommandLine } from "../windows/windowsCommandLine.ts"
import { requireBinary } from "./requirePackage.ts"
import type { TerminalEngine, TerminalRequest } from "./TerminalEngine.ts"

/** The functions of `conpty.node`. `pty` is the number of a pseudo-console. */
interface Binary {
  readonly startProcess: (
    file: string,
    cols: number,
    rows: number,
    debug: boolean,
    pipeName: string,
    inheritCursor: boolean,
  ) => { readonly pty: number; readonly conin: string; readonly conout: string }
  readonly connect: (
    pty: number,
    commandLine: string,
    cwd: string,
    env: ReadonlyArray<string>,
    onExit: (exitCode: number) => void,
  ) => { readonly pid: number }
  readonly resize: (pty: number, cols: number, rows: number) => void
  /** Closes the pseudo-console: drains its output, and ends the processes that still run in it. */
  readonly kill: (pty: number) => void
}

const isBinary = (u: unknown): u is Binary =>
  typeof u === "object" && u !== null &&
  ["startProcess", "connect", "resize", "kill"].every((name) => typeof Reflect.get(u, name) === "function")

/** Interval at which the output is checked after the exit; if it is silent that long, the pseudo-console is closed. */
const silenceMillis = 50

/** Ctrl-Z and Enter: the end of input for a program that reads lines. */
const endOfInput = Uint8Array.of(26, 13)

/** Names of errno for the errors of CreateProcess. */
const codes: Readonly<Record<string, string>> = { "2": "ENOENT", "3": "ENOENT", "5": "EACCES", "193": "ENOEXEC" }

const commandLineOf = ({ args, file, verbatim }: TerminalRequest): string =>
  verbatim ? [`"${file}"`, ...args].join(" ") : Result.getOrThrow(windowsCommandLine(file, args))

/** CreateProcess requires variables sorted by name. */
const blockOf = (environment: TerminalRequest["environment"]): ReadonlyArray<string> =>
  Object.entries(environment)
    .toSorted(([a], [b]) => a.toUpperCase() < b.toUpperCase() ? -1 : 1)
    .map(([name, value]) => `${name}=${value}`)

const writerOf = (conin: Net.Socket): ByteWriter => {
  const write = (bytes: Uint8Array): Promise<boolean> =>
    new Promise((resolve) => {
      if (conin.destroyed) resolve(false)
      else conin.write(bytes, (error) => resolve(error === null || error === undefined))
    })
  return { write, end: () => write(endOfInput).then(() => {}) }
}

const open = (net: typeof Net, path: string): Promise<Net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(path)
    socket.once("connect", () => resolve(socket))
    // The end of a pipe whose other side is closed is an error on some runtimes.
    socket.on("error", reject)
  })

/**
 * Starts a shell that exits on a pseudo-console whose program could not be started, and then closes it. Closing alone
 * would also close the program's handle, which is uninitialized before a start and often that of something else, such
 * as stdout.
 */
const closeUnstarted = (binary: Binary, pty: number, host: Host, done: () => void): void => {
  const root = host.variable("SystemRoot") ?? "C:\\Windows"
  const close = (): void => {
    done()
    binary.kill(pty)
  }
  try {
    binary.connect(pty, `"${root}\\System32\\cmd.exe" /d /c exit`, root, [`SystemRoot=${root}`], close)
  } catch {
    // It stays until this program ends.
    done()
  }
}

const makeEngine = (binary: Binary, net: typeof Net): TerminalEngine => ({
  name: "conpty",
  spawn: async (host, request) => {
    const { cols, rows } = request.size
    const { conin, conout, pty } = binary.startProcess(
      request.file,
      cols,
      rows,
      false,
      `sluice-${crypto.randomUUID()}`,
      false,
    )
    let isOpen = false
    const close = (): void => {
      if (!isOpen) return
      isOpen = false
      binary.kill(pty)
    }
    const sockets: Array<Net.Socket> = []
    const exit = new ExitState()
    try {
      for (const path of [conin, conout]) sockets.push(await open(net, path))
      const [input, output] = sockets
      if (input === undefined || output === undefined) throw new Error("a pseudo-console has two pipes")
      // Closing it waits for its output to be read, so it is closed when all was read or reading has stopped.
      const closeWhenRead = (before: number): void => {
        const isRead = output.destroyed || output.bytesRead === before && output.readableLength === 0
        if (isRead) close()
        else setTimeout(closeWhenRead, silenceMillis, output.bytesRead)
      }
      output.on("close", () => {
        input.destroy()
        close()
      })
      const { pid } = binary.connect(
        pty,
        commandLineOf(request),
        request.cwd ?? host.cwd() ?? "C:\\",
        blockOf(request.environment),
        (code) => {
          exit.settle({ exitCode: code >>> 0 })
          setTimeout(closeWhenRead, silenceMillis, output.bytesRead)
        },
      )
      isOpen = true
      return {
        pid,
        stdout: nodeReader(output),
        stderr: undefined,
        stdin: writerOf(input),
        onExit: exit.onExit,
        kill: (signal) => {
          // Other signals are requests to end, which Windows does not have.
          if (signal === "SIGKILL" && !exit.hasEnded) host.signal?.(pid, "SIGKILL")
        },
        setRef: (ref) => {
          for (const socket of sockets) ref ? socket.ref() : socket.unref()
        },
        resize: (size) => {
          if (isOpen) binary.resize(pty, size.cols, size.rows)
        },
      }
    } catch (error) {
      const destroy = (): void => sockets.forEach((socket) => socket.destroy())
      // Connecting it waits for both pipes to be open.
      if (sockets.length === 2) closeUnstarted(binary, pty, host, destroy)
      else destroy()
      const [, number = ""] = /error code: (\d+)/.exec(String(error)) ?? []
      const code = codes[number]
      throw code === undefined ? error : Object.assign(new Error(`${request.file} (${code})`), { code })
    }
  },
})

/** Loads the engine; `undefined` where the package or its binary is not installed, or may not be loaded. */
export const loadConPty = (): TerminalEngine | undefined => {
  const [net, binary] = [nodeProcess()?.getBuiltinModule("node:net"), requireBinary("conpty.node")]
  return net !== undefined && isBinary(binary) ? makeEngine(binary, net) : undefined
}
