/**
 * `compgen`: names that begin with a word. Scripts ask with it for variables, functions and files.
 *
 * Source: bash(1) "Programmable Completion".
 *
 * @module
 */
import { FileType } from "../../Stat.ts"
import { glob } from "../expand/glob.ts"
import { patternOf } from "../expand/Pattern.ts"
import { shoptNames } from "../Options.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { keywords } from "./names.ts"
import { parseOptions } from "./parseOptions.ts"

const globbed = (shell: Shell, pattern: string): ReadonlyArray<string> =>
  glob(shell.system, pattern, {
    dots: shell.on("dotglob"),
    ignoreCase: shell.on("nocaseglob"),
    extended: shell.on("extglob"),
    globstar: shell.on("globstar"),
  })

const files = (shell: Shell, word: string, foldersOnly: boolean): ReadonlyArray<string> =>
  globbed(shell, `${word.replace(/[\\*?[]/g, "\\$&")}*`).filter((path) => {
    const found = foldersOnly ? shell.system.stat(path) : undefined
    return !foldersOnly || (typeof found === "object" && found.type === FileType.directory)
  })

const programs = (shell: Shell): ReadonlyArray<string> =>
  (shell.variables.get("PATH") ?? "").split(":").flatMap((folder) => {
    const found = shell.system.list(folder === "" ? "." : folder)
    return typeof found === "number" ? [] : found.map(({ name }) => name)
  })

const sorted = (names: Iterable<string>): ReadonlyArray<string> => [...names].sort()

/** Names by their kind, as `-A` calls it. */
const kinds: Readonly<Record<string, (shell: Shell, word: string) => ReadonlyArray<string>>> = {
  alias: (shell) => sorted(shell.aliases.keys()),
  arrayvar: (shell) => shell.variables.names.filter((name) => shell.variables.find(name)?.array !== undefined),
  builtin: (shell) => sorted(shell.machine.builtins.keys()),
  command: (shell) => [
    ...shell.aliases.keys(),
    ...keywords,
    ...shell.functions.keys(),
    ...shell.machine.builtins.keys(),
    ...programs(shell),
  ],
  directory: (shell, word) => files(shell, word, true),
  export: (shell) => shell.variables.names.filter((name) => shell.variables.find(name)?.exported === true),
  file: (shell, word) => files(shell, word, false),
  function: (shell) => sorted(shell.functions.keys()),
  keyword: () => [...keywords],
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

const completes: Builtin = (shell, args) => {
  const { letters, problem, rest, values } = parseOptions(args, "abcdefkvA:G:W:P:S:X:")
  if (problem !== undefined) return shell.complain(`compgen: ${problem}`, 2)
  const [word = ""] = rest
  const action = values.get("A")
  const names = [...letters].flatMap((letter) => letterKinds[letter] ?? [])
  if (action !== undefined && kinds[action] === undefined) {
    return shell.complain(`compgen: ${action}: invalid action name`, 2)
  }
  const found = (action === undefined ? names : [...names, action]).flatMap((kind) => kinds[kind]?.(shell, word) ?? [])
  const list = values.get("W")
  if (list !== undefined) { for (const item of list.split(/[ \t\n]+/)) if (item !== "") found.push(item) }
  const pattern = values.get("G")
  const without = values.get("X")
  const shown = [
    ...found.filter((name) => name.startsWith(word)),
    ...pattern === undefined ? [] : globbed(shell, pattern),
  ]
    .filter((name) => without === undefined || !patternOf(without).matches(name))
  if (shown.length === 0) return 1
  return shell.say(shown.map((name) => `${values.get("P") ?? ""}${name}${values.get("S") ?? ""}\n`).join(""))
}

/** By name. */
export const compgenBuiltins: ReadonlyArray<readonly [string, Builtin]> = [["compgen", completes]]
