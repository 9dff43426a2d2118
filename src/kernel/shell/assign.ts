/** Executes an assignment of a script: `name=value`, `name[key]=value` or `name=(…)`. */
import type { ArrayLiteral, Assignment } from "../../shell-language/SyntaxTree.ts"
import { yieldNow } from "../Coroutine.ts"
import type { Later } from "../System.ts"
import { singleQuote } from "./builtins/escapes.ts"
import { expandArithmetic, expanderOf, expandText, expandWords } from "./expand/expandWords.ts"
import { keyOf } from "./expand/ParameterReference.ts"
import type { AssignmentTarget, Variable } from "./Variable.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { IndexedArray } from "./IndexedArray.ts"
import { sourceText, trace, traceAssignment } from "./trace.ts"

/** Assigns at once where nothing is to be waited for, as in `i=$((i + 1))`. */
export const assign = (shell: Shell, node: Assignment, target?: AssignmentTarget): Later<void> => {
  if (node.value._tag === "ArrayLiteral") return assignArray(shell, node, node.value, target)
  const text = expandText(shell, node.value)
  if (text instanceof Promise || node.subscript !== undefined || shell.hasOption("xtrace")) {
    return assignExpanded(shell, node, text, target)
  }
  assignText(shell, node, text, undefined, target)
}

const assignExpanded = async (
  shell: Shell,
  node: Assignment,
  expanded: Later<string>,
  target: AssignmentTarget | undefined,
): Promise<void> => {
  const text = await expanded
  const { name, subscript } = node
  if (shell.hasOption("xtrace")) await traceAssignment(shell, node, text)
  checkLength(shell, name, text)
  const key = subscript && await keyOf(shell, shell.variables.resolve(name), subscript, expanderOf(shell))
  if (typeof key === "object") throw new ShellError(`${name}[${key.mark}]: bad array subscript`, "line")
  assignText(shell, node, text, key, target)
}

const checkLength = (shell: Shell, name: string, text: string): void => {
  if (text.length > shell.limits.maxValueLength) throw new ShellError(`${name}: the value is too long`, "line")
}

const assignText = (
  shell: Shell,
  { append, name }: Assignment,
  text: string,
  key: string | undefined,
  target: AssignmentTarget | undefined,
): void => {
  checkLength(shell, name, text)
  if (target !== undefined) shell.variables.assign(target.make(), name, text, key, append)
  else shell.variables.set(name, text, key, append)
  if (shell.hasOption("allexport")) shell.variables.need(name).exported = true
}

const nextIndex = (variable: Variable): number => (variable.array?.last ?? -1) + 1

const assignArray = async (
  shell: Shell,
  { append, name, span }: Assignment,
  literal: ArrayLiteral,
  target: AssignmentTarget | undefined,
): Promise<void> => {
  const isTable = target?.isTable ?? shell.variables.find(name)?.table !== undefined
  // The elements may be expanded from this array, so it changes only after all of them have been expanded.
  const made: Array<readonly [key: string | undefined, value: string, append: boolean]> = []
  for (const element of literal.elements) {
    if (element.subscript === undefined) {
      for (const value of await expandWords(shell, [element.value])) made.push([undefined, value, false])
      continue
    }
    const { subscript } = element
    if (subscript._tag === "AllElements") throw new ShellError(`[${subscript.mark}]: bad array subscript`, "line")
    const key = isTable
      ? await expandText(shell, subscript.word)
      : String(await expandArithmetic(shell, subscript.text))
    made.push([key, await expandText(shell, element.value), element.append])
  }
  if (shell.hasOption("xtrace")) {
    // For a declaration bash shows the expanded elements.
    const shown = made.map(([key, value]) =>
      (key === undefined ? "" : `[${isTable ? singleQuote(key) : key}]=`) + singleQuote(value)
    )
    await trace(
      shell,
      target === undefined ? sourceText(shell, span) : `${name}${append ? "+" : ""}=(${shown.join(" ")})`,
    )
  }
  const variable = target?.make() ?? shell.variables.need(name)
  if (variable.readonly) throw new ShellError(`${name}: readonly variable`, "line")
  if (!append) {
    if (variable.table !== undefined) variable.table = new Map()
    else variable.array = new IndexedArray()
    variable.value = undefined
  } else if (variable.table === undefined) variable.toArray()
  let next = nextIndex(variable)
  if (variable.table !== undefined && made[0]?.[0] === undefined) {
    // `declare -A a=(k v k v)`
    for (let at = 0; at < made.length; at += 2) variable.toTable().set(made[at]?.[1] ?? "", made[at + 1]?.[1] ?? "")
    return
  }
  for (const [index, [key, value, adds]] of made.entries()) {
    if (index % 1_024 === 1_023) await yieldNow(shell.system)
    shell.variables.assign(variable, name, value, key ?? String(next), adds)
    next = key === undefined || variable.table !== undefined
      ? next + 1
      : Number(key) < 0
      ? nextIndex(variable)
      : Number(key) + 1
  }
}
