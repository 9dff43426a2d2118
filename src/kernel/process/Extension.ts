/**
 * Functions of the host as commands. They run in the host, whatever `isolate` says; what they read and write goes
 * through the descriptors of a process, so pipes, limits and kills are as for every program.
 *
 * @module
 */
import { Errno, errnoText } from "../Errno.ts"
import type { Later, Program } from "../System.ts"
import { Process } from "./Process.ts"

/** Text, as UTF-8, or bytes; at once or piece by piece. A stream is pulled only as fast as its reader takes it. */
export type ExtensionOutput =
  | string
  | Uint8Array
  | ReadableStream<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>

/** How a command ended, and what it wrote. */
export interface ExtensionResult {
  /** 0 to 255. Default: 0. */
  readonly exitCode?: number | undefined
  readonly stdout?: ExtensionOutput | undefined
  readonly stderr?: ExtensionOutput | undefined
}

/** What a function is told besides its arguments and its input. */
export interface ExtensionContext {
  /** The name that it was called by. */
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Aborted when the command has ended: by a signal, a timeout, or because nothing reads what it writes. */
  readonly signal: AbortSignal
}

/**
 * A function of the host as a command. What it answers with is written to stdout; an error that it throws is its message
 * on stderr, without a stack, and exit code 1. `stdin` is pulled as it is read; cancelling it closes the pipe before it.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const documents = ["the kernel", "the journal", "kernel and shell"]
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({
 *     extensions: {
 *       search: ([word = ""]) => documents.filter((text) => text.includes(word)).map((text) => `${text}\n`).join(""),
 *       upper: async function* (_, stdin) {
 *         const decoder = new TextDecoder()
 *         for await (const piece of stdin) yield decoder.decode(piece, { stream: true }).toUpperCase()
 *       },
 *     },
 *   })
 *   return yield* sandbox.run("search kernel | upper | sort")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.assert(stdout === "KERNEL AND SHELL\nTHE KERNEL\n")
 * ```
 */
export type Extension = (
  args: ReadonlyArray<string>,
  stdin: ReadableStream<Uint8Array<ArrayBuffer>>,
  context: ExtensionContext,
) => ExtensionOutput | ExtensionResult | void | PromiseLike<ExtensionOutput | ExtensionResult | void>

/** Functions of the host by the names of their commands. */
export type Extensions = Readonly<Record<string, Extension>>

/** One call of a function. */
export interface ExtensionCall extends ExtensionContext {
  readonly args: ReadonlyArray<string>
  readonly stdin: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Waits for the host; never comes back when the process ends meanwhile. */
  readonly until: <A>(promise: Promise<A>) => Promise<A>
  /** 0, or an errno. */
  readonly write: (fd: 1 | 2, bytes: Uint8Array) => Later<number>
}

type Piece = string | Uint8Array
/** What came of a promise of the host: `until` takes none that is rejected. */
type Settled<A> = { readonly value: A } | { readonly cause: unknown }

const settled = <A>(promise: PromiseLike<A>): Promise<Settled<A>> =>
  Promise.resolve(promise).then((value) => ({ value }), (cause: unknown) => ({ cause }))

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
const isPiece = (value: unknown): value is Piece => typeof value === "string" || value instanceof Uint8Array
const isStream = (value: unknown): value is ReadableStream<unknown> => value instanceof ReadableStream
const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && typeof Reflect.get(value, Symbol.asyncIterator) === "function"

/** Everything that can be thrown, in one line or more, without a stack. */
const messageOf = (cause: unknown): string => {
  try {
    return cause instanceof Error ? String(cause.message || cause.name) : String(cause)
  } catch {
    return "what was thrown has no text"
  }
}

/** What the host gives at once. */
const ofHost = <A>(read: () => A): A => {
  try {
    return read()
  } catch (cause) {
    throw new HostFailure(cause)
  }
}

/** A turn of the event loop: promises alone would never let a timer fire. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** A source that is pulled, and what stops it. */
interface Source {
  readonly next: () => PromiseLike<{ readonly done?: boolean | undefined; readonly value?: unknown }>
  readonly stop: () => unknown
}

/** What a source has brought. */
const ofReading = (reading: unknown): { readonly done: unknown; readonly value: unknown } => {
  if (!isObject(reading)) {
    throw new HostFailure(new TypeError(`an iterator must answer with an object: ${typeof reading}`))
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

/** Runs one call; answers with its exit code. */
export const callExtension = async (extension: Extension, call: ExtensionCall): Promise<number> => {
  const { args, cwd, env, name, signal, stdin, until, write } = call
  const encoder = new TextEncoder()
  const complain = async (message: string): Promise<number> => {
    await write(2, encoder.encode(`${name}: ${message}\n`))
    return 1
  }
  /** Waits for a promise of the host, and throws what it was rejected with. */
  const from = async <A>(promise: PromiseLike<A>): Promise<A> => {
    const result = await until(settled(promise))
    if ("cause" in result) throw new HostFailure(result.cause)
    return result.value
  }
  const put = async (fd: 1 | 2, piece: unknown): Promise<void> => {
    if (!isPiece(piece)) {
      throw new HostFailure(new TypeError(`a piece of output must be text or bytes: ${typeof piece}`))
    }
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece
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
      // Not waited for: it may never answer.
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
    // Killed: only the kernel catches that.
    if (!(cause instanceof HostFailure)) throw cause
    return await complain(messageOf(cause.cause))
  }
}

/** What the host threw, apart from what the kernel throws. */
class HostFailure extends Error {
  constructor(cause: unknown) {
    super("the host failed", { cause })
  }
}

const pieceBytes = 65_536

/** Standard input of a process, read only when it is asked for. */
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

/** A function of the host as a program of the kernel. */
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
