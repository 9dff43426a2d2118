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

/** The output that stands for one of the command's. */
export const fdOf = ({ stream }: Pick<OutputPiece, "stream">): OutputFd => stream === "stderr" ? 2 : 1

/** Writes texts in order, each to its output. */
export const writeTexts = (desk: CliOutput, texts: ReadonlyArray<LogText>): Effect.Effect<void, BrokenOutputError> =>
  Effect.forEach(texts, (each) => each.text === "" ? Effect.void : desk.write(fdOf(each), each.text), {
    discard: true,
  })

/** Writes pieces in order, each to its output. */
export const writePieces = (
  desk: CliOutput,
  pieces: ReadonlyArray<OutputPiece>,
): Effect.Effect<void, BrokenOutputError> =>
  Effect.forEach(pieces, (piece) => desk.write(fdOf(piece), piece.bytes), { discard: true })
