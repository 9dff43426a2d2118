/**
 * Converts the options `input` and `stdin` into a value or a stream for a command's stdin.
 *
 * @module
 */
import * as Stream from "effect/Stream"
import { OptionError } from "../base/OptionError.ts"
import type { CommandInput } from "../command/CommandInput.ts"
import { isSecret } from "../command/Secret.ts"
import { RendezvousPipe } from "../shell/RendezvousPipe.ts"
import type { RunInput } from "./RunOptions.ts"

const encoder = new TextEncoder()
const bytesOf = (piece: Uint8Array | string): Uint8Array => typeof piece === "string" ? encoder.encode(piece) : piece
const isObject = (u: unknown): u is object => typeof u === "object" && u !== null

/** An input as a value that is written into the command, or a stream. */
export interface ReadInput {
  readonly value?: CommandInput
  readonly stream?: Stream.Stream<Uint8Array, unknown>
}

/** Reads the option `input`. */
export const splitInput = (input: RunInput | undefined): ReadInput => {
  if (input === undefined) return {}
  if (typeof input === "string" || input instanceof Uint8Array || isSecret(input)) return { value: input }
  const pieces: Stream.Stream<Uint8Array | string, unknown> | undefined = input instanceof ReadableStream
    ? Stream.fromReadableStream({ evaluate: () => input, onError: (error: unknown) => error })
    : isObject(input) && Symbol.asyncIterator in input
    ? Stream.fromAsyncIterable(input, (error: unknown) => error)
    : isObject(input) && Symbol.iterator in input
    ? Stream.fromIterable(input)
    : undefined
  if (pieces !== undefined) return { stream: Stream.map(pieces, bytesOf) }
  throw new OptionError("input", "input: write text, bytes, a secret, an iterable of these or a ReadableStream")
}

/** A file that is open for a command to read. */
export interface InputFile {
  readonly stream: Stream.Stream<Uint8Array, unknown>
  readonly close: () => Promise<void>
}

/** Opens a file; its bytes are read as they are asked for. */
export const openInput = async (path: string): Promise<InputFile> => {
  const { open } = await import("node:fs/promises")
  const handle = await open(path, "r")
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    const buffer = new Uint8Array(65_536)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return
      // A copy: the next read may begin before the command has taken this one.
      yield buffer.slice(0, bytesRead)
    }
  }
  return { stream: Stream.fromAsyncIterable(pieces(), (error: unknown) => error), close: () => handle.close() }
}

/** A pipe into a command, with a Web stream as its writing end. What is written after the command is over is dropped. */
export class StdinPipe {
  readonly #handOff = new RendezvousPipe()
  /** The reading end. */
  readonly stream: Stream.Stream<Uint8Array> = this.#handOff.stream
  /** The writing end: a write is answered when the command has taken it. */
  readonly writable: WritableStream<Uint8Array | string> = new WritableStream({
    write: async (piece) => {
      const bytes = bytesOf(piece)
      if (bytes.length > 0) await this.#handOff.write(bytes)
    },
    close: () => this.#handOff.end(),
    abort: () => this.#handOff.end(),
  })

  /** The command reads no more. */
  close(): void {
    this.#handOff.close()
  }
}
