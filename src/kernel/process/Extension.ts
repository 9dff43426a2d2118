/**
 * Runs functions of the host as commands of the kernel: streams stdin to them and writes what they return, through the
 * descriptors of a process, so pipes, limits and kills apply. They run in the host, whatever `isolate` says.
 */
import { encodeUtf8 } from "../../base/bytes.ts"
import { Errno, errnoText } from "../Errno.ts"
import type { Later, Program } from "../System.ts"
import { Process } from "./Process.ts"

/**
 * Output of an extension: text as UTF-8 or bytes, whole or in pieces. A stream is pulled as fast as its reader reads.
 */
export type ExtensionOutput =
  | string
  | Uint8Array
  | ReadableStream<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>

/** Exit code and outputs of an extension. */
export interface ExtensionResult {
  /** 0 to 255. Default: 0. */
  readonly exitCode?: number | undefined
  /** Default: nothing. */
  readonly stdout?: ExtensionOutput | undefined
  /** Default: nothing. */
  readonly stderr?: ExtensionOutput | undefined
}

/** The call of an extension, besides its arguments and its input. */
export interface ExtensionContext {
  /** The name it was called by. */
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Aborted when the command was ended: by a signal, a timeout, or because no reader of its output is left. */
  readonly signal: AbortSignal
}

/**
 * A function of the host as a command. Its result is written to stdout. If it throws, the error's message goes to
 * stderr without a stack, and the exit code is 1. `stdin` is pulled as it is read; cancelling it closes the pipe.
 */
export type Extension = (
  args: ReadonlyArray<string>,
  stdin: ReadableStream<Uint8Array<ArrayBuffer>>,
  context: ExtensionContext,
) => ExtensionOutput | ExtensionResult | void | PromiseLike<ExtensionOutput | ExtensionResult | void>

/** Functions of the host by the names of their commands. */
export type Extensions = Readonly<Record<string, Extension>>

export interface ExtensionCall extends ExtensionContext {
  readonly args: ReadonlyArray<string>
  readonly stdin: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Waits for a promise of the host; rejected when the process ends meanwhile. */
  readonly until: <A>(promise: Promise<A>) => Promise<A>
  /** Writes to stdout or stderr. Returns 0 or an errno. */
  readonly write: (fd: 1 | 2, bytes: Uint8Array) => Later<number>
}

type Piece = string | Uint8Array
/** The outcome of a promise of the host: `until` takes no promise that is rejected. */
type PromiseOutcome<A> = { readonly value: A } | { readonly cause: unknown }

const settled = <A>(promise: PromiseLike<A>): Promise<PromiseOutcome<A>> =>
  Promise.resolve(promise).then((value) => ({ value }), (cause: unknown) => ({ cause }))

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
const isPiece = (value: unknown): value is Piece => typeof value === "string" || value instanceof Uint8Array
const isStream = (value: unknown): value is ReadableStream<unknown> => value instanceof ReadableStream
const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && typeof Reflect.get(value, Symbol.asyncIterator) === "function"

const messageOf = (cause: unknown): string => {
  try {
    return cause instanceof Error ? String(cause.message || cause.name) : String(cause)
  } catch {
    return "the thrown value has no text"
  }
}

/** Reads a value of the host; an error that it throws becomes a `HostFailure`. */
const ofHost = <A>(read: () => A): A => {
  try {
    return read()
  } catch (cause) {
    throw new HostFailure(cause)
  }
}

/** Waits for a turn of the event loop: with promises alone no timer would fire. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

interface Source {
  readonly next: () => PromiseLike<{ readonly done?: boolean | undefined; readonly value?: unknown }>
  readonly stop: () => unknown
}

const ofReading = (reading: unknown): { readonly done: unknown; readonly value: unknown } => {
  if (!isObject(reading)) {
    throw new HostFailure(new TypeError(`an iterator must return an object: ${typeof reading}`))
  }
  return ofHost(() => ({ done: Reflect.get(reading, "done"), value: Reflect.get(reading, "value") }))
}

const sourceOf = (output: ReadableStream<unknown> | AsyncIterable<unknown>): Source => {
  if (isStream(output)) {
    const reader = output.getReader()
    return { next: () => reader.read(), stop: () => reader.cancel() }
  }
  const iterator = output[Symbol.asyncIterator]()
  return { next: () => iterator.next(), stop: () => iterator.return?.() }
}

export const callExtension = async (extension: Extension, call: ExtensionCall): Promise<number> => {
  const { args, cwd, env, name, signal, stdin, until, write } = call
  const complain = async (message: string): Promise<number> => {
    await write(2, encodeUtf8(`${name}: ${message}\n`))
    return 1
  }
  /** Waits for a promise of the host, and throws its rejection as a `HostFailure`. */
  const from = async <A>(promise: PromiseLike<A>): Promise<A> => {
    const result = await until(settled(promise))
    if ("cause" in result) throw new HostFailure(result.cause)
    return result.value
  }
  const put = async (fd: 1 | 2, piece: unknown): Promise<void> => {
    if (!isPiece(piece)) {
      throw new HostFailure(new TypeError(`a piece of output must be text or bytes: ${typeof piece}`))
    }
    const bytes = typeof piece === "string" ? encodeUtf8(piece) : piece
    if (bytes.length === 0) return until(turn())
    const written = await write(fd, bytes)
    if (written < 0) throw new HostFailure(new Error(`write error: ${errnoText(written)}`))
  }
  const pump = async (fd: 1 | 2, output: unknown): Promise<void> => {
    if (output === undefined || output === null) return
    if (isPiece(output)) return put(fd, output)
    if (!isStream(output) && !isIterable(output)) {
      throw new HostFailure(new TypeError(`output must be text, bytes or a stream of them: ${typeof output}`))
    }
    const source = ofHost(() => sourceOf(output))
    let ended = false
    try {
      for (;;) {
        const { done, value } = ofReading(await from(ofHost(source.next)))
        ended = done === true
        if (ended) return
        await put(fd, value)
      }
    } finally {
      // Not awaited: it may never settle.
      if (!ended) void settled(Promise.resolve().then(source.stop))
    }
  }
  try {
    const answer: unknown = await from(
      Promise.resolve().then(() => extension(args, stdin, { name, env, cwd, signal })),
    )
    if (!isObject(answer) || isPiece(answer) || isStream(answer) || isIterable(answer)) {
      await pump(1, answer)
      return 0
    }
    const property = (name: string): unknown => ofHost(() => Reflect.get(answer, name))
    await Promise.all([pump(1, property("stdout")), pump(2, property("stderr"))])
    const code = property("exitCode") ?? 0
    if (typeof code === "number" && Number.isInteger(code)) return code & 255
    return await complain(`the exit code must be an integer: ${messageOf(code)}`)
  } catch (cause) {
    // The process was killed: only the kernel catches that error.
    if (!(cause instanceof HostFailure)) throw cause
    return await complain(messageOf(cause.cause))
  }
}

/** An error thrown by the host's code, as opposed to the kernel's. */
class HostFailure extends Error {
  constructor(cause: unknown) {
    super("the host failed", { cause })
  }
}

const pieceBytes = 65_536

const stdinOf = (process: Process, signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    pull: async (controller) => {
      try {
        const into = new Uint8Array(pieceBytes)
        const count = await process.read(0, into)
        if (count > 0) controller.enqueue(into.subarray(0, count))
        else if (count === 0 || count === -Errno.EBADF) controller.close()
        else controller.error(new Error(`stdin: ${errnoText(count)}`))
      } catch (cause) {
        controller.error(signal.aborted ? signal.reason : cause)
      }
    },
    cancel: () => {
      if (process.status === undefined) process.close(0)
    },
  }, { highWaterMark: 0 })

export const extensionProgram = (name: string, extension: Extension): Program => async (system) => {
  if (!(system instanceof Process)) throw new TypeError("an extension runs only in a process of the kernel")
  const aborted = new AbortController()
  system.onEnd.push(() => aborted.abort())
  return await callExtension(extension, {
    name,
    args: system.args.slice(1),
    env: Object.fromEntries(system.env),
    cwd: system.cwd,
    signal: aborted.signal,
    stdin: stdinOf(system, aborted.signal),
    until: (promise) => system.until(promise),
    write: (fd, bytes) => system.writeAll(fd, bytes),
  })
}
