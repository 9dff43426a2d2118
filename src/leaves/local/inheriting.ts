/**
 * A host of whose environment commands inherit a part.
 *
 * @module
 */
import { materialise } from "./environment.ts"
import type { Host, SpawnRequest } from "./Host.ts"
import { markerName } from "./runMarker.ts"

/** The host as commands see it that inherit the variables which pass. The marker of an outer run always does. */
export const inheriting = (host: Host, passes: (name: string) => boolean): Host => {
  const isPassed = (name: string): boolean => name === markerName || passes(name)
  const environment = (): Readonly<Record<string, string>> | undefined => {
    const all = host.environment()
    return all === undefined ? undefined : Object.fromEntries(Object.entries(all).filter(([name]) => isPassed(name)))
  }
  // What may not be read cannot be chosen from: then nothing is inherited.
  const platform = host.os === "windows" ? "windows" : "posix"
  const whole = ({ env }: SpawnRequest): SpawnRequest["env"] =>
    env?.clear === true ? env : {
      clear: true,
      set: materialise(platform, { clear: false, remove: [], set: env?.set ?? {} }, environment() ?? {}),
    }
  return {
    ...host,
    environment,
    variable: (name) => isPassed(name) ? host.variable(name) : undefined,
    spawn: (request) => host.spawn({ ...request, env: whole(request) }),
  }
}
