/**
 * Computes the files that tools may change without a command where commands stand behind walls: no more than these.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { IsolatedFileRules } from "../leaves/isolated/fileRules.ts"
import type { IsolationRequest } from "./isolationFlags.ts"
import type { UsageError } from "./UsageError.ts"

/** Options of a local file system; all files of its folder without walls. */
export const isolatedFiles = (
  isolation: IsolationRequest | undefined,
): Effect.Effect<Partial<IsolatedFileRules>, UsageError> =>
  isolation === undefined ? Effect.succeed({}) : Effect.flatMap(
    // Loaded here: few runs have walls.
    Effect.promise(() => import("./makeIsolated.ts")),
    ({ isolatedFileRules }) => isolatedFileRules(isolation),
  )
