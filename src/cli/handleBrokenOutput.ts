/** Turns a failed write to stdout or stderr into a message on stderr and an exit status. */
import * as Effect from "effect/Effect"
import { exitStatusOfBrokenOutput } from "./exitStatus.ts"
import { type BrokenOutputError, isReaderGone, type OutputWriter } from "./ProcessOutput.ts"
import { tryMessage } from "./writeMessage.ts"

/** Returns the exit status of a broken output, and reports it unless stderr is broken or the reader is gone. */
export const handleBrokenOutput = (broken: BrokenOutputError, output: OutputWriter): Effect.Effect<number> =>
  Effect.as(
    broken.fd === 2 || isReaderGone(broken)
      ? Effect.void
      : tryMessage(output, `cannot write to stdout (${broken.code})`),
    exitStatusOfBrokenOutput(broken),
  )
