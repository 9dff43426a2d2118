/** Makes paths of POSIX absolute by their text alone. */

/** The absolute path of a path, without `.`, `..` and repeated slashes; links are the file system's. */
export const absolutePath = (path: string, cwd: string): string => {
  const names: Array<string> = []
  for (const name of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return `/${names.join("/")}`
}
