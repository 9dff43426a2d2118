/** Declares the rules of a mock's script and finds the one for each command. */
import type * as Redacted from "effect/Redacted"
import { reveal, type Word } from "../../command/Secret.ts"
import { ShellExec } from "../../command/plain/ShellExec.ts"
import { formatCommandLine } from "../../shell/formatCommandLine.ts"
import { findNearest } from "../../base/findNearest.ts"
import type { MockRun } from "./MockStep.ts"

/**
 * Selects the commands that a rule matches:
 *
 * - a string: the program of that name with any arguments, but no shell script;
 * - a list: the program and exactly these arguments;
 * - a `ShellExec`: the same program or script with the same arguments, and the same `workingDirectory`, `input`, and
 *   `environment` as far as it sets them;
 * - a function: the commands for which it returns `true`.
 */
export type MockMatcher =
  | string
  | readonly [command: string, ...args: ReadonlyArray<string | Redacted.Redacted<string>>]
  | ShellExec
  | ((exec: ShellExec) => boolean)

/** The run of a command, or a function that makes it from the command. */
export type MockAnswer = MockRun | ((exec: ShellExec) => MockRun)

/** One rule of a script. */
export interface MockRule {
  /** The commands that the rule answers. */
  readonly matcher: MockMatcher
  /** The answer. */
  readonly answer: MockAnswer
  /** Whether the rule matches one command only. */
  readonly once: boolean
}

/** Rules, where the first match answers; or a function, which returns `undefined` for an unscripted command. */
export type MockScript = ReadonlyArray<MockRule> | ((exec: ShellExec) => MockRun | undefined)

export interface Unscripted {
  readonly issue: string
}

const isList = (matcher: MockMatcher): matcher is readonly [string, ...ReadonlyArray<Word>] => Array.isArray(matcher)

const sameWord = (a: Word | null | undefined, b: Word | null | undefined): boolean =>
  a === b || (a !== null && a !== undefined && b !== null && b !== undefined && reveal(a) === reveal(b))

const sameWords = (a: ReadonlyArray<Word>, b: ReadonlyArray<Word>): boolean =>
  a.length === b.length && a.every((word, index) => sameWord(word, b[index]))

const sameInput = (a: ShellExec["input"], b: ShellExec["input"]): boolean =>
  a instanceof Uint8Array
    ? b instanceof Uint8Array && a.length === b.length && a.every((byte, index) => byte === b[index])
    : !(b instanceof Uint8Array) && sameWord(a, b)

const sameCommand = (wanted: ShellExec, exec: ShellExec): boolean =>
  wanted.command === exec.command && wanted.useShell === exec.useShell &&
  (wanted.shell ?? "system") === (exec.shell ?? "system") &&
  sameWords(wanted.arguments, exec.arguments) &&
  (wanted.workingDirectory === undefined || wanted.workingDirectory === exec.workingDirectory) &&
  (wanted.input === undefined || sameInput(wanted.input, exec.input)) &&
  Object.entries(wanted.environment ?? {}).every(([name, value]) => sameWord(value, exec.environment?.[name]))

const matches = (matcher: MockMatcher, exec: ShellExec): boolean => {
  if (typeof matcher === "string") return !exec.useShell && exec.command === matcher
  if (typeof matcher === "function") return matcher(exec)
  if (!isList(matcher)) return sameCommand(matcher, exec)
  const [command, ...args] = matcher
  return !exec.useShell && exec.command === command && sameWords(args, exec.arguments)
}

const describe = (matcher: MockMatcher): string | undefined => {
  if (typeof matcher === "string") return `${matcher} …`
  if (typeof matcher === "function") return matcher.name === "" ? undefined : matcher.name
  if (!isList(matcher)) return formatCommandLine(matcher)
  const [command, ...args] = matcher
  return formatCommandLine(ShellExec.make(command, args))
}

const labelOf = (matcher: MockMatcher): string => describe(matcher) ?? "the commands of a function"

export class MockRules {
  readonly #script: MockScript
  readonly #ordered: boolean
  readonly #used = new Set<MockRule>()

  constructor(script: MockScript, ordered: boolean) {
    this.#script = script
    this.#ordered = ordered
  }

  take(exec: ShellExec): MockRun | Unscripted {
    if (typeof this.#script === "function") {
      return this.#script(exec) ?? this.#unscripted(exec, "the script's function returns undefined")
    }
    const [first] = this.#remaining(this.#script)
    if (this.#ordered && first !== undefined && !matches(first.matcher, exec)) {
      return this.#unscripted(exec, `the next one in order is: ${labelOf(first.matcher)}`)
    }
    const rule = this.#remaining(this.#script).find(({ matcher }) => matches(matcher, exec))
    if (rule === undefined) return this.#unscripted(exec, this.#nearest(exec, this.#script))
    this.#used.add(rule)
    return typeof rule.answer === "function" ? rule.answer(exec) : rule.answer
  }

  /**
   * Labels of the required rules that were never used. In an ordered script all rules are required, otherwise those
   * made by `once`.
   */
  get unmetRules(): ReadonlyArray<string> {
    return typeof this.#script === "function" ? [] : this.#script
      .filter((rule) => (this.#ordered || rule.once) && !this.#used.has(rule))
      .map(({ matcher }) => labelOf(matcher))
  }

  #remaining(rules: ReadonlyArray<MockRule>): ReadonlyArray<MockRule> {
    return rules.filter((rule) => !((this.#ordered || rule.once) && this.#used.has(rule)))
  }

  #nearest(exec: ShellExec, rules: ReadonlyArray<MockRule>): string {
    const known = rules.flatMap(({ matcher }) => describe(matcher) ?? [])
    const similar = findNearest(formatCommandLine(exec), known)
    if (similar === undefined) {
      return rules.length === 0 ? "the script is empty" : "no function of the script matches it"
    }
    const isUsedUp = rules.some(({ matcher }) => matches(matcher, exec))
    return isUsedUp ? "all scripted rules for it have been used up" : `the nearest that is: ${similar}`
  }

  #unscripted(exec: ShellExec, detail: string): Unscripted {
    return { issue: `${formatCommandLine(exec)} is not scripted; ${detail}` }
  }
}
