/**
 * Writes a one-line message to stderr.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { BrokenOutput, Output } from "./ProcessOutput.ts"

/** Says something in one line, whatever the text holds. */
export const writeMessage = (output: Output, text: string): Effect.Effect<void, BrokenOutput> =>
  output.write(2, new TextEncoder().encode(`sluice: ${text.trim().replace(/\s*[\r\n]+\s*/g, " ")}\n`))
