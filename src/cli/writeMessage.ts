/** Writes a message to stderr as one line that begins with `sluice:`, or `exec:` for a failed command. */
import * as Effect from "effect/Effect"
import { encodeUtf8 } from "../base/bytes.ts"
import { escapeInvisible } from "../base/escapeInvisible.ts"
import type { BrokenOutputError, OutputWriter } from "./ProcessOutput.ts"

/** Writes a message; line breaks in it become spaces, and other control characters, which may come from a server, escapes. */
export const writeMessage = (output: OutputWriter, text: string): Effect.Effect<void, BrokenOutputError> => {
  const line = escapeInvisible(text.trim().replace(/\s*[\r\n]+\s*/g, " "))
  return output.write(2, encodeUtf8(`${line.startsWith("exec: ") ? "" : "sluice: "}${line}\n`))
}

/** Writes a message as far as stderr takes it. */
export const tryMessage = (output: OutputWriter, text: string): Effect.Effect<void> =>
  Effect.ignore(writeMessage(output, text))
