/** Matches names against patterns with `*`, and recognizes absolute paths. */

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

export const isAbsolutePath = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path)

export const joined = (directory: string, path: string): string => isAbsolutePath(path) ? path : `${directory}/${path}`

/** The path below an absolute directory by its text alone: `..` and `.` are resolved, links are not followed. */
export const below = (directory: string, path: string): string => {
  const isWindows = directory.includes("\\")
  const slash = isWindows ? "\\" : "/"
  const [, root = "", start = ""] = /^([A-Za-z]:\\|\\\\|\/)?(.*)$/s.exec(directory) ?? []
  const names = start.split(slash).filter((name) => name !== "")
  for (const name of path.split(isWindows ? /[/\\]/ : slash)) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return root + names.join(slash)
}
