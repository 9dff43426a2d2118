/** Implements the builtins `unset`, which removes variables and functions, and `let`, which evaluates arithmetic. */
import type { Builtin, Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { IndexedArray } from "../IndexedArray.ts"
import { withOptions } from "./parseBuiltinOptions.ts"
import { parseVariableName, subscriptKey } from "./namedVariables.ts"

const unsetBuiltin = withOptions("fvn", async (shell, { letters, rest }) => {
  let status = 0
  for (const word of rest) {
    try {
      await unsetOne(shell, word, letters)
    } catch (error) {
      if (!(error instanceof ShellError)) throw error
      status = await shell.reportError(`unset: ${error.message}`)
    }
  }
  return status
})

const unsetOne = async (shell: Shell, word: string, letters: ReadonlySet<string>): Promise<void> => {
  if (letters.has("f")) return void shell.functions.delete(word)
  const given = parseVariableName(word)
  if (given === undefined) {
    if (letters.has("v")) throw new ShellError(`\`${word}': not a valid identifier`)
    return void shell.functions.delete(word)
  }
  // A name reference may refer to an element.
  const target = letters.has("n") ? given : parseVariableName(shell.variables.resolve(given.name)) ?? given
  const place = { name: target.name, subscript: given.subscript ?? target.subscript }
  const { name } = place
  const variable = shell.variables.find(name, false)
  if (place.subscript === undefined) {
    if (variable === undefined && !letters.has("v")) shell.functions.delete(word)
    return shell.variables.unset(name)
  }
  if (variable === undefined) return
  if (variable.readonly) throw new ShellError(`${name}: cannot unset: readonly variable`)
  if (place.subscript === "@" || place.subscript === "*") {
    if (variable.array !== undefined) variable.array = new IndexedArray()
    if (variable.table !== undefined) variable.table = new Map()
    return
  }
  const key = await subscriptKey(shell, place) ?? "0"
  if (variable.table !== undefined) variable.toTable().delete(key)
  else if (variable.array !== undefined) variable.toArray().delete(Number(key))
  else if (Number(key) === 0) shell.variables.unset(name)
}

const letBuiltin: Builtin = (shell, args) => {
  if (args.length < 2) return shell.reportError("let: expression expected")
  let value = 0n
  for (const text of args.slice(args[1] === "--" ? 2 : 1)) {
    try {
      value = shell.interpreter.arithmetic(shell, text)
    } catch (error) {
      if (!(error instanceof ShellError) || error.unwinds === "shell") throw error
      return shell.reportError(`let: ${error.message}`)
    }
  }
  return value === 0n ? 1 : 0
}

export const unsetBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["unset", unsetBuiltin],
  ["let", letBuiltin],
]
