/** Calls a function of the host as a command: writes its output, and reports its errors on stderr. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { isObject } from "../../base/isObject.ts"
import { errnoText } from "../Errno.ts"
import type { Extension, ExtensionContext } from "../process/Extension.ts"
import { SandboxError } from "../sandbox/SandboxError.ts"
import type { Later } from "../System.ts"
import { isAsyncIterable, isStream, readingOf, sourceOf } from "./PieceSource.ts"

export interface ExtensionCall {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly stdin: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly context: Omit<ExtensionContext, "stdout" | "stderr">
  /** Waits for a promise of the host; rejected when the process ends meanwhile. */
  readonly until: <A>(promise: Promise<A>) => Promise<A>
  /** Writes to stdout or stderr. Returns 0 or an errno. */
  readonly write: (fd: 1 | 2, bytes: Uint8Array) => Later<number>
  /** Gets the promises of the function and of the streams that are ended early: they may outlive the call. */
  readonly onStart: (work: Promise<unknown>) => void
}

type Piece = string | Uint8Array
/** The outcome of a promise of the host: `until` accepts no promise that may be rejected. */
type PromiseOutcome<A> = { readonly value: A } | { readonly cause: unknown }

const settled = <A>(promise: PromiseLike<A>): Promise<PromiseOutcome<A>> =>
  Promise.resolve(promise).then((value) => ({ value }), (cause: unknown) => ({ cause }))

const isPiece = (value: unknown): value is Piece => typeof value === "string" || value instanceof Uint8Array

const messageOf = (cause: unknown): string => {
  if (cause instanceof SandboxError) return cause.message.replace(/^sandbox: /, "")
  return errorMessage(cause) || (cause instanceof Error ? cause.name : "")
}

/** An error thrown by the host's code, as opposed to the kernel's. */
class HostFailure extends Error {
  constructor(cause: unknown) {
    super("the host failed", { cause })
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

/** Waits for a turn of the event loop, because with promises alone no timer would fire. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

export const callExtension = async (extension: Extension, call: ExtensionCall): Promise<number> => {
  const { args, context, name, onStart, stdin, until, write } = call
  const complain = async (message: string): Promise<number> => {
    await write(2, encodeUtf8(`${name}: ${message}\n`))
    return 1
  }
  /** Waits for a promise of the host, and throws its rejection as a `HostFailure`. */
  const from = async <A>(promise: A | PromiseLike<A>): Promise<A> => {
    const result = await until(settled(Promise.resolve(promise)))
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
    const source = ofHost(() => isStream(output) || isAsyncIterable(output) ? sourceOf(output) : undefined)
    if (source === undefined) {
      throw new HostFailure(new TypeError(`output must be text, bytes or a stream of them: ${typeof output}`))
    }
    let ended = false
    try {
      for (;;) {
        const result = await from(ofHost(source.next))
        const reading = ofHost(() => readingOf(result))
        if (reading === undefined) {
          throw new HostFailure(new TypeError(`an iterator must return an object: ${typeof result}`))
        }
        ended = reading.done
        if (ended) return
        await put(fd, reading.value)
      }
    } finally {
      // Not awaited: it may never settle.
      if (!ended) onStart(settled(Promise.resolve().then(source.stop)))
    }
  }
  /** Lets the function write before it returns. Its errors are reported as errors of the host's call. */
  const writerOf = (fd: 1 | 2): ExtensionContext["stdout"] => ({
    write: (piece) => {
      const written = put(fd, piece).catch((cause: unknown) => {
        throw context.signal.aborted ? context.signal.reason : cause instanceof HostFailure ? cause.cause : cause
      })
      // A promise that the function dropped must not be an unhandled rejection.
      written.catch(() => {})
      return written
    },
  })
  try {
    const answered = Promise.resolve().then(() =>
      extension(args, stdin, { ...context, stdout: writerOf(1), stderr: writerOf(2) })
    )
    onStart(settled(answered))
    const answer: unknown = await from(answered)
    if (!isObject(answer) || isPiece(answer) || isStream(answer) || ofHost(() => isAsyncIterable(answer))) {
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
