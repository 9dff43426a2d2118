/**
 * `[[ … ]]`
 *
 * Source: bash(1) "Compound Commands", "CONDITIONAL EXPRESSIONS".
 *
 * @module
 */
import type { Condition, ConditionBinary } from "../../shell-language/Tree.ts"
import { compareNumbers, testFiles, type TestHost, testUnary } from "./builtins/test.ts"
import { evaluateText } from "./expand/evaluateText.ts"
import { expandPattern, expandRegex, expandText } from "./expand/expand.ts"
import { byCodePoint } from "./expand/glob.ts"
import { patternOf } from "./expand/Pattern.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { element } from "./Variables.ts"
import { complete } from "../steps.ts"

/** What the tests of files and variables ask, answered by a shell. */
export const testHost = (shell: Shell): TestHost => ({
  stat: (path, follow) => {
    const fd = /^\/dev\/(?:fd\/(\d+)|std(in|out|err))$/.exec(path)
    if (fd === null) return path === "" ? -1 : shell.system.stat(path, { follow })
    const real = shell.io.get(fd[1] === undefined ? ["in", "out", "err"].indexOf(fd[2] ?? "") : Number(fd[1]))
    return real === undefined ? -1 : shell.system.fstat(real)
  },
  // Nothing in the kernel is a terminal.
  isTerminal: () => false,
  isSet: (name) => {
    const [, base = name, key] = /^(\w+)\[(.*)\]$/s.exec(name) ?? []
    if (/^\d+$/.test(base)) return Number(base) <= shell.positional.length
    const variable = shell.variables.find(base)
    if (variable === undefined || key === undefined) return variable?.scalar !== undefined
    if (key === "@" || key === "*") return variable.isSet
    return element(variable, variable.table !== undefined ? key : String(shell.machine.arithmetic(shell, key))) !==
      undefined
  },
  isReference: (name) => shell.variables.find(name, false)?.reference === true,
  optionOn: (name) => shell.on(name),
})

/** Whether a condition holds. */
export const holds = async (shell: Shell, node: Condition): Promise<boolean> => {
  switch (node._tag) {
    case "ConditionWord":
      return (await expandText(shell, node.word)) !== ""
    case "ConditionNot":
      return !(await holds(shell, node.operand))
    case "ConditionLogical": {
      const decided = node.operator === "||"
      for (const operand of node.operands) if ((await holds(shell, operand)) === decided) return decided
      return !decided
    }
    case "ConditionUnary":
      return testUnary(node.operator, await expandText(shell, node.operand), testHost(shell))
    case "ConditionBinary":
      return compare(shell, node)
  }
}

const compare = async (shell: Shell, { left, operator, right }: ConditionBinary): Promise<boolean> => {
  const subject = await expandText(shell, left)
  switch (operator) {
    case "==":
    case "!=": {
      const pattern = patternOf(await expandPattern(shell, right), { ignoreCase: shell.on("nocasematch") })
      return (await complete(shell.system, pattern.matches(subject))) === (operator === "==")
    }
    case "=~":
      return matches(shell, subject, await expandRegex(shell, right))
  }
  const object = await expandText(shell, right)
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
  const found = regex.matchRegex(subject, source, shell.on("nocasematch"))
  if (found === undefined) throw new ShellError("", "command", 2)
  const variable = shell.variables.need("BASH_REMATCH")
  variable.array = new Map((found ?? []).map((part, index) => [index, part]))
  variable.value = undefined
  return found !== null
}
