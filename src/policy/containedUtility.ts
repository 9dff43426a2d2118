/** Finds the kernel's own utility that runs in place of a program of the machine. */
import type { ShellExec } from "../command/ShellExec.ts"
import { reveal } from "../command/Secret.ts"
import type { Program } from "../kernel/System.ts"
import { utilities } from "../kernel/utilities/Utilities.ts"
import type { CompiledRules } from "./CompiledRules.ts"

/** Utilities that describe the machine or change its processes, which the kernel's own utilities cannot. */
const ofTheMachine: ReadonlySet<string> = new Set(["hostname", "id", "nice", "nohup", "nproc", "uname", "whoami"])

/**
 * Utilities that start programs by their arguments: the kernel's own are used, so that the policy decides about each
 * start.
 */
export const startsPrograms = (name: string, args: ReadonlyArray<string>): boolean => {
  switch (name) {
    case "timeout":
    case "xargs":
      return true
    case "env":
      // Without a command, `env` shows the variables of the machine's programs.
      return args.some((word) => !word.startsWith("-") && !word.includes("="))
    case "find":
      return args.some((word) => /^-(?:exec|ok)(?:dir)?$/.test(word))
    default:
      return false
  }
}

/** A listed utility that runs without a process. */
export interface ContainedUtility {
  readonly path: string
  readonly program: Program
}

/**
 * The kernel's utility for a listed name, or its path in `/bin` or `/usr/bin`; `undefined` if the machine's utility is
 * to run.
 */
export const containedUtility = (
  { commands, policy }: CompiledRules,
  called: string,
  args: ReadonlyArray<string>,
): ContainedUtility | undefined => {
  const name = called.replace(/^(?:\/usr)?\/bin\//, "")
  const program = Object.hasOwn(utilities, name) && commands.names(name) ? utilities[name] : undefined
  const isOwn = (policy.utilities === "contained" && !ofTheMachine.has(name)) || startsPrograms(name, args)
  return program !== undefined && isOwn ? { path: `/usr/bin/${name}`, program } : undefined
}

/**
 * Whether a program that a caller names with its arguments runs without a process; never on systems where scripts
 * cannot run.
 */
export const isContained = (rules: CompiledRules, { arguments: words, command, useShell }: ShellExec): boolean =>
  !useShell && rules.policy.utilities === "contained" && rules.files !== undefined && rules.platform !== "windows" &&
  containedUtility(rules, command, words.map((word) => reveal(word) ?? "")) !== undefined
