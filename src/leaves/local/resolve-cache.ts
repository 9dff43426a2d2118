/**
 * A memory for where programs were found, so that many spawns do not walk through PATH as many times.
 *
 * @module
 */
import { type Lookup, type Resolution, resolveExecutable } from "./resolve.ts"
import { isPath } from "./resolve-paths.ts"

/** Settings of a {@link Resolver}. */
export interface ResolverOptions {
  /** Milliseconds for which a place is remembered. Default: 1,000. */
  readonly rememberMillis?: number
  /** Places that are remembered at most. Default: 256. */
  readonly capacity?: number
}

/** {@link resolveExecutable} with a memory. `now` is in milliseconds, of any clock that does not go backwards. */
export type Resolver = (lookup: Lookup, now: number) => Resolution

interface Remembered {
  readonly resolution: Extract<Resolution, { readonly _tag: "Found" }>
  readonly until: number
}

/**
 * Makes a {@link Resolver}. A walk through twelve directories of PATH costs 0.02 ms on Bun and 0.5 ms on Deno, where
 * a whole spawn costs as much; a look at one file next to nothing.
 *
 * What was found is looked at again each time, so a program that is gone, or may no longer be executed, is searched
 * for anew. What a memory can miss is a program that appears in an *earlier* directory of PATH: for a second. (The
 * shells' own memory misses it for ever: POSIX, `hash`.) What was not found is never remembered.
 */
export const makeResolver = ({ capacity = 256, rememberMillis = 1_000 }: ResolverOptions = {}): Resolver => {
  const places = new Map<string, Remembered>()
  return (lookup, now) => {
    const { environment, name, platform, probe } = lookup
    if (isPath(platform, name)) return resolveExecutable(lookup)
    const extensions = platform === "windows" ? environment("PATHEXT") ?? "" : ""
    const key = [name, environment("PATH") ?? "\0", lookup.directory, extensions].join("\0")
    const known = places.get(key)
    if (known !== undefined && now < known.until && probe.fileKind(known.resolution.path) === "executable") {
      return known.resolution
    }
    const resolution = resolveExecutable(lookup)
    places.delete(key)
    if (resolution._tag !== "Found") return resolution
    // The first in is the first out: whoever is used a lot is back in a moment.
    const [oldest] = places.keys()
    if (oldest !== undefined && places.size >= capacity) places.delete(oldest)
    places.set(key, { resolution, until: now + rememberMillis })
    return resolution
  }
}
