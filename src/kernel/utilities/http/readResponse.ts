/** Reads the body of a response, within a time, and removes its content coding. */
import type { HttpFailure, HttpResponse, System } from "../../System.ts"

/** A failure while the body was read; `Timeout` if the time expired. */
export class BodyError extends Error {
  readonly reason: HttpFailure["reason"] | "Coding"

  constructor(reason: HttpFailure["reason"] | "Coding", message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Yields the pieces of a body. Throws a `BodyError`. `deadline`: nanoseconds of the monotonic clock; `idleMillis`: time until
 * the next piece.
 */
export async function* readBody(
  system: System,
  { failure, fd }: HttpResponse,
  deadline: bigint | undefined,
  idleMillis: number = Infinity,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const into = new Uint8Array(65_536)
  for (;;) {
    if (deadline !== undefined || idleMillis < Infinity) {
      const left = deadline === undefined ? Infinity : Number(deadline - system.monotonic()) / 1e6
      const ms = Math.min(left, idleMillis)
      const ready = ms <= 0 ? [1] : await system.poll([{ _tag: "Readable", fd }, { _tag: "After", ms }])
      if (typeof ready === "object" && !ready.includes(0)) throw new BodyError("Timeout", "the time is up")
    }
    const count = await system.read(fd, into)
    if (count === 0) return
    if (count < 0) {
      const { message, reason } = failure() ?? { reason: "Reset", message: "the connection broke" } as const
      throw new BodyError(reason, message)
    }
    // A copy: undecompressed bytes are kept, and a piece of one byte must not keep 64 KiB alive.
    yield into.slice(0, count)
    await system.yield()
  }
}

/** Number of bytes that are decompressed in one step, into up to a thousand times as many. */
const maxCodedBytes = 1_024

function* stepsOf(piece: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>, void> {
  for (let at = 0; at < piece.length; at += maxCodedBytes) yield piece.subarray(at, at + maxCodedBytes)
}

type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void>

const streamOf = (pieces: Pieces): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      } catch (cause) {
        controller.error(cause)
      }
    },
  }, { highWaterMark: 0 })

/** Removes a content coding: `gzip` or `deflate`. */
export async function* decode(pieces: Pieces, coding: "gzip" | "deflate"): AsyncGenerator<Uint8Array, void> {
  let failure: { readonly cause: unknown } | undefined
  const source = (async function* (): Pieces {
    try {
      yield* pieces
    } catch (cause) {
      failure = { cause }
      throw cause
    }
  })()
  const first = await source.next()
  // An empty body has no coding.
  if (first.done === true) return
  const rest = (async function* (): Pieces {
    yield* stepsOf(first.value)
    for await (const piece of source) yield* stepsOf(piece)
  })()
  const reader = streamOf(rest).pipeThrough(new DecompressionStream(coding)).getReader()
  for (;;) {
    let result: Awaited<ReturnType<typeof reader.read>>
    try {
      result = await reader.read()
    } catch {
      if (failure !== undefined) throw failure.cause
      throw new BodyError("Coding", `the ${coding} coding is invalid`)
    }
    if (result.done) return
    yield result.value
  }
}
