/** Makes an engine from npm `zigpty`. */
import { makeMasterProcess } from "./makeMasterProcess.ts"
import { requirePackage } from "./requirePackage.ts"
import type { TerminalEngine } from "./TerminalEngine.ts"

interface Pty {
  readonly pid: number
  readonly resize: (cols: number, rows: number) => void
  readonly onExit: (listener: (exit: { readonly exitCode: number; readonly signal: number }) => void) => unknown
}

interface Zigpty {
  readonly hasNative: boolean
  readonly spawn: (file: string, args: ReadonlyArray<string>, options: Readonly<Record<string, unknown>>) => Pty
  readonly Terminal: { readonly prototype: object }
}

const isZigpty = (u: unknown): u is Zigpty =>
  typeof u === "object" && u !== null && "hasNative" in u && u.hasNative === true && "spawn" in u &&
  typeof u.spawn === "function" && "Terminal" in u && typeof u.Terminal === "function"

/** Loads the engine; `undefined` where the package or its binary is not installed. */
export const loadZigpty = (): TerminalEngine | undefined => {
  const zigpty = requirePackage("zigpty")
  if (!isZigpty(zigpty)) return undefined
  return {
    name: "zigpty",
    spawn: (host, { args, cwd, environment, file, size: { cols, rows } }) =>
      makeMasterProcess(host, (onExit) => {
        let fd: number | undefined
        // Takes the descriptor instead of the stream that the package would destroy at the exit, with unread output.
        const terminal: unknown = Object.create(zigpty.Terminal.prototype, {
          _attachUnixFd: { value: (given: number) => void (fd = given) },
        })
        const options = { cwd: cwd ?? host.cwd() ?? "/", env: environment, cols, rows, terminal, encoding: null }
        const pty = zigpty.spawn(file, args, options)
        pty.onExit(({ exitCode, signal }) => onExit(exitCode, signal))
        if (fd === undefined) {
          host.signal?.(pty.pid, "SIGKILL")
          throw new Error("this version of zigpty is not supported: install zigpty 0.2.1")
        }
        return { fd, pid: pty.pid, resize: (size) => pty.resize(size.cols, size.rows) }
      }),
  }
}
