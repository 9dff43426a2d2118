/** Implements the builtins of the working directory: `cd`, `pwd`, `pushd`, `popd` and `dirs`. */
import { absolutePath } from "../../../base/absolutePath.ts"
import { errnoText } from "../../Errno.ts"
import { isDirectory } from "../expand/expandPathname.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

const workingDirectory = (shell: Shell): string => shell.variables.get("PWD") ?? shell.system.cwd

/** Changes the working directory; returns 0 or a negated errno. */
const changeTo = (shell: Shell, path: string, physical: boolean): number => {
  const before = workingDirectory(shell)
  const target = physical ? path : absolutePath(path, before)
  const changed = shell.system.changeDirectory(target)
  if (changed < 0) return changed
  shell.variables.set("OLDPWD", before)
  shell.variables.set("PWD", physical ? shell.system.cwd : target)
  return 0
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
    for (const directory of (shell.variables.get("CDPATH") ?? "").split(":")) {
      const candidate = directory === "" ? target : `${directory}/${target}`
      if (directory === "" || !isDirectory(shell.system, candidate)) continue
      path = candidate
      shown = true
      break
    }
  }
  if (path === "") return 0
  const changed = changeTo(shell, path, letters.has("P"))
  if (changed < 0) return shell.reportError(`cd: ${target}: ${errnoText(changed)}`)
  return shown ? shell.writeOutput(`${workingDirectory(shell)}\n`) : 0
})

const printDirectory = withOptions(
  "LP",
  (shell, { letters }) => shell.writeOutput(`${letters.has("P") ? shell.system.cwd : workingDirectory(shell)}\n`),
)

const abbreviateHome = (shell: Shell, path: string): string => {
  const own = shell.variables.get("HOME")
  return own !== undefined && own !== "/" && (path === own || path.startsWith(`${own}/`))
    ? `~${path.slice(own.length)}`
    : path
}

const formatStack = (shell: Shell): string =>
  [workingDirectory(shell), ...shell.directoryStack].map((path) => abbreviateHome(shell, path)).join(" ")

/** The index that `+1` or `-1` gives in a directory stack; -1 if it is out of range, `undefined` for other arguments. */
const stackIndex = (text: string, length: number): number | undefined => {
  const found = /^([-+])(\d+)$/.exec(text)
  if (found === null) return undefined
  const index = found[1] === "+" ? Number(found[2]) : length - 1 - Number(found[2])
  return index < length ? Math.max(-1, index) : -1
}

const pushDirectory: Builtin = (shell, args) => {
  const [given] = args.slice(1)
  const all = [workingDirectory(shell), ...shell.directoryStack]
  if (given === undefined && all.length < 2) return shell.reportError("pushd: no other directory")
  const index = given === undefined ? undefined : stackIndex(given, all.length)
  if (index === -1) return shell.reportError(`pushd: ${given}: directory stack index out of range`)
  const next = given === undefined
    ? [all[1] ?? "", all[0] ?? "", ...all.slice(2)]
    : index === undefined
    ? [given, ...all]
    : [...all.slice(index), ...all.slice(0, index)]
  const changed = changeTo(shell, next[0] ?? "", false)
  if (changed < 0) return shell.reportError(`pushd: ${given ?? next[0]}: ${errnoText(changed)}`)
  shell.directoryStack = next.slice(1)
  return shell.writeOutput(`${formatStack(shell)}\n`)
}

const popDirectory: Builtin = (shell, args) => {
  const [given] = args.slice(1)
  const all = [workingDirectory(shell), ...shell.directoryStack]
  if (all.length < 2) return shell.reportError("popd: directory stack empty")
  const index = stackIndex(given ?? "+0", all.length) ?? -1
  if (index < 0) return shell.reportError(`popd: ${given}: directory stack index out of range`)
  if (index === 0) {
    const changed = changeTo(shell, all[1] ?? "", false)
    if (changed < 0) return shell.reportError(`popd: ${all[1]}: ${errnoText(changed)}`)
  }
  shell.directoryStack = index === 0 ? all.slice(2) : all.filter((_, at) => at !== index).slice(1)
  return shell.writeOutput(`${formatStack(shell)}\n`)
}

const listDirectories = withOptions("clpv", (shell, { letters }) => {
  if (letters.has("c")) {
    shell.directoryStack = []
    return 0
  }
  const all = [workingDirectory(shell), ...shell.directoryStack].map((path) =>
    letters.has("l") ? path : abbreviateHome(shell, path)
  )
  if (letters.has("v")) {
    return shell.writeOutput(all.map((path, index) => `${String(index).padStart(2)}  ${path}\n`).join(""))
  }
  return shell.writeOutput(`${all.join(letters.has("p") ? "\n" : " ")}\n`)
})

export const directoryBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["cd", changeDirectory],
  ["pwd", printDirectory],
  ["pushd", pushDirectory],
  ["popd", popDirectory],
  ["dirs", listDirectories],
]
