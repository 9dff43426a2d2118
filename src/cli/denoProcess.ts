/**
 * Implements `CliProcess`, the program's own process, on Deno.
 *
 * Uses Deno's own API throughout: the first access to `process` costs some 20 ms there.
 */
import { makeRawMode } from "./rawMode.ts"
import { type CliProcess, type CliTerminal, endSignals, type InputReader, unknownSize } from "./CliProcess.ts"

interface DenoReadable {
  readonly read: (into: Uint8Array) => Promise<number | null>
  readonly close: () => void
}

interface DenoOutput {
  readonly write: (bytes: Uint8Array) => Promise<number>
  readonly isTerminal: () => boolean
}

interface DenoGlobal {
  readonly args: ReadonlyArray<string>
  readonly env: {
    readonly get: (name: string) => string | undefined
    readonly delete: (name: string) => void
    readonly toObject: () => Readonly<Record<string, string>>
  }
  readonly stdin: DenoReadable & { readonly isTerminal: () => boolean; readonly setRaw: (on: boolean) => void }
  readonly statSync: (path: string) => { readonly isCharDevice: boolean | null }
  readonly stdout: DenoOutput
  readonly stderr: DenoOutput
  readonly open: (path: string) => Promise<DenoReadable>
  readonly readTextFileSync: (path: string) => string
  readonly permissions: { readonly querySync: (query: { readonly name: "read" }) => { readonly state: string } }
  readonly consoleSize: () => { readonly columns: number; readonly rows: number }
  readonly addSignalListener: (signal: string, listener: () => void) => void
  readonly removeSignalListener: (signal: string, listener: () => void) => void
  readonly exit: (status: number) => never
  readonly Command: new (
    program: string,
    options: { readonly args: ReadonlyArray<string>; readonly stdin: "inherit"; readonly stderr: "null" },
  ) => { readonly outputSync: () => unknown }
}

const isDeno = (u: unknown): u is DenoGlobal =>
  typeof u === "object" && u !== null && "addSignalListener" in u && "stdout" in u && "args" in u

const bufferBytes = 65_536

/** O_NONBLOCK in the flags of proc_pid_fdinfo(5), in octal. */
const nonBlocking = 0o4000

/** PIPE_BUF: writes up to this size are atomic (pipe(7)). */
const atomicBytes = 4_096

/**
 * Number of bytes to write at once. Deno writes everything or fails, and after a write into a full non-blocking pipe it
 * does not report how much got through: there, only atomic writes are safe.
 */
const pieceBytes = (deno: DenoGlobal, fd: number): number => {
  // Checks permissions without a prompt.
  if (deno.permissions.querySync({ name: "read" }).state !== "granted") return Infinity
  try {
    const [, flags] = /^flags:\s*(\d+)/m.exec(deno.readTextFileSync(`/proc/self/fdinfo/${fd}`)) ?? []
    return (parseInt(flags ?? "0", 8) & nonBlocking) === 0 ? Infinity : atomicBytes
  } catch {
    // Not Linux.
    return Infinity
  }
}

const readerOf = (file: DenoReadable): InputReader => ({
  read: async () => {
    const buffer = new Uint8Array(bufferBytes)
    const n = await file.read(buffer)
    return n === null ? undefined : buffer.subarray(0, n)
  },
  close: () => file.close(),
})

/** The user's terminal. Raw mode also ends on an uncaught error. */
const terminalOf = (deno: DenoGlobal): CliTerminal => {
  const setRaw = makeRawMode((on) => {
    deno.stdin.setRaw(on)
    // Deno leaves the translation of newlines on. It restores all settings afterwards.
    if (on) new deno.Command("stty", { args: ["-opost"], stdin: "inherit", stderr: "null" }).outputSync()
  })
  for (const event of ["error", "unhandledrejection", "unload"]) {
    globalThis.addEventListener(event, () => setRaw(false))
  }
  return {
    size: () => {
      try {
        const { columns: cols, rows } = deno.consoleSize()
        return cols > 0 && rows > 0 ? { cols, rows } : unknownSize
      } catch {
        return unknownSize
      }
    },
    setRaw,
    onResize: (listener) => {
      try {
        deno.addSignalListener("SIGWINCH", listener)
        return () => deno.removeSignalListener("SIGWINCH", listener)
      } catch {
        // Windows has no such signal.
        return () => {}
      }
    },
  }
}

export const denoProcess = (): CliProcess | undefined => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  if (!isDeno(deno)) return undefined
  const outputs = { 1: deno.stdout, 2: deno.stderr }
  const pieces: Array<number | undefined> = []
  let terminal: CliTerminal | undefined
  return {
    args: deno.args,
    variable: (name) => {
      try {
        return deno.env.get(name)
      } catch {
        // Not permitted: treated as not set.
        return undefined
      }
    },
    forget: (matches) => {
      try {
        for (const name of Object.keys(deno.env.toObject()).filter(matches)) deno.env.delete(name)
      } catch {
        // Not permitted; then no command inherits the variable either.
      }
    },
    isTerminal: (fd) => outputs[fd].isTerminal(),
    columns: () => {
      try {
        return deno.consoleSize().columns
      } catch {
        // No terminal.
        return undefined
      }
    },
    write: (fd, bytes) => outputs[fd].write(bytes.subarray(0, pieces[fd] ??= pieceBytes(deno, fd))),
    hasInput: () => {
      if (deno.stdin.isTerminal()) return false
      try {
        return !deno.statSync("/dev/stdin").isCharDevice
      } catch {
        // No permission to stat, or Windows, where only a pipe or a file remains.
        return true
      }
    },
    openTerminal: () => deno.stdin.isTerminal() ? terminal ??= terminalOf(deno) : undefined,
    openInput: async (source) => readerOf(source === "-" ? deno.stdin : await deno.open(source)),
    onSignal: (listener) => {
      for (const signal of endSignals) {
        try {
          deno.addSignalListener(signal, () => listener(signal))
        } catch {
          // Windows lacks some signals.
        }
      }
    },
    exit: (status) => {
      terminal?.setRaw(false)
      deno.exit(status)
    },
  }
}
