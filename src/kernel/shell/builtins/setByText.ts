/**
 * Variables whose names come as arguments: `read 'a[1]'`, `printf -v name`.
 *
 * @module
 */
import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"

/** A name and perhaps a subscript. */
export interface NamedPlace {
  readonly name: string
  readonly subscript: string | undefined
}

/** What a text names; `undefined` when it is no name. */
export const placeOf = (text: string): NamedPlace | undefined => {
  const found = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[(.+)\])?$/s.exec(text)
  return found?.[1] === undefined ? undefined : { name: found[1], subscript: found[2] }
}

/** The key that the text of a subscript means for a variable. */
export const keyOfText = (shell: Shell, { name, subscript }: NamedPlace): string | undefined => {
  if (subscript === undefined) return undefined
  if (shell.variables.find(name)?.table !== undefined) return subscript.replace(/^(["'])(.*)\1$/s, "$2")
  return String(shell.machine.arithmetic(shell, subscript))
}

/** Gives a value to what a text names. Throws `ShellError`. */
export const setByText = (shell: Shell, text: string, value: string, append = false): void => {
  const place = placeOf(text)
  if (place === undefined) throw new ShellError(`\`${text}': not a valid identifier`)
  shell.variables.set(place.name, value, keyOfText(shell, place), append)
}
