/** Writes recorded texts or bytes in order to the program's own stdout and stderr. */
import * as Effect from "effect/Effect"
import type { OutputPiece } from "../../history/commandOutput.ts"
import { fdOf } from "../printRun.ts"
import type { BrokenOutputError } from "../ProcessOutput.ts"
import type { LogText } from "./LineAssembler.ts"
import type { RecordedOutput } from "./RecordedOutput.ts"

/** Writes lines in order, each to its output. */
export const writeTexts = (
  output: RecordedOutput,
  texts: ReadonlyArray<LogText>,
): Effect.Effect<void, BrokenOutputError> =>
  Effect.forEach(texts, (each) => each.text === "" ? Effect.void : output.writeLines(fdOf(each.stream), each.text), {
    discard: true,
  })

/** Writes pieces in order, each to its output. */
export const writePieces = (
  output: RecordedOutput,
  pieces: ReadonlyArray<OutputPiece>,
): Effect.Effect<void, BrokenOutputError> =>
  Effect.forEach(pieces, (piece) => output.write(fdOf(piece.stream), piece.bytes), { discard: true })
