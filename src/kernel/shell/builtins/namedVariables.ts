/** Accesses variables and elements by the text of their names: `read 'a[1]'`, `test -v name`, `{a[1]}>file`. */
import { parse, type Subscript } from "../../../shell-language/ShellLanguage.ts"
import { expanderOf } from "../expand/expandWords.ts"
import { keyOf } from "../expand/ParameterReference.ts"
import type { Later } from "../../System.ts"

import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { elementOf, type SubscriptedName } from "../Variables.ts"

/** Parses a name with an optional subscript; `undefined` if the text is not one. */
export const parseVariableName = (text: string): SubscriptedName | undefined => {
  const found = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[(.+)\])?$/s.exec(text)
  return found?.[1] === undefined ? undefined : { name: found[1], subscript: found[2] }
}

/** Parses a subscript; `undefined` if the text closes it early or is not a word. */
const parseSubscript = (text: string): Subscript | undefined => {
  const parsed = parse(`x[${text}]=`)
  const [command] = parsed._tag === "Success" ? parsed.success.statements[0]?.pipelines[0]?.commands ?? [] : []
  const [assignment] = command?._tag === "SimpleCommand" ? command.assignments : []
  return assignment?.subscript?.span.end === text.length + 3 ? assignment.subscript : undefined
}

/** Returns the key for the text of a subscript, which is expanded, as in bash. */
export const subscriptKey = (shell: Shell, { name, subscript }: SubscriptedName): Later<string | undefined> => {
  if (subscript === undefined) return undefined
  const table = shell.variables.find(name)?.table !== undefined
  if (table ? /^[\w.-]+$/.test(subscript) : /^\d+$/.test(subscript)) return subscript
  const parsed = parseSubscript(subscript)
  if (parsed?._tag === "Index") {
    const key = keyOf(shell, name, parsed, expanderOf(shell))
    return key instanceof Promise ? key.then(textOf) : textOf(key)
  }
  return table ? subscript : String(shell.interpreter.arithmetic(shell, subscript))
}

const textOf = (key: string | { readonly mark: string }): string => typeof key === "string" ? key : key.mark

/** Assigns to the variable or element that a text names. Throws `ShellError`. */
export const setNamedVariable = async (shell: Shell, text: string, value: string): Promise<void> => {
  const place = parseVariableName(text)
  if (place === undefined) throw new ShellError(`\`${text}': not a valid identifier`)
  shell.variables.set(place.name, value, await subscriptKey(shell, place))
}

/** Returns the value of the variable or element that a text names. */
export const namedVariable = async (shell: Shell, text: string): Promise<string | undefined> => {
  const place = parseVariableName(text)
  if (place?.subscript === undefined) return shell.variables.get(text)
  const variable = shell.variables.find(place.name)
  return variable === undefined ? undefined : elementOf(variable, await subscriptKey(shell, place))
}

/** Whether the variable or element that a text names is set: `test -v`. */
export const isNamedVariableSet = async (shell: Shell, text: string): Promise<boolean> => {
  if (/^\d+$/.test(text)) return Number(text) <= shell.positional.count
  const place = parseVariableName(text)
  const variable = place === undefined ? undefined : shell.variables.find(place.name)
  if (place === undefined || variable === undefined) return false
  if (place.subscript === undefined) return variable.scalar !== undefined
  if (place.subscript === "@" || place.subscript === "*") return variable.isSet
  return elementOf(variable, await subscriptKey(shell, place)) !== undefined
}
