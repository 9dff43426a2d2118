/**
 * Implements `compgen`, which prints the names of variables, functions, files and more that begin with a word.
 * Source: bash(1) "Programmable Completion".
 */
import { runCoroutine } from "../../Coroutine.ts"
import type { Later } from "../../System.ts"
import { isDirectory } from "../expand/expandPathname.ts"
import { expandGlob } from "../expand/expandWords.ts"
import { shoptNames } from "../shellOptions.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { reservedWords } from "./type.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

const expandPattern = (shell: Shell, pattern: string): Later<ReadonlyArray<string>> =>
  runCoroutine(shell.system, expandGlob(shell, pattern))

const files = async (shell: Shell, word: string, directoriesOnly: boolean): Promise<ReadonlyArray<string>> => {
  const paths = await expandPattern(shell, `${word.replace(/[\\*?[]/g, "\\$&")}*`)
  return directoriesOnly ? paths.filter((path) => isDirectory(shell.system, path)) : paths
}

const programs = (shell: Shell): ReadonlyArray<string> =>
  (shell.variables.get("PATH") ?? "").split(":").flatMap((directory) => {
    const found = shell.system.list(directory === "" ? "." : directory)
    return typeof found === "number" ? [] : found.map(({ name }) => name)
  })

const sorted = (names: Iterable<string>): ReadonlyArray<string> => [...names].sort()

const kinds: Readonly<Record<string, (shell: Shell, word: string) => Later<ReadonlyArray<string>>>> = {
  alias: (shell) => sorted(shell.aliases.keys()),
  arrayvar: (shell) => shell.variables.names.filter((name) => shell.variables.find(name)?.array !== undefined),
  builtin: (shell) => sorted(shell.interpreter.builtins.keys()),
  command: (shell) => [
    ...shell.aliases.keys(),
    ...reservedWords,
    ...shell.functions.keys(),
    ...shell.interpreter.builtins.keys(),
    ...programs(shell),
  ],
  directory: (shell, word) => files(shell, word, true),
  export: (shell) => shell.variables.names.filter((name) => shell.variables.find(name)?.exported === true),
  file: (shell, word) => files(shell, word, false),
  function: (shell) => sorted(shell.functions.keys()),
  keyword: () => [...reservedWords],
  shopt: () => shoptNames,
  variable: (shell) => sorted([...shell.variables.names, ...shell.variables.dynamic.keys()]),
}

const letterKinds: Readonly<Record<string, string>> = {
  a: "alias",
  b: "builtin",
  c: "command",
  d: "directory",
  e: "export",
  f: "file",
  k: "keyword",
  v: "variable",
}

const compgen = withOptions("abcdefkvA:G:W:P:S:", async (shell, { letters, rest, values }) => {
  const [word = ""] = rest
  const action = values.get("A")
  if (action !== undefined && kinds[action] === undefined) {
    return shell.reportError(`compgen: ${action}: invalid action name`, 2)
  }
  const names = [...letters].flatMap((letter) => letterKinds[letter] ?? [])
  const found: Array<string> = []
  for (const kind of action === undefined ? names : [...names, action]) {
    for (const name of await kinds[kind]?.(shell, word) ?? []) found.push(name)
  }
  for (const item of (values.get("W") ?? "").split(/[ \t\n]+/)) if (item !== "") found.push(item)
  const pattern = values.get("G")
  const shown = found.filter((name) => name.startsWith(word))
  if (pattern !== undefined) { for (const path of await expandPattern(shell, pattern)) shown.push(path) }
  if (shown.length === 0) return 1
  return shell.writeOutput(shown.map((name) => `${values.get("P") ?? ""}${name}${values.get("S") ?? ""}\n`).join(""))
})

export const compgenBuiltins: ReadonlyArray<readonly [string, Builtin]> = [["compgen", compgen]]
