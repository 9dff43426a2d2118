/**
 * Writes recorded output in order to the program's own stdout and stderr.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { OutputPiece } from "../../history/commandOutput.ts"
import type { BrokenOutputError } from "../ProcessOutput.ts"
import type { OutputFd } from "../CliProcess.ts"
import type { CliOutput } from "./CliOutput.ts"
import type { LogText } from "./CommandLog.ts"

/** The descriptor of the program's own output for a stream of the command. */
export const fdOf = ({ stream }: Pick<OutputPiece, "stream">): OutputFd => stream === "stderr" ? 2 : 1

/** Writes texts in order, each to its output. */
export const writeTexts = (
  cliOutput: CliOutput,
  texts: ReadonlyArray<LogText>,
): Effect.Effect<void, BrokenOutputError> =>
  Effect.forEach(texts, (each) => each.text === "" ? Effect.void : cliOutput.write(fdOf(each), each.text), {
    discard: true,
  })

/** Writes pieces in order, each to its output. */
export const writePieces = (
  cliOutput: CliOutput,
  pieces: ReadonlyArray<OutputPiece>,
): Effect.Effect<void, BrokenOutputError> =>
  Effect.forEach(pieces, (piece) => cliOutput.write(fdOf(piece), piece.bytes), { discard: true })
