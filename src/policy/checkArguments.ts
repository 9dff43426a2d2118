/** Checks the arguments of an allowed command against its rule, and the programs it would start against the list. */
import * as Result from "effect/Result"
import { quoteIfNeeded } from "../base/quote.ts"
import { refusedVariable } from "./EnvironmentRule.ts"
import type { SeenFile } from "../shell/LeafFiles.ts"
import type { LauncherRule, LaunchOutcome } from "./launchers/LauncherRule.ts"
import { findLauncher } from "./launchers/launcherTable.ts"
import { leadsToOpenFile } from "./leadsToOpenFile.ts"
import { notAllowed, type PolicyRefusal, undecided } from "./PolicyRefusal.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"
import { checkArgumentRule, type CompiledRules, hasArgumentRule } from "./CompiledRules.ts"

/** Maximum depth of launchers that start each other: `nice nohup timeout 5 ls` has three. */
const maxNested = 8

const outcomeRefusal = (
  rules: CompiledRules,
  name: string,
  outcome: LaunchOutcome,
  depth: number,
): PolicyRefusal | undefined => {
  switch (outcome._tag) {
    case "Plain":
      return undefined
    case "Code":
      return rules.policy.code === "refuse"
        ? notAllowed("code", name, `${quoteIfNeeded(name)} may not be given code or run other programs`)
        : undefined
    case "Refused":
      return notAllowed("launchers", name, `${quoteIfNeeded(name)} is not allowed ${outcome.why}`)
    case "Sets": {
      const variable = outcome.names.find((each) => !rules.environment.mayPass(each))
      return variable === undefined ? outcomeRefusal(rules, name, outcome.then, depth) : refusedVariable(variable)
    }
    case "Runs": {
      for (const [program = "", ...words] of outcome.commands) {
        const refusal = programRefusal(rules, name, { program, words, adds: outcome.adds === true }, depth + 1)
        if (refusal !== undefined) return refusal
      }
      return undefined
    }
  }
}

interface LaunchedProgram {
  readonly program: string
  readonly words: ReadonlyArray<string>
  /** Whether the program gets further arguments, which are known only when it runs. */
  readonly adds: boolean
}

const programRefusal = (
  rules: CompiledRules,
  by: string,
  { adds, program, words }: LaunchedProgram,
  depth: number,
): PolicyRefusal | undefined => {
  // Its directory may be another by then.
  if (program.includes("/") && !program.startsWith("/")) {
    return undecided(program, `${quoteIfNeeded(by)} may not run the relative path ${quoteIfNeeded(program)}`)
  }
  const allowed = rules.commands.allowLaunched(program)
  if (Result.isFailure(allowed)) return allowed.failure
  return adds
    ? addedRefusal(rules, program, allowed.success)
    : checkArguments(rules, program, allowed.success, words, depth)
}

/** Checks a program whose arguments are known only when it runs, so that argument rules cannot be applied. */
const addedRefusal = (
  rules: CompiledRules,
  name: string,
  seen: SeenFile | undefined,
): PolicyRefusal | undefined => {
  const outcome = launcherOf(rules, name, seen)?.([])
  const isRuled = hasArgumentRule(rules, name)
  if (outcome === undefined && !isRuled) return undefined
  // Rules for arguments cannot bound an interpreter that may be given code.
  if (outcome?._tag === "Code" && !isRuled) return outcomeRefusal(rules, name, outcome, 0)
  const issue = `${quoteIfNeeded(name)} is not allowed with arguments that are known only when it runs: use a script`
  return notAllowed(isRuled ? "argumentRules" : "launchers", name, issue)
}

const launcherOf = (
  { platform }: CompiledRules,
  name: string,
  seen: SeenFile | undefined,
): LauncherRule | undefined =>
  findLauncher(normalizeCommandName(name, platform), seen && normalizeCommandName(seen.file, platform))

/** Checks the arguments of a command, and the programs it would start by them; `seen` is its file. */
export const checkArguments = (
  rules: CompiledRules,
  name: string,
  seen: SeenFile | undefined,
  words: ReadonlyArray<string>,
  depth = 0,
): PolicyRefusal | undefined => {
  const refusal = checkArgumentRule(rules, name, words)
  if (refusal !== undefined) return refusal
  if (depth > maxNested) {
    return undecided(name, `${quoteIfNeeded(name)} is nested in too many commands that start others`)
  }
  const launcher = launcherOf(rules, name, seen)
  const isOpenFile = (word: string): boolean => leadsToOpenFile(rules, word)
  return launcher === undefined ? undefined : outcomeRefusal(rules, name, launcher(words, isOpenFile), depth)
}
