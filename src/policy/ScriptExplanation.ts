/** Decides about the commands and redirections of a script that are known before it runs. */
import { interpreter } from "../kernel/shell/interpreter.ts"
import type { ScriptPlan } from "../script/ScriptPlan.ts"
import { type FileRedirect, type Span, staticText } from "../shell-language/ShellLanguage.ts"
import type { CommandDecision } from "./ExplainedCommand.ts"
import { ProgramDecisions } from "./ProgramDecisions.ts"
import type { ScriptCall, ScriptCalls } from "./readScriptCalls.ts"
import { exportedBy, type PartlyKnown, type ScriptChange } from "./scriptChanges.ts"
import { type StartState, statesOf } from "./scriptState.ts"

const unknown: CommandDecision = { _tag: "Unknown" }
const builtin: CommandDecision = { _tag: "Builtin" }

/** Builtins that run their arguments, or change which command a name means. */
const runsWords: ReadonlySet<string> = new Set(". alias builtin compgen enable eval source trap".split(" "))

/** Builtins that change the folder or the variables of later commands. */
const changesOthers: ReadonlySet<string> = new Set(
  "cd declare export getopts local mapfile popd printf pushd read readarray readonly set typeset unset".split(" "),
)

/** Builtins that evaluate subscripts or arithmetic in their words. */
const evaluatesWords: ReadonlySet<string> = new Set(
  "[ declare export getopts let local mapfile printf read readarray readonly test typeset unset wait".split(" "),
)

const mayChangeOthers = ([name = "", first]: PartlyKnown): boolean =>
  changesOthers.has(name) && !(name === "printf" && first?.startsWith("-") === false) &&
  !(name === "set" && first === "--")

export class ScriptExplanation {
  readonly #plan: ScriptPlan
  readonly #script: ScriptCalls
  readonly #exported: ReadonlySet<string> | "all"
  readonly #known = new Map<string, ReadonlyArray<StartState>>()
  readonly #programs: ProgramDecisions

  constructor(plan: ScriptPlan, script: ScriptCalls) {
    this.#plan = plan
    this.#programs = new ProgramDecisions(plan)
    this.#script = script
    const exported = script.calls.map(({ words }) => exportedBy(words))
    this.#exported = exported.includes("all") ? "all" : new Set(exported.flat())
  }

  call({ isDeferred, node, words }: ScriptCall): CommandDecision {
    const own = new Map(
      node.assignments.map(({ append, name, value }) =>
        [name, append || value._tag === "ArrayLiteral" ? undefined : staticText(value)] as const
      ),
    )
    const states = this.#states(node.span, isDeferred, own)
    const [name] = words
    if (name === undefined) return unknown
    if (name !== "command" && name !== "exec") return this.#named(words, node.span, isDeferred, states)
    if (words.length === 1 || (name === "command" && /^-[vV]$/.test(words[1] ?? ""))) return builtin
    return words[1]?.startsWith("-") === false && !runsWords.has(words[1])
      ? this.#unbound(words.slice(1), states)
      : unknown
  }

  /** The decision about a file of a redirection; `undefined` for one that may be opened. */
  redirect(node: FileRedirect, isDeferred: boolean): CommandDecision | undefined {
    const { operator, target } = node
    const path = staticText(target)
    if (operator === "<<<" || (/&$/.test(operator) && path !== undefined && /^\d*-?$/.test(path))) return undefined
    const write = operator !== "<"
    const states = path === undefined ? undefined : this.#states(node.span, isDeferred, new Map())
    if (path === undefined || states === undefined) return unknown
    const refused = states.map(({ directory }) => this.#plan.refuseOpen(path, { write, read: !write }, directory))
    const [first] = refused
    if (refused.every((each) => each === undefined)) return undefined
    return first !== undefined && !refused.includes(undefined) ? { _tag: "Refused", message: first.message } : unknown
  }

  #states(
    { start }: Span,
    isDeferred: boolean,
    own: ReadonlyMap<string, string | undefined>,
  ): ReadonlyArray<StartState> | undefined {
    const holds = ({ range }: ScriptChange): boolean => isDeferred || (range.start <= start && start < range.end)
    const changes = this.#script.changes.filter(holds)
    const key = JSON.stringify([changes, [...own]])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const states = statesOf(this.#plan, { changes, exported: this.#exported, own })
    if (states !== undefined) this.#known.set(key, states)
    return states
  }

  /** A command that may be a function. */
  #named(
    words: PartlyKnown,
    span: Span,
    isDeferred: boolean,
    states: ReadonlyArray<StartState> | undefined,
  ): CommandDecision {
    const [name = ""] = words
    if (!this.#script.functions.has(name)) return this.#unbound(words, states)
    const end = this.#script.functions.get(name)
    return end !== undefined && end <= span.start && !isDeferred ? builtin : unknown
  }

  #unbound(words: PartlyKnown, states: ReadonlyArray<StartState> | undefined): CommandDecision {
    const [name = ""] = words
    const texts = words.filter((word) => word !== undefined)
    const isKnown = texts.length === words.length
    if (interpreter.builtins.has(name) && this.#plan.hasBuiltin(name)) {
      return runsWords.has(name) || (!isKnown && mayChangeOthers(words)) || this.#mayRun(texts) ? unknown : builtin
    }
    if (isKnown && states !== undefined) return this.#programs.decide(texts, states)
    const bare = this.#programs.start([name], { directory: this.#plan.cwd, env: new Map(this.#plan.env) })
    const isUnlisted = bare._tag === "Refused" && bare.fault.reason._tag === "NotAllowed" &&
      bare.fault.reason.policy === "allowedCommands"
    return isUnlisted && !name.includes("/") ? { _tag: "Refused", message: bare.fault.message } : unknown
  }

  /** Whether a builtin may run commands from its words or from `PS4`, or remove a function. */
  #mayRun([name = "", ...words]: ReadonlyArray<string>): boolean {
    const { changes, functions } = this.#script
    if (name === "unset" && words.some((word) => word.startsWith("-") || functions.has(word))) return true
    if (name === "set" && changes.some((change) => change._tag === "Set" && change.name === "PS4")) return true
    // As subscripts: `read 'a[$(b)]'`.
    return evaluatesWords.has(name) && words.some((word) => /\$\(|`/.test(word))
  }
}
