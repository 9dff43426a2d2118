/**
 * `[[ … ]]`
 *
 * Source: bash(1) "Compound Commands", "CONDITIONAL EXPRESSIONS".
 *
 * @module
 */
import type { Condition, ConditionBinary } from "../../shell-language/SyntaxTree.ts"
import { compareNumbers, testFiles, type TestHost, testUnary } from "./builtins/test.ts"
import { isSetByText } from "./builtins/setByText.ts"
import { evaluateText } from "./expand/evaluateText.ts"
import { expandPattern, expandRegex, expandText } from "./expand/expand.ts"
import { byCodePoint } from "./expand/glob.ts"
import { patternOf } from "./expand/Pattern.ts"
import { IndexedArray } from "./IndexedArray.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { runCoroutine } from "../Coroutine.ts"
import { trace } from "./trace.ts"

/** What the tests of files and variables ask, answered by a shell. */
export const testHost = (shell: Shell, isSet: ReadonlyMap<string, boolean> = new Map()): TestHost => ({
  stat: (path, follow) => {
    const fd = /^\/dev\/(?:fd\/(\d+)|std(in|out|err))$/.exec(path)
    if (fd === null) return path === "" ? -1 : shell.system.stat(path, { follow })
    const real = shell.io.get(fd[1] === undefined ? ["in", "out", "err"].indexOf(fd[2] ?? "") : Number(fd[1]))
    return real === undefined ? -1 : shell.system.fstat(real)
  },
  // Nothing in the kernel is a terminal.
  isTerminal: () => false,
  isSet: (name) => isSet.get(name) === true,
  isReference: (name) => shell.variables.find(name, false)?.reference === true,
  optionOn: (name) => shell.on(name),
})

/** Which of the words that may name variables are set. */
export const setOf = async (shell: Shell, words: ReadonlyArray<string>): Promise<ReadonlyMap<string, boolean>> => {
  const found = new Map<string, boolean>()
  for (const word of words) found.set(word, await isSetByText(shell, word))
  return found
}

const testUnaryOf = async (shell: Shell, operator: string, operand: string): Promise<boolean> =>
  testUnary(operator, operand, testHost(shell, operator === "-v" ? await setOf(shell, [operand]) : undefined))

const traceCondition = (shell: Shell, words: ReadonlyArray<string>): Promise<void> =>
  trace(shell, () => `[[ ${words.map((word) => word === "" ? "''" : word).join(" ")} ]]`)

/** Whether a condition holds. */
export const holds = async (shell: Shell, node: Condition): Promise<boolean> => {
  switch (node._tag) {
    case "ConditionWord": {
      const word = await expandText(shell, node.word)
      if (shell.on("xtrace")) await traceCondition(shell, ["-n", word])
      return word !== ""
    }
    case "ConditionNot":
      return !(await holds(shell, node.operand))
    case "ConditionLogical": {
      const decided = node.operator === "||"
      for (const operand of node.operands) if ((await holds(shell, operand)) === decided) return decided
      return !decided
    }
    case "ConditionUnary": {
      const operand = await expandText(shell, node.operand)
      if (shell.on("xtrace")) await traceCondition(shell, [node.operator, operand])
      return testUnaryOf(shell, node.operator, operand)
    }
    case "ConditionBinary":
      return compare(shell, node)
  }
}

const compare = async (shell: Shell, { left, operator, right }: ConditionBinary): Promise<boolean> => {
  const subject = await expandText(shell, left)
  switch (operator) {
    case "==":
    case "!=": {
      const text = await expandPattern(shell, right)
      if (shell.on("xtrace")) await traceCondition(shell, [subject, operator, text])
      const pattern = patternOf(text, { ignoreCase: shell.on("nocasematch") })
      return (await runCoroutine(shell.system, pattern.matches(subject))) === (operator === "==")
    }
    case "=~": {
      const text = await expandRegex(shell, right)
      if (shell.on("xtrace")) await traceCondition(shell, [subject, operator, text])
      return matches(shell, subject, text)
    }
  }
  const object = await expandText(shell, right)
  if (shell.on("xtrace")) await traceCondition(shell, [subject, operator, object])
  switch (operator) {
    case "<":
      return byCodePoint(subject, object) < 0
    case ">":
      return byCodePoint(subject, object) > 0
    case "-nt":
    case "-ot":
    case "-ef":
      return testFiles(operator, subject, object, testHost(shell))
    default:
      return compareNumbers(operator, evaluateText(shell, subject), evaluateText(shell, object))
  }
}

/** Loaded with the first `=~`: most scripts have none. */
let regex: typeof import("./expand/regex.ts") | undefined

/** `=~`: what matched is in `BASH_REMATCH` then. */
const matches = async (shell: Shell, subject: string, source: string): Promise<boolean> => {
  regex ??= await import("./expand/regex.ts")
  const found = await regex.matchRegex(shell.system, subject, source, shell.on("nocasematch"))
  if (found === undefined) throw new ShellError("", "command", 2)
  const variable = shell.variables.need("BASH_REMATCH")
  variable.array = new IndexedArray(found ?? [])
  variable.value = undefined
  return found !== null
}
