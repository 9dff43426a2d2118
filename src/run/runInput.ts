/** Converts the option `input` into a value or a stream, opens input files, and makes pipes into a command's stdin. */
import * as Stream from "effect/Stream"
import { bytesOfPiece, streamOfPieces } from "../base/inputPieces.ts"
import { OptionError } from "../base/OptionError.ts"
import type { CommandInput } from "../command/CommandInput.ts"
import { isSecret } from "../command/plain/secret.ts"
import { RendezvousPipe } from "../shell/RendezvousPipe.ts"
import type { RunInput } from "./RunOptions.ts"

/** An input: a value that becomes a part of the command, or a stream. */
export interface ReadInput {
  readonly value?: CommandInput
  readonly stream?: Stream.Stream<Uint8Array, unknown>
}

export const splitInput = (input: RunInput | undefined): ReadInput => {
  if (input === undefined) return {}
  if (typeof input === "string" || input instanceof Uint8Array || isSecret(input)) return { value: input }
  const stream = streamOfPieces(input)
  if (stream !== undefined) return { stream }
  throw new OptionError("input", "input: write text, bytes, a secret, an iterable of these or a ReadableStream")
}

/** An open file for the stdin of a command. */
export interface InputFile {
  readonly stream: Stream.Stream<Uint8Array, unknown>
  readonly close: () => Promise<void>
}

/** Opens a file; its bytes are read when they are pulled. */
export const openInput = async (path: string): Promise<InputFile> => {
  const { open } = await import("node:fs/promises")
  const handle = await open(path, "r")
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    const buffer = new Uint8Array(65_536)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return
      // A copy: the next read may start before the command has read this piece.
      yield buffer.slice(0, bytesRead)
    }
  }
  return { stream: Stream.fromAsyncIterable(pieces(), (error: unknown) => error), close: () => handle.close() }
}

/** A pipe into a command, with a Web stream as its writing end. Writes after the end of the command are dropped. */
export class StdinPipe {
  readonly #rendezvous = new RendezvousPipe()
  readonly #start: (() => unknown) | undefined
  /** The reading end. */
  readonly stream: Stream.Stream<Uint8Array> = this.#rendezvous.stream
  /** The writing end: a write resolves when the command has read it. */
  readonly writable: WritableStream<Uint8Array | string> = new WritableStream({
    write: async (piece) => {
      this.#start?.()
      const bytes = bytesOfPiece(piece)
      if (bytes.length > 0) await this.#rendezvous.write(bytes)
    },
    close: () => this.#rendezvous.end(),
    abort: () => this.#rendezvous.end(),
  })

  /** A write calls `start`, because it waits for the command to read: without a command it would wait for ever. */
  constructor(start?: () => unknown) {
    this.#start = start
  }

  /** Drops further writes: the command has ended. */
  close(): void {
    this.#rendezvous.close()
  }
}
