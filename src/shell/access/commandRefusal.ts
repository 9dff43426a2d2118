/**
 * What is wrong with the arguments of a command that may run.
 *
 * @module
 */
import type { Argument } from "./Argument.ts"
import type { Refusal } from "./Refusal.ts"
import { argumentRefusal, type Rules } from "./Rules.ts"

/** Asks the rules for arguments. */
export const commandRefusal = (rules: Rules, name: string, words: ReadonlyArray<Argument>): Refusal | undefined =>
  argumentRefusal(rules, name, words)
