/**
 * The settings of `sluice daemon`, read from its flags.
 *
 * @module
 */
import * as Result from "effect/Result"
import { type FlagWords, parsedFlag } from "../flagValues.ts"
import type { OwnProcess } from "../OwnProcess.ts"
import { readRedaction, type RedactionRequest } from "../redaction.ts"
import { type CommandsRequest, readCommands } from "../serverFlags.ts"
import { parseCount } from "../serve/ServeRequest.ts"
import type { UsageError } from "../UsageError.ts"
import { parseDuration, parsePositiveDuration } from "../values.ts"

/** The settings of `sluice daemon`. */
export interface DaemonRequest extends CommandsRequest {
  readonly journal: string | undefined
  readonly maxConcurrent: number | undefined
  readonly leaseMillis: number | undefined
  readonly drainMillis: number
  readonly redaction: RedactionRequest
}

/** Reads what was asked for. */
export const readDaemonRequest = (words: FlagWords, own: OwnProcess): Result.Result<DaemonRequest, UsageError> =>
  Result.gen(function* () {
    return {
      ...(yield* readCommands(words, own, "*")),
      journal: words.get("journal")?.[0],
      maxConcurrent: yield* parsedFlag(words, "max-concurrent", parseCount),
      leaseMillis: yield* parsedFlag(words, "lease", parsePositiveDuration),
      drainMillis: (yield* parsedFlag(words, "drain", parseDuration)) ?? 0,
      redaction: yield* readRedaction(words),
    }
  })
