/**
 * Expands `$name` and every form of `${…}` into a word builder.
 * Source: POSIX 2.6.2 "Parameter Expansion"; bash(1) "Parameter Expansion".
 */
import type { Parameter, ParameterFallback } from "../../../shell-language/SyntaxTree.ts"
import type { Later } from "../../System.ts"
import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import type { WordBuilder } from "./WordBuilder.ts"
import { lengthOf, sliceList, sliceText } from "./slice.ts"
import {
  countOf,
  describeReference,
  type Expander,
  isSpecial,
  keyOf,
  listOf,
  markOf,
  type ParameterReference,
  parseReference,
  scalarOf,
  specialParameter,
} from "./ParameterReference.ts"
import { makeValueMapper } from "./makeValueMapper.ts"

export const expandParameter = (
  shell: Shell,
  node: Parameter,
  quoted: boolean,
  builder: WordBuilder,
  expander: Expander,
): Later<void> => {
  if (node.operation === undefined && node.subscript === undefined && !node.indirect) {
    const name = node.name
    if (name === "@" || name === "*") return builder.list(shell.positional.words, name, quoted)
    const value = isSpecial(name) ? specialParameter(shell, name) : shell.variables.get(name)
    if (value === undefined) checkNounset(shell, name)
    return quoted ? builder.add(value ?? "", true) : builder.split(value ?? "")
  }
  return expandOperation({ shell, quoted, builder, expander }, node)
}

const checkNounset = (shell: Shell, name: string): void => {
  if (shell.hasOption("nounset")) {
    const shown = /^[0-9]+$/.test(name) ? `$${name}` : name
    throw new ShellError(`${shown}: unbound variable`, "shell", shell.fatalStatus)
  }
}

interface ExpansionContext {
  readonly shell: Shell
  readonly quoted: boolean
  readonly builder: WordBuilder
  readonly expander: Expander
}

const expandOperation = async (context: ExpansionContext, node: Parameter): Promise<void> => {
  const { builder, expander, quoted, shell } = context
  const { operation } = node
  const emit = (text: string): Later<void> => quoted ? builder.add(text, true) : builder.split(text)
  if (operation?._tag === "ParameterNames") {
    const names = [...shell.variables.names].filter((name) =>
      name.startsWith(node.name) && shell.variables.find(name)?.isSet === true
    )
    return builder.list(names, operation.mark, quoted)
  }
  if (operation?._tag === "ParameterKeys") {
    return builder.list(shell.variables.find(node.name)?.keys ?? [], operation.mark, quoted)
  }
  let target: ParameterReference = {
    name: node.name,
    key: node.subscript === undefined ? undefined : await keyOf(shell, node.name, node.subscript, expander),
  }
  if (node.indirect) {
    const variable = target.key === undefined ? shell.variables.find(node.name, false) : undefined
    const names = variable?.reference === true ? undefined : scalarOf(shell, target)
    if (variable?.reference === true) return emit(variable.value ?? "")
    if (names === undefined || names === "") throw new ShellError(`${node.name}: invalid indirect expansion`, "line")
    target = parseReference(shell, names)
  }
  const mark = markOf(target)
  if (mark === undefined) {
    const value = scalarOf(shell, target)
    if (operation?._tag === "ParameterFallback") {
      // Quotes make a field even if it is empty.
      if (quoted) builder.add("", true)
      return expandFallback(context, operation, target, value, () => emit(value ?? ""))
    }
    if (value === undefined && !(operation?._tag === "ParameterTransform" && "aA".includes(operation.operator))) {
      checkNounset(shell, describeReference(target))
    }
    if (operation === undefined) return emit(value ?? "")
    if (operation._tag === "ParameterLength") {
      return emit(String(await lengthOf(shell, value ?? "")))
    }
    if (operation._tag === "ParameterSlice") return emit(await sliceText(shell, value ?? "", operation, expander))
    if (operation._tag === "ParameterTransform" && value === undefined && !"aA".includes(operation.operator)) {
      return emit("")
    }
    return emit(await (await makeValueMapper(shell, operation, target, expander))(value ?? ""))
  }
  if (operation?._tag === "ParameterLength") {
    if (shell.hasOption("nounset") && !isSpecial(target.name) && shell.variables.find(target.name) === undefined) {
      throw new ShellError(`${target.name}: unbound variable`, "shell")
    }
    return emit(String(countOf(shell, target)))
  }
  const values = listOf(shell, target)
  const give = (list: ReadonlyArray<string>): Later<void> => builder.list(list, mark, quoted)
  if (operation === undefined) return give(values)
  switch (operation._tag) {
    case "ParameterFallback": {
      const joined = values.length === 0 ? undefined : values.join(" ")
      return expandFallback(context, operation, target, joined, () => give(values))
    }
    case "ParameterSlice":
      return give(await sliceList(shell, target, values, operation, expander))
    case "ParameterTransform":
      if ("AKka".includes(operation.operator) && !isSpecial(target.name)) {
        return operation.operator === "k"
          ? give((shell.variables.find(target.name)?.entries ?? []).flat())
          : operation.operator === "a"
          ? give(values.map(() => shell.variables.find(target.name)?.letters ?? ""))
          : emit(await (await makeValueMapper(shell, operation, target, expander))(""))
      }
  }
  const map = await makeValueMapper(shell, operation, target, expander)
  const mapped: Array<string> = []
  for (const value of values) {
    const made = map(value)
    mapped.push(typeof made === "string" ? made : await made)
    const turn = shell.system.yield()
    if (turn instanceof Promise) await turn
  }
  return give(mapped)
}

const expandFallback = async (
  { builder, expander, quoted, shell }: ExpansionContext,
  operation: ParameterFallback,
  target: ParameterReference,
  value: string | undefined,
  use: () => Later<void>,
): Promise<void> => {
  const missing = value === undefined || (operation.colon && value === "")
  const word = () => expander.parts(operation.word.parts, quoted, builder, true)
  switch (operation.operator) {
    case "-":
      return missing ? word() : use()
    case "+":
      return missing ? undefined : word()
    case "=": {
      if (!missing) return use()
      if (isSpecial(target.name)) throw new ShellError(`$${target.name}: cannot assign in this way`, "line")
      const text = await expander.text(operation.word)
      shell.variables.set(target.name, text, typeof target.key === "object" ? undefined : target.key)
      const made = scalarOf(shell, target) ?? ""
      return quoted ? builder.add(made, true) : builder.split(made)
    }
    case "?": {
      if (!missing) return use()
      const text = await expander.text(operation.word)
      const message = text === "" ? (operation.colon ? "parameter null or not set" : "parameter not set") : text
      throw new ShellError(`${describeReference(target)}: ${message}`, "shell", shell.fatalStatus)
    }
  }
}
