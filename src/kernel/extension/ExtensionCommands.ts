/** Runs command lines for an extension, as children of its process: captured or as events, within limits. */
import { concatBytes, encodeUtf8 } from "../../base/bytes.ts"
import { type DurationInput, millisOf } from "../../base/duration.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../../base/OptionError.ts"
import { errnoName, errnoText } from "../Errno.ts"
import type { OpenFile, StopWaiting } from "../OpenFile.ts"
import type { Process } from "../process/Process.ts"
import { NullFile } from "../process/NullFile.ts"
import { StaticFile } from "../process/StaticFile.ts"
import { StreamSource } from "../process/StreamSource.ts"
import { SandboxError } from "../sandbox/SandboxError.ts"
import { type RunStream, scriptEndOf, type ScriptExit, ScriptResult, type ScriptText } from "../sandbox/Script.ts"
import { drainGraceMillis } from "../sandbox/drainGraceMillis.ts"
import { type Pid, Signal } from "../System.ts"
import { Descriptor } from "../wasi/WasiProcess.ts"
import { type ExtensionProcess, hostCall } from "./hostCall.ts"
import { readingOf, sourceOf } from "./PieceSource.ts"

/** Stdin of a command line: a value, or text and bytes as they arrive. */
export type ExtensionInput =
  | string
  | Uint8Array
  | ReadableStream<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>
  | Iterable<string | Uint8Array>

/** Options of a command line that an extension runs. */
export interface ExtensionExecOptions {
  /** Its `$1`, `$2`, …; they are never parsed as shell text. Default: none. */
  readonly args?: ReadonlyArray<string> | undefined
  /** Working directory; a relative path starts at that of the extension. Default: that of the extension. */
  readonly cwd?: string | undefined
  /** Variables added to those of the extension. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Its stdin; a stream is pulled as it reads. Default: nothing. */
  readonly input?: ExtensionInput | undefined
  /**
   * Maximum bytes that it may write to both outputs together; beyond that it is ended by SIGXFSZ. Default: 16,777,216.
   */
  readonly maxOutputBytes?: number | undefined
  /** Kills the command line when it is aborted. The end of the extension always kills it. */
  readonly signal?: AbortSignal | undefined
  /** Time after which it is killed. Default: no limit except that of the run. */
  readonly timeout?: DurationInput | undefined
}

const optionNames: Readonly<Record<keyof ExtensionExecOptions, true>> = {
  args: true,
  cwd: true,
  env: true,
  input: true,
  maxOutputBytes: true,
  signal: true,
  timeout: true,
}

const pieceBytes = 65_536

const inputFile = (input: ExtensionInput | undefined): OpenFile => {
  if (input === undefined) return new NullFile()
  if (typeof input === "string") return new StaticFile(encodeUtf8(input))
  if (input instanceof Uint8Array) return new StaticFile(input)
  const source = sourceOf(input)
  if (source === undefined) throw new OptionError("input", "input: write text, bytes, an iterable of these or a stream")
  return new StreamSource({
    pull: async () => {
      const reading = readingOf(await source.next())
      if (reading === undefined) throw new TypeError("an iterator must return an object")
      const { done, value } = reading
      if (done) return undefined
      if (typeof value === "string") return encodeUtf8(value)
      if (value instanceof Uint8Array) return value
      throw new TypeError("a piece of input must be text or bytes")
    },
    cancel: () => void Promise.resolve().then(source.stop).catch(() => {}),
  })
}

interface Command {
  readonly pid: Pid
  readonly stdout: number
  readonly stderr: number
  /** Bytes that it may still write. */
  left: number
  truncated: boolean
  readonly stopTimers: Array<StopWaiting>
  /** Ends it if it still runs, and closes its pipes. */
  readonly close: () => void
}

const failedStart = (errno: number): SandboxError => {
  const code = errnoName(errno)
  return SandboxError.because({ _tag: "NotStarted", code }, `the shell could not be started: ${errnoText(errno)}`, code)
}

interface CommandFds {
  readonly input: number
  readonly stdout: readonly [read: number, write: number]
  readonly stderr: readonly [read: number, write: number]
}

/** Opens the descriptors of a command in the extension's process: all or none. Takes over the reference of the file. */
const openFds = (process: Process, file: OpenFile): CommandFds => {
  const input = process.addDescriptor(new Descriptor(file))
  if (input < 0) {
    file.release()
    throw failedStart(input)
  }
  const stdout = process.pipe()
  const stderr = typeof stdout === "number" ? stdout : process.pipe()
  if (typeof stdout !== "number" && typeof stderr !== "number") return { input, stdout, stderr }
  for (const fd of [input, ...typeof stdout === "number" ? [] : stdout]) process.close(fd)
  throw failedStart(Math.min(...[stdout, stderr].filter((made) => typeof made === "number")))
}

/** Starts a shell in a process group of its own. Throws a `SandboxError` or an `OptionError`. */
const start = ({ cwd, process }: ExtensionProcess, command: string, options: ExtensionExecOptions): Command => {
  refuseUnknownOptions("exec", options, optionNames)
  const { args = [], env = {}, maxOutputBytes = 16_777_216, signal, timeout = Infinity } = options
  const left = requireCount("exec", "maxOutputBytes", maxOutputBytes, { min: 0 })
  const timeoutMillis = millisOf("timeout", timeout)
  const fds = openFds(process, inputFile(options.input))
  const folder = options.cwd === undefined || options.cwd.startsWith("/") ? options.cwd ?? cwd : `${cwd}/${options.cwd}`
  const pid = process.spawnShell({
    args: ["bash", "-c", command, "bash", ...args],
    cwd: folder,
    env: new Map([...process.env, ...Object.entries(env)]),
    fds: [[0, fds.input], [1, fds.stdout[1]], [2, fds.stderr[1]]],
    group: 0,
    parentDeathSignal: Signal.SIGKILL,
    ownsStdin: true,
  })
  for (const fd of [fds.input, fds.stdout[1], fds.stderr[1]]) process.close(fd)
  const [stdout, stderr] = [fds.stdout[0], fds.stderr[0]]
  if (pid < 0) {
    for (const fd of [stdout, stderr]) process.close(fd)
    throw failedStart(pid)
  }
  const end = (): void => process.endGroup(pid)
  process.onEnd.push(end)
  const stopTimers = [process.after(timeoutMillis, end)]
  if (signal?.aborted === true) end()
  else signal?.addEventListener("abort", end)
  const close = (): void => {
    end()
    for (const stop of stopTimers) stop()
    signal?.removeEventListener("abort", end)
    const at = process.onEnd.indexOf(end)
    if (at >= 0) process.onEnd.splice(at, 1)
    if (process.status === undefined) { for (const fd of [stdout, stderr]) process.close(fd) }
  }
  return { pid, stdout, stderr, left, truncated: false, stopTimers, close }
}

/** Reads an output until its end, within the limit of both. `undefined` at the end. */
const readPiece = async (process: Process, command: Command, fd: number): Promise<Uint8Array | undefined> => {
  const piece = new Uint8Array(pieceBytes)
  for (;;) {
    const count = await process.read(fd, piece)
    if (count <= 0) return undefined
    const kept = Math.min(count, command.left)
    command.left -= kept
    if (kept < count && !command.truncated) {
      command.truncated = true
      process.endGroup(command.pid, Signal.SIGXFSZ)
    }
    if (kept > 0) return piece.subarray(0, kept)
  }
}

/** Waits for the shell. Background processes that hold its outputs may still write for a moment. */
const waitFor = async (process: Process, command: Command): Promise<ScriptExit> => {
  const { pid } = command
  const status = await process.wait(pid)
  if (typeof status !== "object") throw new Error(`the shell ${pid} of an extension is gone (${status})`)
  command.stopTimers.push(process.after(drainGraceMillis, () => process.endGroup(pid)))
  return { _tag: "ScriptExit", ...scriptEndOf(status, command.truncated) }
}

const capture = async (at: ExtensionProcess, line: string, options: ExtensionExecOptions): Promise<ScriptResult> => {
  const { process } = at
  const command = start(at, line, options)
  try {
    const collect = async (fd: number): Promise<Uint8Array<ArrayBuffer>> => {
      const pieces: Array<Uint8Array> = []
      for (let piece = await readPiece(process, command, fd); piece !== undefined;) {
        pieces.push(piece)
        piece = await readPiece(process, command, fd)
      }
      return concatBytes(pieces)
    }
    const [exit, stdout, stderr] = await Promise.all([
      waitFor(process, command),
      collect(command.stdout),
      collect(command.stderr),
    ])
    return new ScriptResult({ ...exit, truncated: command.truncated }, stdout, stderr)
  } finally {
    command.close()
  }
}

async function* eventsOf(
  at: ExtensionProcess,
  line: string,
  options: ExtensionExecOptions,
): AsyncGenerator<ScriptText | ScriptExit, void, void> {
  const { process } = at
  const command = await hostCall(at, () => start(at, line, { maxOutputBytes: Infinity, ...options }))
  try {
    const exited = hostCall(at, () => waitFor(process, command))
    const reading = new Map<RunStream, Promise<readonly [RunStream, Uint8Array | undefined]>>()
    const decoder = () => new TextDecoder("utf-8", { ignoreBOM: true })
    const decoders = { stdout: decoder(), stderr: decoder() }
    const read = (stream: RunStream): void =>
      void reading.set(
        stream,
        hostCall(at, async () => [stream, await readPiece(process, command, command[stream])] as const),
      )
    read("stdout")
    read("stderr")
    while (reading.size > 0) {
      const [stream, bytes] = await Promise.race(reading.values())
      if (bytes === undefined) reading.delete(stream)
      const text = decoders[stream].decode(bytes, { stream: bytes !== undefined })
      if (text !== "") yield { _tag: "ScriptText", stream, text }
      if (bytes !== undefined) read(stream)
    }
    yield { ...await exited, truncated: command.truncated }
  } finally {
    command.close()
  }
}

/** Command lines that an extension runs in the sandbox. */
export interface ExtensionCommands {
  /**
   * Runs a command line to its end, in a shell of its own, with the descriptors, limits and permissions of the extension. An exit
   * code other than 0 is a result. Background processes that it leaves are ended. Rejects with a `SandboxError` (`NotStarted`) or
   * an `OptionError`.
   */
  readonly exec: (command: string, options?: ExtensionExecOptions) => Promise<ScriptResult>
  /**
   * Runs a command line and yields its text as it is written, the exit last. A slow consumer blocks it; leaving the loop ends it.
   * Default of `maxOutputBytes`: no limit.
   */
  readonly events: (command: string, options?: ExtensionExecOptions) => AsyncIterable<ScriptText | ScriptExit>
}

export const makeExtensionCommands = (at: ExtensionProcess): ExtensionCommands => ({
  exec: (command, options = {}) => hostCall(at, () => capture(at, command, options)),
  events: (command, options = {}) => eventsOf(at, command, options),
})
