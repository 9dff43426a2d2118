/**
 * Wraps a host so that requests with a terminal are started on one, by the engine of this machine.
 *
 * Innermost of a leaf's hosts: what encloses a command encloses it on a terminal too.
 */
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"
import { scriptInterpreter } from "../faults/spawnError.ts"
import type { TerminalEngine } from "./TerminalEngine.ts"

/** No engine is installed. */
export class NoEngineError extends Error {
  /** Tells it from errors of runtimes. */
  readonly _tag = "NoEngineError"
}

const withCode = (code: string, path: string): Error => Object.assign(new Error(`${path} (${code})`), { code })

/** The error of execve(2), which engines report only as text on the terminal. */
const findStartError = (host: Host, { cwd, file }: SpawnRequest): Error | undefined => {
  const directory = cwd === undefined ? undefined : host.errorAt(cwd)
  if (directory !== undefined) return withCode(directory, cwd ?? "")
  if (!file.startsWith("/")) return undefined
  const missing = host.errorAt(file)
  if (missing !== undefined) return withCode(missing, file)
  const kind = host.fileKind(file)
  if (kind !== "executable" && kind !== "unknown") return withCode("EACCES", file)
  const interpreter = scriptInterpreter(new TextDecoder("latin1").decode(host.readHead(file, 256)))
  return interpreter !== undefined && host.errorAt(interpreter) === "ENOENT"
    ? withCode("ENOENT", interpreter)
    : undefined
}

/** Wraps a host. `find` finds the engine; it throws a {@link NoEngineError} where it finds none. */
export const withTerminals = (host: Host, find: (host: Host) => Promise<TerminalEngine | undefined>): Host => {
  const open = async (request: SpawnRequest, size: NonNullable<SpawnRequest["terminal"]>): Promise<HostProcess> => {
    const engine = await find(host)
    if (engine === undefined) throw new NoEngineError()
    const failed = findStartError(host, request)
    if (failed !== undefined) throw failed
    const set = request.env?.set ?? {}
    const environment = request.env?.clear === true ? set : { ...host.environment(), ...set }
    const started = await engine.spawn(host, { ...request, terminal: undefined, size, environment })
    const process = host.adopt?.(request, started) ?? started
    if (request.stdin === "piped") return process
    // There is no input: a program that reads gets its end instead of waiting for ever.
    void process.stdin?.end()
    return { ...process, stdin: undefined }
  }
  return {
    ...host,
    spawn: (request) => request.terminal === undefined ? host.spawn(request) : open(request, request.terminal),
  }
}
