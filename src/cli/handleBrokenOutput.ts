/**
 * Turns a failed write to stdout or stderr into a message on stderr and an exit status.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { exitStatusOfBrokenOutput } from "./exitStatus.ts"
import { type BrokenOutputError, isReaderGone, type OutputWriter } from "./ProcessOutput.ts"
import { writeMessage } from "./writeMessage.ts"

/** The status when an output breaks. Of stderr there is nobody to tell, nor of a reader who has had enough. */
export const handleBrokenOutput = (broken: BrokenOutputError, output: OutputWriter): Effect.Effect<number> =>
  Effect.as(
    broken.fd === 2 || isReaderGone(broken)
      ? Effect.void
      : Effect.ignore(writeMessage(output, `stdout cannot be written (${broken.code})`)),
    exitStatusOfBrokenOutput(broken),
  )
