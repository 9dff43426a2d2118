/** Decides about the programs of a script in each state that they may start in. */
import type { ScriptPlan, StartDecision } from "../script/ScriptPlan.ts"
import { startsPrograms } from "./containedUtility.ts"
import type { CommandDecision } from "./ExplainedCommand.ts"
import { findLauncher } from "./launchers/launcherTable.ts"
import type { LaunchOutcome } from "./launchers/LauncherRule.ts"
import type { StartState } from "./scriptState.ts"

const unknown: CommandDecision = { _tag: "Unknown" }

export class ProgramDecisions {
  readonly #plan: ScriptPlan
  /** Decisions that were made in a list of states, by the words of the command: scripts repeat themselves. */
  readonly #decided = new Map<ReadonlyArray<StartState>, Map<string, CommandDecision>>()

  constructor(plan: ScriptPlan) {
    this.#plan = plan
  }

  start([program = "", ...args]: ReadonlyArray<string>, { directory, env }: StartState): StartDecision {
    return this.#plan.start({ program, args: [program, ...args], env, directory: { path: directory } })
  }

  /** The decision about a program with its arguments, if it is the same in all states. */
  decide(words: ReadonlyArray<string>, states: ReadonlyArray<StartState>): CommandDecision {
    const made = this.#decided.get(states) ?? new Map<string, CommandDecision>()
    this.#decided.set(states, made)
    const key = words.join("\0")
    const known = made.get(key)
    if (known !== undefined) return known
    const decisions = states.map((state) => this.#decision(words, state))
    const [first = unknown] = decisions
    const decision = decisions.every(({ _tag }) => _tag === first._tag) ? first : unknown
    made.set(key, decision)
    return decision
  }

  #decision(words: ReadonlyArray<string>, state: StartState): CommandDecision {
    const decision = this.start(words, state)
    switch (decision._tag) {
      case "Command":
        return { _tag: "Allowed", path: decision.path }
      case "Program":
        return this.#contained(words, state)
      case "Refused":
        return { _tag: "Refused", message: decision.fault.message }
      case "Missing":
      case "Denied":
        return { _tag: "Missing" }
    }
  }

  /** A program of the kernel, which may start others: `timeout`, `xargs`. */
  #contained([name = "", ...args]: ReadonlyArray<string>, state: StartState): CommandDecision {
    const short = name.replace(/^.*\//s, "")
    const outcome = startsPrograms(short, args) ? findLauncher(short, undefined)?.(args) : undefined
    const worst = outcome === undefined ? undefined : this.#launched(outcome, state, args)
    return worst ?? { _tag: "Contained" }
  }

  /** The decision about programs that another one starts, unless they may all run. */
  #launched(outcome: LaunchOutcome, state: StartState, args: ReadonlyArray<string>): CommandDecision | undefined {
    if (outcome._tag === "Plain") return undefined
    if (outcome._tag === "Sets") {
      const set = args.flatMap((word) => {
        const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? []
        return name === undefined || value === undefined || !outcome.names.includes(name)
          ? []
          : [[name, value] as const]
      })
      return this.#launched(outcome.then, { ...state, env: new Map([...state.env, ...set]) }, args)
    }
    if (outcome._tag !== "Runs" || outcome.adds === true) return unknown
    const decisions = outcome.commands.map((words) => this.#decision(words, state))
    return decisions.find(({ _tag }) => _tag === "Refused") ??
      decisions.find(({ _tag }) => _tag === "Unknown" || _tag === "Missing")
  }
}
