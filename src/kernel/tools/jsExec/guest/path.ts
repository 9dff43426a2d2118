/** Implements `path` of Node, for POSIX. It runs in the engine, with the names of the files before it. */
export const pathSource: string = String.raw`
const normalizeNames = (path, isAbsolute) => {
  const names = []
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue
    if (name !== "..") names.push(name)
    else if (names.length > 0 && names.at(-1) !== "..") names.pop()
    else if (!isAbsolute) names.push("..")
  }
  return names.join("/")
}
const pathText = (path, name = "path") => {
  if (typeof path === "string") return path
  throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "' + name + '" argument must be of type string. Received ' + describeArgument(path))
}
const describeArgument = (value) => value === null || value === undefined ? String(value)
  : typeof value === "function" ? "function " + value.name
  : typeof value === "object" ? (value.constructor?.name ? "an instance of " + value.constructor.name : inspect(value, { depth: -1 }))
  : "type " + typeof value + " (" + inspect(value).slice(0, 28) + ")"
const path = {
  sep: "/",
  delimiter: ":",
  normalize(path) {
    if (pathText(path) === "") return "."
    const isAbsolute = path[0] === "/"
    let found = normalizeNames(path, isAbsolute)
    if (found === "" && !isAbsolute) found = "."
    if (found !== "" && path.endsWith("/")) found += "/"
    return isAbsolute ? "/" + found.replace(/^\/$/, "") : found
  },
  join: (...parts) => {
    const joined = parts.map((part) => pathText(part)).filter((part) => part !== "").join("/")
    return joined === "" ? "." : path.normalize(joined)
  },
  resolve: (...parts) => {
    let found = ""
    for (let at = parts.length - 1; at >= -1 && found[0] !== "/"; at--) {
      const part = at < 0 ? process.cwd() : pathText(parts[at], "paths[" + at + "]")
      if (part !== "") found = found === "" ? part : part + "/" + found
    }
    return "/" + normalizeNames(found, true)
  },
  isAbsolute: (path) => pathText(path)[0] === "/",
  dirname: (path) => {
    const bare = pathText(path).replace(/(?<=.)\/+$/, "")
    const slash = bare.lastIndexOf("/")
    return slash < 0 ? "." : slash === 0 ? "/" : bare.slice(0, slash).replace(/(?<=.)\/+$/, "")
  },
  basename: (path, suffix) => {
    const name = pathText(path).replace(/\/+$/, "").replace(/^.*\//s, "")
    return suffix !== undefined && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
  },
  extname: (value) => {
    const name = path.basename(value)
    const dot = name.lastIndexOf(".")
    return dot <= 0 || /^\.+$/.test(name) && name === ".." ? "" : name.slice(dot)
  },
  relative: (from, to) => {
    const [a, b] = [path.resolve(from), path.resolve(to)].map((value) => value.split("/").filter((name) => name !== ""))
    let same = 0
    while (same < a.length && same < b.length && a[same] === b[same]) same++
    return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/")
  },
  parse: (value) => {
    const root = pathText(value)[0] === "/" ? "/" : ""
    const base = path.basename(value)
    const ext = path.extname(value)
    const dir = value.replace(/\/+$/, "").includes("/") ? path.dirname(value) : root
    return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) }
  },
  format: ({ base, dir, ext = "", name = "", root = "" }) => {
    const file = base ?? name + (ext === "" || ext[0] === "." ? ext : "." + ext)
    return dir ? dir === root ? dir + file : dir + "/" + file : root + file
  },
  toNamespacedPath: (path) => path,
}
path.posix = path
`
