/**
 * What is wrong with the arguments of a command that may run: its own rule, and the programs that they would start.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { Argument } from "./Argument.ts"
import { refusedVariable } from "./EnvironmentRule.ts"
import type { FileSnapshot } from "../shell/LeafFiles.ts"
import type { Outcome } from "./launchers/Launcher.ts"
import { launcherOf } from "./launchers/table.ts"
import { shown } from "./names.ts"
import { notAllowed, type Refusal, undecided } from "./Refusal.ts"
import { commonName } from "./commonName.ts"
import { argumentRefusal, type Rules } from "./Rules.ts"

/** How many launchers may stand one behind another: `nice nohup timeout 5 ls` has three. */
const mostNested = 8

const outcomeRefusal = (rules: Rules, name: string, outcome: Outcome, depth: number): Refusal | undefined => {
  switch (outcome._tag) {
    case "Plain":
      if (outcome.pushes === true) rules.findings.pushes = true
      return undefined
    case "Code":
      return rules.policy.code === "refuse"
        ? notAllowed("code", name, `${shown(name)} may not be given code, nor run other programs`)
        : undefined
    case "Refused":
      return notAllowed("launchers", name, `${shown(name)} is not allowed ${outcome.why}`)
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

/** What is wrong with a program that another one would start. */
const programRefusal = (
  rules: Rules,
  by: string,
  program: Argument | undefined,
  words: ReadonlyArray<Argument>,
  depth: number,
): Refusal | undefined => {
  if (program?.text === undefined) return undecided(by, `what ${shown(by)} would run is only known when it runs`)
  // Its directory may be another by then.
  if (program.text.includes("/") && !program.text.startsWith("/")) {
    return undecided(program.text, `${shown(by)} may not run the relative path ${shown(program.text)}`)
  }
  const allowed = rules.commands.allowInScript(program.text)
  return Result.isFailure(allowed)
    ? allowed.failure
    : commandRefusal(rules, program.text, allowed.success, words, depth)
}

/** Asks the rule for the arguments of a command, and what it would start by them; `seen` is its file. */
export const commandRefusal = (
  rules: Rules,
  name: string,
  seen: FileSnapshot | undefined,
  words: ReadonlyArray<Argument>,
  depth = 0,
): Refusal | undefined => {
  const refusal = argumentRefusal(rules, name, words)
  if (refusal !== undefined) return refusal
  if (depth > mostNested) return undecided(name, `${shown(name)} is the last of too many commands that start others`)
  const file = seen === undefined ? undefined : commonName(seen.file, rules.platform)
  const launcher = launcherOf(commonName(name, rules.platform), file)
  return launcher === undefined ? undefined : outcomeRefusal(rules, name, launcher(words), depth)
}
