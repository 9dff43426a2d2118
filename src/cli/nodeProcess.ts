/** Implements `CliProcess`, the program's own process, on Node and Bun. */
import type * as NodeChildProcess from "node:child_process"
import type * as NodeFs from "node:fs"
import type * as NodeNet from "node:net"
import type * as NodeTty from "node:tty"
import { makeRawMode } from "./rawMode.ts"
import type { TerminalSize } from "../command/Terminal.ts"
import {
  type CliProcess,
  type CliTerminal,
  type EndSignal,
  endSignals,
  type InputReader,
  unknownSize,
} from "./CliProcess.ts"

export interface NodeReader {
  readonly read: () => unknown
  readonly on: (event: "readable" | "end" | "close" | "error", listener: (error?: unknown) => void) => unknown
  readonly destroy: () => unknown
}

export interface InputProcess {
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeReader
  readonly getBuiltinModule: {
    (id: "node:net"): typeof NodeNet
    (id: "node:tty"): typeof NodeTty
  }
}

const bufferBytes = 65_536

const fileReader = (fs: typeof NodeFs, fd: number): InputReader => ({
  read: () =>
    new Promise((resolve, reject) => {
      const buffer = new Uint8Array(bufferBytes)
      fs.read(fd, buffer, 0, bufferBytes, null, (error, n) => {
        if (error !== null && error !== undefined) reject(error)
        else resolve(n === 0 ? undefined : buffer.subarray(0, n))
      })
    }),
  close: () => {
    if (fd > 2) fs.close(fd, () => {})
  },
})

const streamReader = (stream: NodeReader): InputReader => {
  let waiting:
    | { readonly resolve: (bytes: Uint8Array | undefined) => void; readonly reject: (e: unknown) => void }
    | undefined
  let failure: { readonly error: unknown } | undefined
  let ended = false
  const settle = (): void => {
    if (waiting === undefined) return
    const bytes = ended ? undefined : stream.read()
    const { reject, resolve } = waiting
    if (bytes instanceof Uint8Array) resolve(bytes)
    else if (failure !== undefined) reject(failure.error)
    else if (ended) resolve(undefined)
    else return
    waiting = undefined
  }
  const end = (): void => {
    ended = true
    settle()
  }
  stream.on("readable", settle)
  stream.on("end", end)
  stream.on("close", end)
  stream.on("error", (error) => {
    failure ??= { error }
    end()
  })
  return {
    read: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        settle()
      }),
    close: () => {
      stream.destroy()
    },
  }
}

const open = (fs: typeof NodeFs, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    fs.open(path, "r", (error, fd) => error === null ? resolve(fd) : reject(error))
  })

/**
 * Opens a file, or stdin for `-`. On Node the event loop reads inputs that may never bring a byte (a pipe, a terminal): a
 * thread that blocks in a read would keep Node from exiting.
 */
const openNodeInput = async (
  process: InputProcess,
  fs: typeof NodeFs,
  source: string,
): Promise<InputReader> => {
  const fd = source === "-" ? 0 : await open(fs, source)
  const stat = fs.fstatSync(fd)
  if (process.versions["bun"] !== undefined || stat.isFile()) return fileReader(fs, fd)
  if (fd === 0) return streamReader(process.stdin)
  if (stat.isFIFO()) return streamReader(new (process.getBuiltinModule("node:net").Socket)({ fd, writable: false }))
  const tty = process.getBuiltinModule("node:tty")
  return tty.isatty(fd) ? streamReader(new tty.ReadStream(fd)) : fileReader(fs, fd)
}

export interface NodeGlobal {
  readonly argv: ReadonlyArray<string>
  readonly env: Record<string, string | undefined>
  readonly pid: number
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeReader & { readonly setRawMode?: (on: boolean) => unknown }
  readonly stdout: { readonly columns?: number | undefined; readonly rows?: number | undefined }
  readonly on: (signal: string, listener: () => void) => unknown
  readonly off: (signal: string, listener: () => void) => unknown
  readonly removeAllListeners: (signal: string) => unknown
  readonly kill: (pid: number, signal: string) => unknown
  readonly exit: (status: number) => never
  readonly getBuiltinModule: {
    (id: "node:child_process"): typeof NodeChildProcess
    (id: "node:fs"): typeof NodeFs
    (id: "node:net"): typeof NodeNet
    (id: "node:tty"): typeof NodeTty
  }
}

const isNode = (u: unknown): u is NodeGlobal =>
  typeof u === "object" && u !== null && "getBuiltinModule" in u && "argv" in u && "stdin" in u

/** The size of the terminal on stdin, if stdout is not one. Node gives it only for outputs. */
const sizeOfInput = (process: NodeGlobal): TerminalSize => {
  const { spawnSync } = process.getBuiltinModule("node:child_process")
  const { stdout } = spawnSync("stty", ["size"], { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" })
  const [rows = 0, cols = 0] = (stdout ?? "").split(" ").map(Number)
  return cols > 0 && rows > 0 ? { cols, rows } : unknownSize
}

/** The user's terminal. Raw mode also ends on an uncaught error. */
const terminalOf = (process: NodeGlobal): CliTerminal => {
  const setRaw = makeRawMode((on) => {
    process.stdin.setRawMode?.(on)
    if (!on) return
    // libuv leaves the translation of newlines on. It restores all settings afterwards.
    const { spawnSync } = process.getBuiltinModule("node:child_process")
    spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] })
  })
  // Before the error is printed: in raw mode its lines would not begin in the first column.
  for (const event of ["uncaughtExceptionMonitor", "exit"]) process.on(event, () => setRaw(false))
  return {
    size: () => {
      const { columns: cols = 0, rows = 0 } = process.stdout
      return cols > 0 && rows > 0 ? { cols, rows } : sizeOfInput(process)
    },
    setRaw,
    onResize: (listener) => {
      // The runtime's own listener, which reads the size, comes after this one.
      const later = (): void => void setTimeout(listener, 10)
      process.on("SIGWINCH", later)
      return () => process.off("SIGWINCH", later)
    },
  }
}

export const nodeProcess = (): CliProcess | undefined => {
  const process: unknown = Reflect.get(globalThis, "process")
  if (!isNode(process)) return undefined
  const fs = process.getBuiltinModule("node:fs")
  let writing = 0
  let terminal: CliTerminal | undefined
  let signalled: EndSignal | undefined
  return {
    args: process.argv.slice(2),
    variable: (name) => process.env[name],
    forget: (matches) => {
      for (const name of Object.keys(process.env).filter(matches)) delete process.env[name]
    },
    isTerminal: (fd) => {
      try {
        // Loading `node:tty` costs milliseconds, and only a character device can be a terminal.
        return fs.fstatSync(fd).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(fd)
      } catch {
        // Closed.
        return false
      }
    },
    columns: () => process.stdout.columns,
    // Not process.stdout: its writes into a pipe block the thread, on Node and on Bun.
    write: (fd, bytes) =>
      new Promise((resolve, reject) => {
        writing++
        fs.write(fd, bytes, 0, bytes.length, null, (error, written) => {
          writing--
          if (error === null || error === undefined) resolve(written)
          else reject(error)
        })
      }),
    hasInput: () => {
      try {
        return !fs.fstatSync(0).isCharacterDevice()
      } catch {
        // Closed.
        return false
      }
    },
    openTerminal: () => {
      try {
        const isTerminal = process.getBuiltinModule("node:tty").isatty(0)
        return isTerminal ? terminal ??= terminalOf(process) : undefined
      } catch {
        // Closed.
        return undefined
      }
    },
    openInput: (source) => openNodeInput(process, fs, source),
    onSignal: (listener) => {
      for (const signal of endSignals) {
        process.on(signal, () => {
          signalled = signal
          listener(signal)
        })
      }
    },
    exit: (status) => {
      terminal?.setRaw(false)
      // At exit Node waits for a thread that is in a write; ending by a signal does not. The status is the same.
      if (writing > 0 && signalled !== undefined && process.versions["bun"] === undefined) {
        process.removeAllListeners(signalled)
        process.kill(process.pid, signalled)
      } else process.exit(status)
    },
  }
}
