/** Declares the Schema of the options next to the command in the body of `POST /exec`, and their maximums. */
import * as Schema from "effect/Schema"
import { ChunkingRecord } from "../command/ChunkingRecord.ts"
import { ExecRequestSecrets } from "./secrets.ts"
import { Terminal } from "../command/Terminal.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Maximum length of output that a server holds back until it can be cut, in UTF-16 units: 1 Mi. */
export const maxChunkLength = 1_048_576

/** Maximum time that a command may run without a reader, in milliseconds: an hour. */
export const maxDisconnectGraceMillis = 3_600_000

/**
 * Schema of the options next to the command in the body of `POST /exec`.
 *
 * - `chunking`: where output is cut into chunks; a server holds back at most {@link maxChunkLength}. Default: whole lines, a
 *   partial line after 100 ms.
 * - `window`: a window policy for a streamed answer, such as `lines:50`.
 * - `detached`: answers at once, and the command runs without a reader. Default: `false`.
 * - `disconnectGraceMillis`: time for which a command continues without a reader before it is ended, at most an hour.
 *   Default: 0, so it ends with the connection.
 * - `secrets`: the values of the command's markers: see {@link ExecRequestSecrets}.
 * - `stdin`: `"open"` for a command that gets input by `POST /commands/:id/input`. Default: `"closed"`, with a terminal
 *   `"open"`.
 * - `terminal`: a terminal instead of pipes: see {@link Terminal}. Default: pipes.
 */
export const ExecRequestOptions: Schema.Struct<{
  readonly chunking: Schema.optionalKey<typeof ChunkingRecord>
  readonly window: Schema.optionalKey<typeof Schema.String>
  readonly detached: Schema.optionalKey<typeof Schema.Boolean>
  readonly disconnectGraceMillis: Schema.optionalKey<typeof Schema.Int>
  readonly secrets: Schema.optionalKey<typeof ExecRequestSecrets>
  readonly stdin: Schema.optionalKey<Schema.Literals<readonly ["open", "closed"]>>
  readonly terminal: Schema.optionalKey<typeof Terminal>
}> = Schema.Struct({
  chunking: Schema.optionalKey(ChunkingRecord),
  window: Schema.optionalKey(Schema.String),
  detached: Schema.optionalKey(Schema.Boolean),
  disconnectGraceMillis: Schema.optionalKey(Count.check(Schema.isLessThanOrEqualTo(maxDisconnectGraceMillis))),
  secrets: Schema.optionalKey(ExecRequestSecrets),
  stdin: Schema.optionalKey(Schema.Literals(["open", "closed"])),
  terminal: Schema.optionalKey(Terminal),
})

/** The options next to the command in a request. */
export type ExecRequestOptions = typeof ExecRequestOptions.Type
