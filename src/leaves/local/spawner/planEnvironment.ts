/** Plans the environment variables of a process of the spawner. */
import type * as PlatformError from "effect/PlatformError"
import type { StandardCommand } from "effect/process/ChildProcess"
import * as Result from "effect/Result"
import { quote } from "../../../base/quote.ts"
import type { Word } from "../../../command/Secret.ts"
import { childEnvironment, type EnvironmentDelta } from "../../../host/environment.ts"
import type { Host } from "../../../host/Host.ts"
import type { Resolver } from "../plan/makeResolver.ts"
import type { Platform } from "../../../host/paths.ts"
import { markerName, nestedMarker } from "../../../host/runMarker.ts"
import { badArgument } from "./platformErrors.ts"

export interface PlanContext {
  readonly host: Host
  readonly platform: Platform
  readonly resolve: Resolver
  /** Text in the environment of this process and its descendants. */
  readonly marker: string
}

/** The result of a step, or the error that refuses the command. */
export type Planned<A> = Result.Result<A, PlatformError.PlatformError>

export const planEnvironment = ({ options }: StandardCommand, context: PlanContext): Planned<EnvironmentDelta> => {
  const { host, marker, platform } = context
  const inherit = options.env === undefined || options.extendEnv === true
  const entries: Record<string, Word | null> = Object.create(null)
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value !== undefined) entries[name] = value
    else if (inherit) entries[name] = null
  }
  const delta = childEnvironment({
    platform,
    parent: host.variable,
    inherit,
    entries,
    marker: [markerName, nestedMarker(host.variable(markerName), marker)],
  })
  return Result.mapError(
    delta,
    ({ name, problem }) => badArgument(`the environment variable ${quote(name)} ${problem}`),
  )
}
