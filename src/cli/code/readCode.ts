/**
 * Reads source code from a file or from stdin for `sluice code`.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { inputStream } from "../commandInput.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"
import type { CodeSource } from "./RunCodeRequest.ts"

/** Maximum size of code: 16 MiB. */
const maxCodeBytes = 16_777_216

const named = (file: string): string => file === "-" ? "stdin" : file

/** Reads the code of a source. Fails if it is not UTF-8. */
export const readCode = (
  own: CliProcess,
  source: CodeSource,
): Effect.Effect<string, UsageError, Scope.Scope> => {
  if (source._tag === "Text") return Effect.succeed(source.code)
  const { file } = source
  const wrong = (problem: string): UsageError => new UsageError(`--file: ${problem}`)
  return Effect.gen(function* () {
    const bytes = yield* inputStream(own, file)
    const decoder = new TextDecoder("utf-8", { fatal: true })
    let size = 0
    let code = ""
    const add = (piece: Uint8Array): Effect.Effect<void, UsageError> => {
      size += piece.length
      if (size > maxCodeBytes) return Effect.fail(wrong(`${named(file)} has more than ${maxCodeBytes} bytes`))
      return Effect.try({
        try: () => {
          code += decoder.decode(piece, { stream: true })
        },
        catch: () => wrong(`${named(file)} is not UTF-8`),
      })
    }
    yield* Stream.runForEach(bytes, add)
    return yield* Effect.try({ try: () => code + decoder.decode(), catch: () => wrong(`${named(file)} is not UTF-8`) })
  }).pipe(
    Effect.mapError((error) => error instanceof UsageError ? fileError(error) : wrong(error.message)),
  )
}

/** Names `--file` instead of `--input` in the error of a file that cannot be opened. */
const fileError = ({ message }: UsageError): UsageError => new UsageError(message.replace(/^--input: /, "--file: "))
