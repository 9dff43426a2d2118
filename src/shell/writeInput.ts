/** Writes a value or a stream of bytes to the stdin of a process. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { CommandInput } from "../command/CommandInput.ts"
import { reveal } from "../command/plain/secret.ts"
import type { ByteWriter } from "./SpawnedProcess.ts"

// Not `instanceof`: a `Uint8Array` of another realm is valid, too.
const isBytes = (u: unknown): boolean => Object.prototype.toString.call(u) === "[object Uint8Array]"
const sliceBytes = 65_536

const bytesOf = (input: CommandInput): Uint8Array =>
  input instanceof Uint8Array ? input : encodeUtf8(reveal(input) ?? "")

/** Writes a value and ends the input. A reader that closes the pipe early (`head`) is no error. */
export const writeInput = async (stdin: ByteWriter, input: CommandInput): Promise<void> => {
  const bytes = bytesOf(input)
  for (let offset = 0; offset < bytes.length; offset += sliceBytes) {
    if (!await stdin.write(bytes.subarray(offset, offset + sliceBytes))) break
  }
  await stdin.end()
}

/** A stream for stdin emitted a value that is not bytes, which plain JavaScript can do. */
export class NonBytesError {
  readonly _tag = "NotBytes"
  readonly kind: string

  constructor(value: unknown) {
    this.kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  }
}

/** Writes the pieces of a stream, one at a time, and ends the input; fails as the stream does. */
export const writeInputStream = <E>(
  stdin: ByteWriter,
  stream: Stream.Stream<Uint8Array, E>,
): Effect.Effect<void, E | NonBytesError> =>
  stream.pipe(
    Stream.mapEffect((bytes): Effect.Effect<boolean, NonBytesError> => {
      if (!isBytes(bytes)) return Effect.fail(new NonBytesError(bytes))
      return bytes.length === 0 ? Effect.succeed(true) : Effect.promise(() => stdin.write(bytes))
    }),
    Stream.takeWhile((wanted) => wanted),
    Stream.runDrain,
    // Do not wait for this write: if the child does not read, it settles only when the child is gone.
    Effect.ensuring(Effect.sync(() => void stdin.end())),
  )
