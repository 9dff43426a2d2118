/** Implements `type`, `alias`, `unalias` and `hash`, and finds the meanings of a command name. */
import { printFunction } from "../printFunction.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { singleQuote } from "./escapes.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

export const reservedWords: ReadonlySet<string> = new Set(
  "if then else elif fi case esac for select while until do done in function time { } ! [[ ]]".split(" "),
)

export interface CommandMeaning {
  readonly kind: "alias" | "keyword" | "function" | "builtin" | "file"
  /** The output of `command -v`. */
  readonly word: string
  /** The output of `type`. */
  readonly sentence: string
}

/** The definition of a function, with the source text of its body. */
export const functionText = (shell: Shell, name: string): string => {
  const found = shell.functions.get(name)
  return found === undefined ? "" : printFunction(found, name)
}

const aliasText = (name: string, value: string): string => `alias ${name}=${singleQuote(value)}`

/** All meanings of a name, in the order of precedence. */
export const meaningsOf = (shell: Shell, name: string): ReadonlyArray<CommandMeaning> => {
  const found: Array<CommandMeaning> = []
  const alias = shell.hasOption("expand_aliases") ? shell.aliases.get(name) : undefined
  if (alias !== undefined) {
    found.push({ kind: "alias", word: aliasText(name, alias), sentence: `${name} is aliased to \`${alias}'` })
  }
  if (reservedWords.has(name)) found.push({ kind: "keyword", word: name, sentence: `${name} is a shell keyword` })
  if (shell.functions.has(name)) {
    found.push({ kind: "function", word: name, sentence: `${name} is a function\n${functionText(shell, name)}` })
  }
  if (shell.interpreter.builtins.has(name)) {
    found.push({ kind: "builtin", word: name, sentence: `${name} is a shell builtin` })
  }
  shell.syncPath()
  const path = name === "" ? -1 : shell.system.which(name)
  if (typeof path === "string") found.push(fileMeaning(name, path))
  return found
}

const fileMeaning = (name: string, path: string): CommandMeaning => ({
  kind: "file",
  word: path,
  sentence: `${name} is ${path}`,
})

/** The further files of a name in the search path, for `type -a`. */
const otherFiles = (shell: Shell, name: string, first: string | undefined): ReadonlyArray<CommandMeaning> =>
  name.includes("/") ? [] : (shell.variables.get("PATH") ?? "").split(":")
    .filter((place) => place.startsWith("/"))
    .map((place) => `${place}/${name}`)
    .filter((path) => path !== first && typeof shell.system.which(path) === "string")
    .map((path) => fileMeaning(name, path))

const typeBuiltin = withOptions("afptP", async (shell, { letters, rest }) => {
  let status = 0
  for (const name of rest) {
    const all = meaningsOf(shell, name).filter(({ kind }) => kind !== "function" || !letters.has("f"))
    const files = letters.has("P") ? all.filter(({ kind }) => kind === "file") : all
    const first = files.findLast(({ kind }) => kind === "file")?.word
    const shown = letters.has("a") ? [...files, ...otherFiles(shell, name, first)] : files.slice(0, 1)
    if (shown.length === 0) {
      status = 1
      if (!letters.has("t") && !letters.has("p") && !letters.has("P")) {
        await shell.reportError(`type: ${name}: not found`)
      }
    }
    for (const { kind, sentence, word } of shown) {
      if (letters.has("t")) await shell.print(`${kind}\n`)
      else if (letters.has("p") || letters.has("P")) await shell.print(kind === "file" ? `${word}\n` : "")
      else await shell.print(`${sentence}\n`)
    }
  }
  return status
})

/** Checks that programs exist. Their paths are not cached, since the kernel finds a program in one step. */
const hashBuiltin = withOptions("dlp:rt", async (shell, { rest }) => {
  let status = 0
  shell.syncPath()
  for (const name of rest) {
    if (typeof shell.system.which(name) === "number") status = await shell.reportError(`hash: ${name}: not found`)
  }
  return status
})

const aliasBuiltin: Builtin = async (shell, args) => {
  const rest = args.slice(args[1] === "-p" ? 2 : 1)
  const show = (name: string, value: string): string => `${aliasText(name, value)}\n`
  if (rest.length === 0) {
    return shell.writeOutput([...shell.aliases].sort().map(([name, value]) => show(name, value)).join(""))
  }
  let status = 0
  for (const word of rest) {
    const equals = word.indexOf("=", 1)
    const value = shell.aliases.get(word)
    if (equals > 0) shell.aliases.set(word.slice(0, equals), word.slice(equals + 1))
    else if (value !== undefined) await shell.print(show(word, value))
    else status = await shell.reportError(`alias: ${word}: not found`)
  }
  return status
}

const unaliasBuiltin: Builtin = async (shell, args) => {
  if (args[1] === "-a") {
    shell.aliases.clear()
    return 0
  }
  let status = 0
  for (const name of args.slice(1)) {
    if (!shell.aliases.delete(name)) status = await shell.reportError(`unalias: ${name}: not found`)
  }
  return status
}

export const typeBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["type", typeBuiltin],
  ["hash", hashBuiltin],
  ["alias", aliasBuiltin],
  ["unalias", unaliasBuiltin],
]
