/** Parses references to parameters, variables and array elements, and reads their values. */
import type { ArithmeticText, Subscript, Word, WordPart } from "../../../shell-language/SyntaxTree.ts"
import type { Later } from "../../System.ts"
import { optionString } from "../shellOptions.ts"
import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { elementOf } from "../Variables.ts"
import type { WordBuilder } from "./WordBuilder.ts"

/** Expands the words within `${…}`, which may hold parameters again. */
export interface Expander {
  readonly parts: (parts: ReadonlyArray<WordPart>, quoted: boolean, builder: WordBuilder, split: boolean) => Later<void>
  readonly text: (word: Word) => Later<string>
  readonly pattern: (word: Word) => Later<string>
  readonly replacement: (word: Word) => Later<string>
  readonly arithmetic: (text: ArithmeticText) => Later<bigint>
}

export interface ParameterReference {
  readonly name: string
  /** The key of an element, all elements, or `undefined` for the parameter itself. */
  readonly key: string | { readonly mark: "@" | "*" } | undefined
}

/** Whether a name is that of a special or positional parameter: `$1`, `$?`. */
export const isSpecial = (name: string): boolean => !/^[A-Za-z_]/.test(name)

const specialParameters: Readonly<Record<string, (shell: Shell) => string | undefined>> = {
  "?": (shell) => String(shell.status),
  $: (shell) => String(shell.mainPid),
  "#": (shell) => String(shell.positional.count),
  "!": (shell) => shell.lastBackground?.toString(),
  "-": (shell) => optionString(shell.options),
  0: (shell) => shell.name,
}

export const specialParameter = (shell: Shell, name: string): string | undefined => {
  const special = specialParameters[name]
  return special === undefined ? shell.positional.get(Number(name)) : special(shell)
}

/** Evaluates a subscript: a number, unless the array is associative. */
export const keyOf = (
  shell: Shell,
  name: string,
  subscript: Subscript,
  expander: Pick<Expander, "text" | "arithmetic">,
): Later<string | { readonly mark: "@" | "*" }> => {
  if (subscript._tag === "AllElements") return { mark: subscript.mark }
  if (shell.variables.find(name)?.table !== undefined) return expander.text(subscript.word)
  const index = expander.arithmetic(subscript.text)
  return typeof index === "bigint" ? String(index) : index.then(String)
}

export const scalarOf = (shell: Shell, { key, name }: ParameterReference): string | undefined => {
  if (isSpecial(name)) return specialParameter(shell, name)
  if (key === undefined) return shell.variables.get(name)
  const variable = shell.variables.find(name)
  return variable === undefined || typeof key === "object" ? undefined : elementOf(variable, key)
}

export const markOf = ({ key, name }: ParameterReference): "@" | "*" | undefined =>
  name === "@" || name === "*" ? name : typeof key === "object" ? key.mark : undefined

export const listOf = (shell: Shell, { name }: ParameterReference): ReadonlyArray<string> =>
  name === "@" || name === "*" ? shell.positional.words : shell.variables.find(name)?.values ?? []

export const countOf = (shell: Shell, { name }: ParameterReference): number =>
  name === "@" || name === "*" ? shell.positional.count : shell.variables.find(name)?.count ?? 0

/** Parses the text of a reference: `${!name}` and `declare -n`. */
export const parseReference = (shell: Shell, text: string): ParameterReference => {
  const found = /^([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(?:\[(.*)\])?$/s.exec(text)
  if (found?.[1] === undefined) throw new ShellError(`${text}: invalid variable name`, "line")
  const [, name, inner] = found
  if (inner === undefined) return { name, key: undefined }
  if (inner === "@" || inner === "*") return { name, key: { mark: inner } }
  const table = shell.variables.find(name)?.table !== undefined
  return { name, key: table ? inner : String(shell.interpreter.arithmetic(shell, inner)) }
}

export const describeReference = ({ key, name }: ParameterReference): string =>
  key === undefined ? name : `${name}[${typeof key === "object" ? key.mark : key}]`
