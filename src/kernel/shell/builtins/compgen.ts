/**
 * Implements `compgen`, which prints the names of variables, functions, files and more that begin with a word.
 * Source: bash(1) "Programmable Completion".
 */
import { runCoroutine } from "../../Coroutine.ts"
import type { Later } from "../../System.ts"
import { isDirectory } from "../expand/expandPathname.ts"
import { expandGlob } from "../expand/expandWords.ts"
import { compilePattern } from "../expand/ShellPattern.ts"
import { optionNames, shoptNames } from "../shellOptions.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { listSignals } from "../traps.ts"
import { completionOptions } from "./complete.ts"
import { withOptions } from "./parseBuiltinOptions.ts"
import { reservedWords } from "./type.ts"
import { expandWordList } from "./wordList.ts"

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
  disabled: () => [],
  enabled: (shell) => sorted(shell.interpreter.builtins.keys()),
  directory: (shell, word) => files(shell, word, true),
  export: (shell) => shell.variables.names.filter((name) => shell.variables.find(name)?.exported === true),
  file: (shell, word) => files(shell, word, false),
  function: (shell) => sorted(shell.functions.keys()),
  helptopic: async () => sorted((await import("./help.ts")).helpTopics),
  keyword: () => [...reservedWords],
  setopt: () => optionNames,
  shopt: () => shoptNames,
  signal: () => (listSignals([]) ?? "").match(/SIG[A-Z0-9+-]+/g) ?? [],
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

/** The patterns of `-X` remove what they match, with `!` all others; `&` is the word. */
const filterNames = async (
  shell: Shell,
  names: ReadonlyArray<string>,
  pattern: string,
  word: string,
): Promise<Array<string>> => {
  const negated = pattern.startsWith("!")
  const text = (negated ? pattern.slice(1) : pattern).replace(/\\&|&/g, (found) => found === "&" ? word : "&")
  const compiled = compilePattern(text)
  const kept: Array<string> = []
  for (const name of names) if (await runCoroutine(shell.system, compiled.matches(name)) === negated) kept.push(name)
  return kept
}

/** Runs the function of `-F`, as bash does outside of a completion. */
const callFunction = async (shell: Shell, name: string, word: string): Promise<ReadonlyArray<string>> => {
  await shell.reportError("compgen: warning: -F option may not work as you expect")
  if (!shell.functions.has(name)) {
    await shell.reportError(`compgen: function \`${name}' not found`)
    return []
  }
  shell.variables.unset("COMPREPLY")
  await shell.interpreter.invoke(shell, [name, "compgen", word, ""], {
    builtins: false,
    functions: true,
    programs: false,
  })
  const reply = shell.variables.find("COMPREPLY")
  const values = reply?.array === undefined ? reply?.value === undefined ? [] : [reply.value] : [...reply.array.values]
  shell.variables.unset("COMPREPLY")
  return values
}

const compgen = withOptions("abcdefkvA:G:W:P:S:X:F:o:", async (shell, { allValues, letters, rest, values }) => {
  const [word = ""] = rest
  const actions = allValues.filter(([letter]) => letter === "A").map(([, value]) => value)
  const options = allValues.filter(([letter]) => letter === "o").map(([, value]) => value)
  const wrong = actions.find((action) => kinds[action] === undefined)
  if (wrong !== undefined) return await shell.reportError(`compgen: ${wrong}: invalid action name`, 2)
  const unknown = options.find((option) => !completionOptions.includes(option))
  if (unknown !== undefined) return await shell.reportError(`compgen: ${unknown}: invalid option name`, 2)
  const names = [...letters].flatMap((letter) => letterKinds[letter] ?? [])
  const found: Array<string> = []
  for (const kind of [...names, ...actions]) {
    for (const name of await kinds[kind]?.(shell, word) ?? []) found.push(name)
  }
  for (const item of await expandWordList(shell, values.get("W") ?? "")) found.push(item)
  const pattern = values.get("G")
  let shown = found.filter((name) => name.startsWith(word))
  if (pattern !== undefined) { for (const path of await expandPattern(shell, pattern)) shown.push(path) }
  const called = values.get("F")
  if (called !== undefined) { for (const name of await callFunction(shell, called, word)) shown.push(name) }
  const filter = values.get("X")
  if (filter !== undefined) shown = await filterNames(shell, shown, filter, word)
  shown = shown.map((name) => `${values.get("P") ?? ""}${name}${values.get("S") ?? ""}`)
  // The options of -o that add names; the others concern the input line of a terminal.
  const isEmpty = shown.length === 0
  if (isEmpty && (options.includes("default") || options.includes("bashdefault"))) {
    shown.push(...await files(shell, word, false))
  }
  if ((isEmpty && options.includes("dirnames")) || options.includes("plusdirs")) {
    shown.push(...await files(shell, word, true))
  }
  if (shown.length === 0) return 1
  return await shell.writeOutput(shown.map((name) => `${name}\n`).join(""))
})

export const compgenBuiltins: ReadonlyArray<readonly [string, Builtin]> = [["compgen", compgen]]
