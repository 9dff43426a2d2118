/**
 * Which run a command gets: the rules of a script.
 *
 * @module
 */
import { reveal, type Word } from "../../command/Secret.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { formatCommandLine } from "../../shell/formatCommandLine.ts"
import { nearest } from "../../base/nearest.ts"
import type { MockRun } from "./MockRun.ts"

/**
 * Which commands a rule means:
 *
 * - a text: the program of that name with any arguments, never a script for the shell;
 * - a list: the program and exactly these arguments;
 * - a `ShellExec`: the same program or script with the same arguments, and the same `workingDirectory`, `input`, and
 *   `environment` where it names them;
 * - a function: those for which it holds.
 */
export type MockMatcher =
  | string
  | readonly [command: string, ...args: ReadonlyArray<Word>]
  | ShellExec
  | ((exec: ShellExec) => boolean)

/** What becomes of commands: a run, or a function that makes one of the command. */
export type MockAnswer = MockRun | ((exec: ShellExec) => MockRun)

/** One rule of a script. */
export interface MockRule {
  readonly matcher: MockMatcher
  readonly answer: MockAnswer
  /** Whether it serves one command and no more. */
  readonly once: boolean
}

/** Rules, of which the first that means a command serves it; or a function, `undefined` for what is not scripted. */
export type MockScript = ReadonlyArray<MockRule> | ((exec: ShellExec) => MockRun | undefined)

/** What was not scripted, and what may have been meant. */
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
  sameWords(wanted.arguments, exec.arguments) &&
  (wanted.workingDirectory === undefined || wanted.workingDirectory === exec.workingDirectory) &&
  (wanted.input === undefined || sameInput(wanted.input, exec.input)) &&
  Object.entries(wanted.environment ?? {}).every(([name, value]) => sameWord(value, exec.environment?.[name]))

/** Whether a rule means a command. */
export const means = (matcher: MockMatcher, exec: ShellExec): boolean => {
  if (typeof matcher === "string") return !exec.useShell && exec.command === matcher
  if (typeof matcher === "function") return matcher(exec)
  if (!isList(matcher)) return sameCommand(matcher, exec)
  const [command, ...args] = matcher
  return !exec.useShell && exec.command === command && sameWords(args, exec.arguments)
}

/** A rule for people; `undefined` for a function without a name. */
const describe = (matcher: MockMatcher): string | undefined => {
  if (typeof matcher === "string") return `${matcher} …`
  if (typeof matcher === "function") return matcher.name === "" ? undefined : matcher.name
  if (!isList(matcher)) return formatCommandLine(matcher)
  const [command, ...args] = matcher
  return formatCommandLine(ShellExec.make(command, args))
}

const named = (matcher: MockMatcher): string => describe(matcher) ?? "what a function says"

/** The rules of one mock, and which of them have served. */
export class MockRules {
  readonly #script: MockScript
  readonly #ordered: boolean
  readonly #served = new Set<MockRule>()

  constructor(script: MockScript, ordered: boolean) {
    this.#script = script
    this.#ordered = ordered
  }

  /** The run of a command; from then on its rule has served. */
  take(exec: ShellExec): MockRun | Unscripted {
    if (typeof this.#script === "function") {
      return this.#script(exec) ?? this.#unscripted(exec, "the script's function answers with nothing")
    }
    const [first] = this.#left(this.#script)
    if (this.#ordered && first !== undefined && !means(first.matcher, exec)) {
      return this.#unscripted(exec, `the next one in order is: ${named(first.matcher)}`)
    }
    const rule = this.#left(this.#script).find(({ matcher }) => means(matcher, exec))
    if (rule === undefined) return this.#unscripted(exec, this.#nearest(exec, this.#script))
    this.#served.add(rule)
    return typeof rule.answer === "function" ? rule.answer(exec) : rule.answer
  }

  /** Those that had to serve and have not: of a script in order all, else those that serve once. */
  get unmet(): ReadonlyArray<string> {
    return typeof this.#script === "function" ? [] : this.#script
      .filter((rule) => (this.#ordered || rule.once) && !this.#served.has(rule))
      .map(({ matcher }) => named(matcher))
  }

  #left(rules: ReadonlyArray<MockRule>): ReadonlyArray<MockRule> {
    return rules.filter((rule) => !((this.#ordered || rule.once) && this.#served.has(rule)))
  }

  #nearest(exec: ShellExec, rules: ReadonlyArray<MockRule>): string {
    const known = rules.flatMap(({ matcher }) => describe(matcher) ?? [])
    const similar = nearest(formatCommandLine(exec), known)
    if (similar === undefined) return rules.length === 0 ? "the script is empty" : "no function of the script means it"
    const spent = rules.some(({ matcher }) => means(matcher, exec))
    return spent ? "its rules have served as often as they may" : `the nearest that is: ${similar}`
  }

  #unscripted(exec: ShellExec, why: string): Unscripted {
    return { issue: `${formatCommandLine(exec)} is not scripted; ${why}` }
  }
}
