/** Caches the paths of resolved programs, so that each spawn does not search PATH. */
import { type Lookup, type Resolution, resolveExecutable } from "../../../host/resolveExecutable.ts"
import { isPath } from "../../../host/paths.ts"

export interface ResolverOptions {
  /** Milliseconds for which a path is cached. Default: 1,000. */
  readonly rememberMillis?: number
  /** Maximum number of cached paths. Default: 256. */
  readonly capacity?: number
}

/** {@link resolveExecutable} with a cache. `now`: milliseconds of a monotonic clock. */
export type Resolver = (lookup: Lookup, now: number) => Resolution

interface CachedPath {
  readonly resolution: Extract<Resolution, { readonly _tag: "Found" }>
  readonly until: number
}

/**
 * Makes a {@link Resolver}. Searching twelve directories of PATH takes 0.02 ms on Bun and 0.5 ms on Deno, as long as a whole
 * spawn; checking one file takes next to nothing.
 *
 * A cached path is checked each time, so a program that was removed, or is no longer executable, is searched again. The cache
 * can miss a program that appears in an *earlier* directory of PATH, for a second. (The shells' cache misses it for ever:
 * POSIX, `hash`.) Failures are never cached.
 */
export const makeResolver = ({ capacity = 256, rememberMillis = 1_000 }: ResolverOptions = {}): Resolver => {
  const paths = new Map<string, CachedPath>()
  return (lookup, now) => {
    const { environment, name, platform, probe } = lookup
    if (isPath(platform, name)) return resolveExecutable(lookup)
    const extensions = platform === "windows" ? environment("PATHEXT") ?? "" : ""
    const key = [name, environment("PATH") ?? "\0", lookup.directory, extensions].join("\0")
    const known = paths.get(key)
    if (known !== undefined && now < known.until && probe.fileKind(known.resolution.path) === "executable") {
      return known.resolution
    }
    const resolution = resolveExecutable(lookup)
    paths.delete(key)
    if (resolution._tag !== "Found") return resolution
    // First in, first out: a path in frequent use is soon cached again.
    const [oldest] = paths.keys()
    if (oldest !== undefined && paths.size >= capacity) paths.delete(oldest)
    paths.set(key, { resolution, until: now + rememberMillis })
    return resolution
  }
}
