/**
 * Reads and parses a configuration file: TOML, or JSON if its name ends in `.json`.
 *
 * Source: https://toml.io/en/v1.0.0
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { parse } from "smol-toml"
import { inputStream } from "../commandInput.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"

/** A table of settings. */
export type ConfigTable = Readonly<Record<string, unknown>>

/** Maximum size of a file. */
const maxBytes = 1_048_576

const reasonOf = (error: unknown): string => error instanceof Error ? error.message.split("\n")[0] ?? "" : String(error)

/** Parses JSON. The engines' messages quote the text around a mistake, which may be a token. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    const position = /\bat position (\d+)/.exec(String(error))?.[1]
    const line = position === undefined ? "" : `: line ${text.slice(0, Number(position)).split("\n").length}`
    throw new Error(`it is not JSON${line}`)
  }
}

const parseTable = (file: string, text: string): ConfigTable => {
  const value: unknown = file.endsWith(".json") ? parseJson(text) : parse(text)
  if (!Predicate.isObject(value)) throw new Error("it is not a table of settings")
  return { ...value }
}

/** Reads and parses a file. Fails where it cannot be read, is longer than 1 MiB, is not UTF-8, or does not parse. */
export const readConfigFile = (own: CliProcess, file: string): Effect.Effect<ConfigTable, UsageError> => {
  const wrong = (problem: string): UsageError => new UsageError(`--config: ${file}: ${problem}`)
  return Effect.scoped(Effect.gen(function* () {
    const input = yield* Effect.mapError(
      inputStream(own, file),
      ({ message }) => wrong(message.replace(/^--input: /, "")),
    )
    const pieces: Array<Uint8Array> = []
    let size = 0
    yield* Stream.runForEach(input, (piece) => {
      pieces.push(piece)
      size += piece.length
      return size > maxBytes ? Effect.fail(wrong(`it has more than ${maxBytes} bytes`)) : Effect.void
    }).pipe(Effect.mapError((error) => error instanceof UsageError ? error : wrong(error.message)))
    return yield* Effect.try({
      try: () => {
        const decoder = new TextDecoder("utf-8", { fatal: true })
        return parseTable(
          file,
          pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode(),
        )
      },
      catch: (error) => wrong(reasonOf(error)),
    })
  }))
}
