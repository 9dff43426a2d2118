/** Combines globs of ignored paths, and the names of temporary files, into one predicate. */
import { pathMatcher } from "../base/pathMatcher.ts"
import { isTemporaryName } from "./temporaryName.ts"

/**
 * Makes a predicate that matches temporary files, and paths that a glob matches, directly or through a folder above
 * them.
 */
export const pathFilter = (globs: ReadonlyArray<string>): (path: string) => boolean => {
  const matchers = globs.map(pathMatcher)
  return (path) => {
    if (isTemporaryName(path.slice(path.lastIndexOf("/") + 1))) return true
    if (matchers.length === 0) return false
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end)
      if (matchers.some((matches) => matches(folder))) return true
    }
    return matchers.some((matches) => matches(path))
  }
}
