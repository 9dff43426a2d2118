/** Starts processes on pseudo-terminals, with the engine of this runtime. */
import type { TerminalSize } from "../../command/Terminal.ts"
import { interpreterOf } from "../faults/spawnError.ts"
import { noTerminalCode } from "../faults/spawnErrorExplanations.ts"
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"
import { findEngine } from "./findEngine.ts"

const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const adviceFor = ({ os, runtime }: Host): string =>
  os === "windows"
    ? `install the npm package @lydell/node-pty${runtime === "deno" ? " and run Deno with --allow-ffi" : ""}`
    : runtime === "deno"
    ? "install the npm package @lydell/node-pty and run Deno with --allow-ffi"
    : runtime === "node"
    ? "install the npm package zigpty"
    : "use Bun on Linux, or another runtime"

/** The error of execve(2), which engines report only as text on the terminal. */
const findStartError = (host: Host, { cwd, file }: SpawnRequest): Error | undefined => {
  const directory = cwd === undefined ? undefined : host.errorAt(cwd)
  if (directory !== undefined) return withCode(directory, `${cwd} (${directory})`)
  if (!file.startsWith("/")) return undefined
  const missing = host.errorAt(file)
  if (missing !== undefined) return withCode(missing, `${file} (${missing})`)
  const kind = host.fileKind(file)
  if (kind !== "executable" && kind !== "unknown") return withCode("EACCES", `${file} (EACCES)`)
  const interpreter = interpreterOf(host, file)
  return interpreter !== undefined && host.errorAt(interpreter) === "ENOENT"
    ? withCode("ENOENT", `${interpreter} (ENOENT)`)
    : undefined
}

/** Starts a process on a terminal. Rejects as {@link Host.spawn}, and with the code of `noTerminalCode` without an engine. */
export const openTerminal = async (host: Host, request: SpawnRequest, size: TerminalSize): Promise<HostProcess> => {
  const engine = await findEngine(host)
  if (engine === undefined) throw withCode(noTerminalCode, adviceFor(host))
  const failed = findStartError(host, request)
  if (failed !== undefined) throw failed
  const set = request.env?.set ?? {}
  const environment = request.env?.clear === true ? set : { ...host.environment(), ...set }
  const process = await engine.spawn(host, { ...request, terminal: undefined, size, environment })
  if (request.stdin === "piped") return process
  // There is no input: a program that reads gets its end instead of waiting for ever.
  void process.stdin?.end()
  return { ...process, stdin: undefined }
}
