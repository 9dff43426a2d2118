/** Matches names against patterns with `*`. */

/** Makes a test of names against patterns in which `*` matches any characters; `ignoreCase` as Windows compares. */
export const makeNameMatcher = (patterns: Iterable<string>, ignoreCase: boolean): (name: string) => boolean => {
  const folded = (text: string): string => ignoreCase ? text.toUpperCase() : text
  const exact = new Set<string>()
  const globs: Array<RegExp> = []
  for (const pattern of patterns) {
    if (!pattern.includes("*")) exact.add(folded(pattern))
    else {
      const parts = folded(pattern).split(/\*+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
      globs.push(new RegExp(`^${parts.join("[^]*")}$`))
    }
  }
  return (name) => exact.has(folded(name)) || globs.some((glob) => glob.test(folded(name)))
}
