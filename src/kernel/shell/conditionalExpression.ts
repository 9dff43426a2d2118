/**
 * Evaluates `[[ … ]]`, and provides the shell's files, variables and options to `test`.
 * Source: bash(1) "Compound Commands", "CONDITIONAL EXPRESSIONS".
 */
import type { Condition, ConditionBinary } from "../../shell-language/SyntaxTree.ts"
import { testBinary, type TestContext, testUnary } from "./builtins/test.ts"
import { isNamedVariableSet } from "./builtins/namedVariables.ts"
import { evaluateExpression } from "./expand/evaluateExpression.ts"
import { expandEscapedText, expandPattern, expandRegex, expandText } from "./expand/expandWords.ts"
import { compilePattern } from "./expand/ShellPattern.ts"
import { IndexedArray } from "./IndexedArray.ts"
import { pathDescriptor } from "./redirections.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { runCoroutine } from "../Coroutine.ts"
import { sourceText, trace } from "./trace.ts"

/** The files and variables of a shell as tests see them. */
export const testContextOf = (shell: Shell, isSet: ReadonlyMap<string, boolean> = new Map()): TestContext => ({
  stat: (path, follow) => {
    const fd = pathDescriptor(path)
    if (fd === undefined) return path === "" ? -1 : shell.system.stat(path, { follow })
    const real = shell.descriptors.get(fd)
    return real === undefined ? -1 : shell.system.fstat(real)
  },
  // The kernel has no terminals.
  isTerminal: () => false,
  isSet: (name) => isSet.get(name) === true,
  isReference: (name) => shell.variables.find(name, false)?.reference === true,
  optionOn: (name) => shell.hasOption(name),
})

export const findSetVariables = async (
  shell: Shell,
  words: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, boolean>> => {
  const found = new Map<string, boolean>()
  for (const word of words) found.set(word, await isNamedVariableSet(shell, word))
  return found
}

const testUnaryOf = async (shell: Shell, operator: string, operand: string): Promise<boolean> =>
  testUnary(
    operator,
    operand,
    testContextOf(shell, operator === "-v" ? await findSetVariables(shell, [operand]) : undefined),
  )

const traceCondition = (shell: Shell, words: ReadonlyArray<string>): Promise<void> =>
  trace(shell, () => `[[ ${words.map((word) => word === "" ? "''" : word).join(" ")} ]]`)

/** `isNegated`: whether the expression follows a `!`, which the trace shows. */
export const evaluateCondition = async (shell: Shell, node: Condition, isNegated = false): Promise<boolean> => {
  const not = isNegated ? ["!"] : []
  switch (node._tag) {
    case "ConditionWord": {
      const word = await expandText(shell, node.word)
      if (shell.hasOption("xtrace")) await traceCondition(shell, [...not, "-n", word])
      return word !== ""
    }
    case "ConditionNot":
      return !(await evaluateCondition(shell, node.operand, !isNegated))
    case "ConditionLogical": {
      const decided = node.operator === "||"
      for (const operand of node.operands) if ((await evaluateCondition(shell, operand)) === decided) return decided
      return !decided
    }
    case "ConditionUnary": {
      const operand = await expandText(shell, node.operand)
      if (shell.hasOption("xtrace")) await traceCondition(shell, [...not, node.operator, operand])
      return testUnaryOf(shell, node.operator, operand)
    }
    case "ConditionBinary":
      return evaluateBinary(shell, node, not)
  }
}

const evaluateBinary = async (
  shell: Shell,
  { left, operator, right }: ConditionBinary,
  not: ReadonlyArray<string>,
): Promise<boolean> => {
  const subject = await expandText(shell, left)
  switch (operator) {
    case "==":
    case "!=": {
      const traced = shell.hasOption("xtrace")
      // The trace shows a backslash before each quoted character; the pattern means the same.
      const text = await (traced ? expandEscapedText(shell, right) : expandPattern(shell, right))
      if (traced) {
        const written = sourceText(shell, { start: left.span.end, end: right.span.start }).trim()
        await traceCondition(shell, [...not, subject, written, text])
      }
      const pattern = compilePattern(text, { ignoreCase: shell.hasOption("nocasematch") })
      return (await runCoroutine(shell.system, pattern.matches(subject))) === (operator === "==")
    }
    case "=~": {
      const text = await expandRegex(shell, right)
      if (shell.hasOption("xtrace")) await traceCondition(shell, [...not, subject, operator, text])
      return matchesRegex(shell, subject, text)
    }
  }
  const object = await expandText(shell, right)
  if (shell.hasOption("xtrace")) await traceCondition(shell, [...not, subject, operator, object])
  return testBinary(subject, operator, object, testContextOf(shell), (text) => evaluateExpression(shell, text))
}

/** Loaded with the first `=~`, since most scripts have none. */
let regex: typeof import("./expand/matchRegex.ts") | undefined

/** Evaluates `=~` and sets `BASH_REMATCH`. */
const matchesRegex = async (shell: Shell, subject: string, source: string): Promise<boolean> => {
  regex ??= await import("./expand/matchRegex.ts")
  const found = await regex.matchRegex(shell.system, subject, source, shell.hasOption("nocasematch"))
  if (found === undefined) throw new ShellError("", "command", 2)
  const variable = shell.variables.need("BASH_REMATCH")
  variable.array = new IndexedArray(found ?? [])
  variable.value = undefined
  return found !== null
}
