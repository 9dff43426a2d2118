/**
 * Starts a planned process and turns the runtime's error into a PlatformError.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"
import { startRequest } from "../startRequest.ts"
import { type ProcessDescription, spawnFailed } from "./platformErrors.ts"

/** Starts the process. */
export const startProcess = (
  host: Host,
  subject: ProcessDescription,
  request: SpawnRequest,
): Effect.Effect<HostProcess, PlatformError.PlatformError> =>
  Effect.mapError(
    startRequest(host, request),
    (error) => spawnFailed(subject, request.argv0 ?? request.file, error),
  )
