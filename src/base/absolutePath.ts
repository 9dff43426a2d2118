/** Makes paths absolute by their text alone, without resolving links. */

/** Resolves `.` and `..` among the names of a path, and drops empty names. `start` are the names that the path begins at. */
export const resolveDots = (names: ReadonlyArray<string>, start: ReadonlyArray<string> = []): Array<string> => {
  const resolved = [...start]
  for (const name of names) {
    if (name === "..") resolved.pop()
    else if (name !== "" && name !== ".") resolved.push(name)
  }
  return resolved
}

/** The absolute POSIX path of a path, without `.`, `..` and repeated slashes. */
export const absolutePath = (path: string, cwd: string): string =>
  `/${resolveDots((path.startsWith("/") ? path : `${cwd}/${path}`).split("/")).join("/")}`
