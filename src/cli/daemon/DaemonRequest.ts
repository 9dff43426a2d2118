/**
 * Parses the flags of `sluice daemon` into a typed request.
 *
 * @module
 */
import * as Result from "effect/Result"
import { type FlagWords, parsedFlag } from "../flagValues.ts"
import type { CliProcess } from "../CliProcess.ts"
import { parseRedaction, type RedactionRequest } from "../redaction.ts"
import { type CommandPolicyRequest, readCommandPolicy } from "../serverFlags.ts"
import { parseCount } from "../serve/ServeRequest.ts"
import type { UsageError } from "../UsageError.ts"
import { parseDuration, parsePositiveDuration } from "../parseValues.ts"

/** The settings of `sluice daemon`. */
export interface DaemonRequest extends CommandPolicyRequest {
  readonly journal: string | undefined
  readonly maxConcurrent: number | undefined
  readonly leaseMillis: number | undefined
  readonly drainMillis: number
  readonly redaction: RedactionRequest
}

/** Parses the values of the flags. */
export const readDaemonRequest = (words: FlagWords, own: CliProcess): Result.Result<DaemonRequest, UsageError> =>
  Result.gen(function* () {
    return {
      ...(yield* readCommandPolicy(words, own, "*")),
      journal: words.get("journal")?.[0],
      maxConcurrent: yield* parsedFlag(words, "max-concurrent", parseCount),
      leaseMillis: yield* parsedFlag(words, "lease", parsePositiveDuration),
      drainMillis: (yield* parsedFlag(words, "drain", parseDuration)) ?? 0,
      redaction: yield* parseRedaction(words),
    }
  })
