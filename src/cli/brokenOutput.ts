/**
 * What becomes of who writes when nobody reads.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { statusOfBrokenOutput } from "./exitStatus.ts"
import { type BrokenOutput, type Output, readerIsGone } from "./Output.ts"
import { say } from "./say.ts"

/** The status when an output breaks. Of stderr there is nobody to tell, nor of a reader who has had enough. */
export const brokenOutput = (broken: BrokenOutput, output: Output): Effect.Effect<number> =>
  Effect.as(
    broken.fd === 2 || readerIsGone(broken)
      ? Effect.void
      : Effect.ignore(say(output, `stdout cannot be written (${broken.code})`)),
    statusOfBrokenOutput(broken),
  )
