/** Wraps a host so that commands inherit only some of its environment variables. */
import { applyDelta } from "../../../host/environment.ts"
import type { Host, SpawnRequest } from "../../../host/Host.ts"
import { markerName } from "../../../host/runMarker.ts"

/** Wraps a host: commands inherit the variables that pass a filter, and always the marker of an outer run. */
export const withInheritedVariables = (host: Host, passes: (name: string) => boolean): Host => {
  const isPassed = (name: string): boolean => name === markerName || passes(name)
  const environment = (): Readonly<Record<string, string>> | undefined => {
    const all = host.environment()
    return all === undefined ? undefined : Object.fromEntries(Object.entries(all).filter(([name]) => isPassed(name)))
  }
  // An environment that may not be read cannot be filtered: then nothing is inherited.
  const platform = host.os === "windows" ? "windows" : "posix"
  const filtered = ({ env }: SpawnRequest): SpawnRequest["env"] =>
    env?.clear === true ? env : {
      clear: true,
      set: applyDelta(platform, { clear: false, remove: [], set: env?.set ?? {} }, environment() ?? {}),
    }
  return {
    ...host,
    environment,
    variable: (name) => isPassed(name) ? host.variable(name) : undefined,
    spawn: (request) => host.spawn({ ...request, env: filtered(request) }),
  }
}
