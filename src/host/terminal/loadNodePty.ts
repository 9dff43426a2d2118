/** Makes an engine from the native functions of npm `@lydell/node-pty`. */
import { makeMasterProcess } from "./makeMasterProcess.ts"
import { requireBinary } from "./requirePackage.ts"
import type { TerminalEngine } from "./TerminalEngine.ts"

interface Binary {
  readonly fork: (
    file: string,
    args: ReadonlyArray<string>,
    env: ReadonlyArray<string>,
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helper: string,
    onExit: (exitCode: number, signal: number) => void,
  ) => { readonly fd: number; readonly pid: number }
  readonly resize: (fd: number, cols: number, rows: number) => void
}

const isBinary = (u: unknown): u is Binary =>
  typeof u === "object" && u !== null && "fork" in u && typeof u.fork === "function" && "resize" in u &&
  typeof u.resize === "function"

/** Loads the engine; `undefined` where the package or its binary is not installed. */
export const loadNodePty = (): TerminalEngine | undefined => {
  const binary = requireBinary("pty.node")
  if (!isBinary(binary)) return undefined
  return {
    name: "node-pty",
    spawn: (host, { args, cwd, environment, file, size }) =>
      makeMasterProcess(host, (onExit) => {
        const env = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
        const utf8 = true
        const [uid, gid] = [-1, -1]
        const started = binary.fork(
          file,
          args,
          env,
          cwd ?? host.cwd() ?? "/",
          size.cols,
          size.rows,
          uid,
          gid,
          utf8,
          "",
          onExit,
        )
        return { ...started, resize: ({ cols, rows }) => binary.resize(started.fd, cols, rows) }
      }),
  }
}
