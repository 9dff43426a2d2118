/**
 * Checks the arguments of an allowed command against its rule, and the programs it would start against the list.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { Argument } from "./Argument.ts"
import { refusedVariable } from "./EnvironmentRule.ts"
import type { FileSnapshot } from "../shell/LeafFiles.ts"
import type { LaunchOutcome } from "./launchers/Launcher.ts"
import { findLauncher } from "./launchers/launcherTable.ts"
import { quoteForMessage } from "./nameMatcher.ts"
import { notAllowed, type Refusal, undecided } from "./Refusal.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"
import { checkArgumentRule, type CompiledRules } from "./CompiledRules.ts"

/** Maximum depth of launchers that start each other: `nice nohup timeout 5 ls` has three. */
const maxNested = 8

const outcomeRefusal = (
  rules: CompiledRules,
  name: string,
  outcome: LaunchOutcome,
  depth: number,
): Refusal | undefined => {
  switch (outcome._tag) {
    case "Plain":
      if (outcome.pushes === true) rules.findings.pushes = true
      return undefined
    case "Code":
      return rules.policy.code === "refuse"
        ? notAllowed("code", name, `${quoteForMessage(name)} may not be given code, nor run other programs`)
        : undefined
    case "Refused":
      return notAllowed("launchers", name, `${quoteForMessage(name)} is not allowed ${outcome.why}`)
    case "Sets": {
      const variable = outcome.names.find((each) => !rules.environment.mayPass(each))
      return variable === undefined ? outcomeRefusal(rules, name, outcome.then, depth) : refusedVariable(variable)
    }
    case "Runs": {
      for (const [program, ...words] of outcome.commands) {
        const refusal = programRefusal(rules, name, program, words, depth + 1)
        if (refusal !== undefined) return refusal
      }
      return undefined
    }
  }
}

/** Checks a program that another one would start. */
const programRefusal = (
  rules: CompiledRules,
  by: string,
  program: Argument | undefined,
  words: ReadonlyArray<Argument>,
  depth: number,
): Refusal | undefined => {
  if (program?.text === undefined) {
    return undecided(by, `what ${quoteForMessage(by)} would run is only known when it runs`)
  }
  // Its directory may be another by then.
  if (program.text.includes("/") && !program.text.startsWith("/")) {
    return undecided(
      program.text,
      `${quoteForMessage(by)} may not run the relative path ${quoteForMessage(program.text)}`,
    )
  }
  const allowed = rules.commands.allowInScript(program.text)
  return Result.isFailure(allowed)
    ? allowed.failure
    : checkArguments(rules, program.text, allowed.success, words, depth)
}

/** Checks the arguments of a command, and the programs it would start by them; `seen` is its file. */
export const checkArguments = (
  rules: CompiledRules,
  name: string,
  seen: FileSnapshot | undefined,
  words: ReadonlyArray<Argument>,
  depth = 0,
): Refusal | undefined => {
  const refusal = checkArgumentRule(rules, name, words)
  if (refusal !== undefined) return refusal
  if (depth > maxNested) {
    return undecided(name, `${quoteForMessage(name)} is the last of too many commands that start others`)
  }
  const file = seen === undefined ? undefined : normalizeCommandName(seen.file, rules.platform)
  const launcher = findLauncher(normalizeCommandName(name, rules.platform), file)
  return launcher === undefined ? undefined : outcomeRefusal(rules, name, launcher(words), depth)
}
