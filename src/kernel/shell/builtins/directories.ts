/**
 * Implements the builtins of the working directory: `cd`, `pwd`, `pushd`, `popd` and `dirs`.
 *
 * @module
 */
import { errnoText } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

const present = (shell: Shell): string => shell.variables.get("PWD") ?? shell.system.cwd

/** Makes a path absolute and removes `.` and `..` without following links, as `cd -L` does. */
const logical = (base: string, path: string): string => {
  const parts: Array<string> = []
  for (const part of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return `/${parts.join("/")}`
}

/** Changes the working directory; returns 0 or a negated errno. */
const go = (shell: Shell, path: string, physical: boolean): number => {
  const before = present(shell)
  const target = physical ? path : logical(before, path)
  const gone = shell.system.changeDirectory(target)
  if (gone < 0) return gone
  shell.variables.set("OLDPWD", before)
  shell.variables.set("PWD", physical ? shell.system.cwd : target)
  return 0
}

const isFolder = (shell: Shell, path: string): boolean => {
  const found = shell.system.stat(path)
  return typeof found === "object" && found.type === FileType.directory
}

const changeDirectory = withOptions("LPe@", (shell, { letters, rest }) => {
  if (rest.length > 1) return shell.reportError("cd: too many arguments")
  const [given] = rest
  const target = given === undefined
    ? shell.variables.get("HOME")
    : given === "-"
    ? shell.variables.get("OLDPWD")
    : given
  if (target === undefined) return shell.reportError(`cd: ${given === "-" ? "OLDPWD" : "HOME"} not set`)
  let path = target
  let shown = given === "-"
  if (!/^(?:\/|\.\.?(?:\/|$))/.test(target) && given !== undefined) {
    for (const folder of (shell.variables.get("CDPATH") ?? "").split(":")) {
      const candidate = folder === "" ? target : `${folder}/${target}`
      if (folder === "" || !isFolder(shell, candidate)) continue
      path = candidate
      shown = true
      break
    }
  }
  if (path === "") return 0
  const gone = go(shell, path, letters.has("P"))
  if (gone < 0) return shell.reportError(`cd: ${target}: ${errnoText(gone)}`)
  return shown ? shell.writeOutput(`${present(shell)}\n`) : 0
})

const printDirectory = withOptions("LP", (shell, { letters }) => {
  return shell.writeOutput(`${letters.has("P") ? shell.system.cwd : present(shell)}\n`)
})

const home = (shell: Shell, path: string): string => {
  const own = shell.variables.get("HOME")
  return own !== undefined && own !== "/" && (path === own || path.startsWith(`${own}/`))
    ? `~${path.slice(own.length)}`
    : path
}

const stack = (shell: Shell): string =>
  [present(shell), ...shell.directoryStack].map((path) => home(shell, path)).join(" ")

const pushDirectory: Builtin = (shell, args) => {
  const [given] = args.slice(1)
  const all = [present(shell), ...shell.directoryStack]
  if (given === undefined && all.length < 2) return shell.reportError("pushd: no other directory")
  const turn = given === undefined ? undefined : /^([-+])(\d+)$/.exec(given)
  const count = Number(turn?.[2])
  const index = turn === undefined ? 1 : turn === null ? -1 : turn[1] === "+" ? count : all.length - 1 - count
  const next = given === undefined
    ? [all[1] ?? "", all[0] ?? "", ...all.slice(2)]
    : turn === null
    ? [given, ...all]
    : [...all.slice(index), ...all.slice(0, index)]
  if (turn !== null && (index < 0 || index >= all.length)) {
    return shell.reportError(`pushd: ${given}: directory stack index out of range`)
  }
  const gone = go(shell, next[0] ?? "", false)
  if (gone < 0) return shell.reportError(`pushd: ${given ?? next[0]}: ${errnoText(gone)}`)
  shell.directoryStack = next.slice(1)
  return shell.writeOutput(`${stack(shell)}\n`)
}

const popDirectory: Builtin = (shell, args) => {
  const [given] = args.slice(1)
  const all = [present(shell), ...shell.directoryStack]
  if (all.length < 2) return shell.reportError("popd: directory stack empty")
  const turn = /^([-+])(\d+)$/.exec(given ?? "+0")
  const index = turn === null ? -1 : turn[1] === "+" ? Number(turn[2]) : all.length - 1 - Number(turn[2])
  if (index < 0 || index >= all.length) return shell.reportError(`popd: ${given}: directory stack index out of range`)
  if (index === 0) {
    const gone = go(shell, all[1] ?? "", false)
    if (gone < 0) return shell.reportError(`popd: ${all[1]}: ${errnoText(gone)}`)
  }
  shell.directoryStack = index === 0 ? all.slice(2) : all.filter((_, at) => at !== index).slice(1)
  return shell.writeOutput(`${stack(shell)}\n`)
}

const listDirectories = withOptions("clpv", (shell, { letters }) => {
  if (letters.has("c")) {
    shell.directoryStack = []
    return 0
  }
  const all = [present(shell), ...shell.directoryStack].map((path) => letters.has("l") ? path : home(shell, path))
  if (letters.has("v")) {
    return shell.writeOutput(all.map((path, index) => `${String(index).padStart(2)}  ${path}\n`).join(""))
  }
  return shell.writeOutput(`${all.join(letters.has("p") ? "\n" : " ")}\n`)
})

/** The builtins of this file by name. */
export const directoryBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["cd", changeDirectory],
  ["pwd", printDirectory],
  ["pushd", pushDirectory],
  ["popd", popDirectory],
  ["dirs", listDirectories],
]
