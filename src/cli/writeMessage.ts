/**
 * Writes a one-line message to stderr.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { BrokenOutputError, OutputWriter } from "./ProcessOutput.ts"

/** Writes a message; line breaks in it become spaces. */
export const writeMessage = (output: OutputWriter, text: string): Effect.Effect<void, BrokenOutputError> =>
  output.write(2, new TextEncoder().encode(`sluice: ${text.trim().replace(/\s*[\r\n]+\s*/g, " ")}\n`))
