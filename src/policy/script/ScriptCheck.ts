/**
 * Checks each command, redirection and variable of a script against the compiled rules; returns the canonical text that
 * bash may run, its programs, the variables that no command may be given, and the bash functions to put before it.
 *
 * @module
 */
import * as Result from "effect/Result"
import {
  type FunctionDefinition,
  type Node,
  type SimpleCommand,
  walk,
  type Word,
} from "../../shell-language/ShellLanguage.ts"
import type { Argument } from "../Argument.ts"
import { knownTexts } from "../Argument.ts"
import { checkArguments } from "../checkArguments.ts"
import type { FileSnapshot } from "../../shell/LeafFiles.ts"
import { quoteForMessage } from "../nameMatcher.ts"
import { notAllowed, notListed, type Refusal } from "../Refusal.ts"
import { checkArgumentRule, type CompiledRules } from "../CompiledRules.ts"
import { argumentsOf, knownPrograms, textOf } from "../wordArguments.ts"
import { builtins, givesValues, isPlainSet, isPlainShopt } from "./builtins.ts"
import { collectFunctions, isDefinedAt, type ScriptFunctions } from "./scriptFunctions.ts"
import { makePrelude } from "./prelude.ts"
import { checkRedirect } from "./checkRedirect.ts"
import { refuse, RefusedError, refuseIf } from "./RefusedError.ts"
import { canonicalText, groupOf, ScriptTexts, textWithFiles } from "./ScriptTexts.ts"
import { ScriptVariables } from "./ScriptVariables.ts"
import { unwrapCommand } from "./unwrapCommand.ts"

/** Nodes of a script's tree: some 4,000 commands. */
const maxNodes = 20_000

/** What is known of a script that may run. */
export interface CheckedScript {
  /** The script as it was read: its canonical text, which is what runs. */
  readonly text: string
  /** The programs by the names that it has for them. */
  readonly programs: ReadonlyMap<string, FileSnapshot>
  /** Variables that it sets, and that no command may be given. */
  readonly kept: ReadonlySet<string>
  /** Functions that have to stand before it. */
  readonly prelude: string
}

/** Looks at a script, and at the texts in it that are scripts too. */
export class ScriptCheck {
  readonly #rules: CompiledRules
  /** The programs by the names that the script has for them. */
  readonly #programs = new Map<string, FileSnapshot>()
  readonly #texts = new ScriptTexts()
  readonly #variables: ScriptVariables
  #functions: ScriptFunctions = new Map()
  #nodes = 0
  /** It changes to directories that can be checked only when it runs. */
  #movesAbout = false

  private constructor(rules: CompiledRules) {
    this.#rules = { ...rules, environment: rules.scriptEnvironment }
    this.#variables = new ScriptVariables(this.#rules)
  }

  /** What a script calls and keeps, or why it may not run. */
  static check(rules: CompiledRules, text: string): Result.Result<CheckedScript, Refusal> {
    const check = new ScriptCheck(rules)
    try {
      const canonical = canonicalText(text, 0)
      check.#script(canonical, [], 0)
      if (!rules.lenient) check.#texts.refuseEvaluations()
      const files = rules.policy.redirects === "roots"
      const { kept } = check.#variables
      return Result.map(check.#prelude(files), (prelude) => ({
        text: files ? textWithFiles(canonical) : canonical,
        programs: check.#programs,
        kept,
        prelude,
      }))
    } catch (failure) {
      if (failure instanceof RefusedError) return Result.fail(failure.refusal)
      throw failure
    }
  }

  /** What keeps the script below the roots. */
  #prelude(files: boolean): Result.Result<string, Refusal> {
    const { guardsRepositories, roots } = this.#rules
    const needs = { files, directories: this.#movesAbout, repositories: guardsRepositories }
    if (!files && !this.#movesAbout) return Result.succeed("")
    return Result.map(roots?.() ?? Result.succeed(["/"]), (places) => makePrelude(places, needs))
  }

  #script(text: string, before: Iterable<string>, depth: number): void {
    const script = this.#texts.read(text, depth)
    const outer = this.#functions
    this.#functions = collectFunctions((depth === 0 ? undefined : groupOf(script)) ?? script.statements, before)
    walk(script, (node) => {
      if (++this.#nodes > maxNodes) refuse("", "the script has too many commands")
      if (node._tag === "FunctionDefinition") this.#function(node)
    })
    walk(script, (node) => this.#look(node, depth))
    this.#functions = outer
  }

  #function({ name }: FunctionDefinition): void {
    if (!/^[\w.:-]+$/.test(name)) refuse(name, `${quoteForMessage(name)} is no plain name for a function`)
    if (name.startsWith("SLUICE_")) refuse(name, `a function may not have the name ${name}`)
    // What is known of them would be taken for known of it.
    if (builtins.has(name) || knownPrograms.has(name)) refuse(name, `a function may not have the name ${name}`)
    this.#variables.functions.add(name)
  }

  #look(node: Node, depth: number): void {
    this.#variables.look(node)
    switch (node._tag) {
      case "SimpleCommand":
        return this.#simple(node, depth)
      case "FileRedirect":
        return refuseIf(checkRedirect(node, this.#rules.policy.redirects ?? "none"))
      case "DoubleQuoted":
        return node.localized ? refuse('$"', "the script has a text that is translated") : undefined
    }
  }

  #simple({ assignments, span, words }: SimpleCommand, depth: number): void {
    const [first, ...rest] = words
    if (first === undefined) return
    for (const assignment of assignments) {
      // `IFS= read -r line`: for that one command, which splits its input by it and nothing else.
      if (assignment.name === "IFS" && textOf(first) === "read") this.#variables.harmless.add(assignment)
      else this.#variables.pass(assignment.name)
    }
    this.#call(first, rest, { depth, place: span.start, functions: true })
  }

  /** Looks at a command that the shell itself would find: a builtin, a function, a program. */
  #call(
    first: Word,
    rest: ReadonlyArray<Word>,
    call: { readonly depth: number; readonly place: number; readonly functions: boolean },
  ): void {
    const name = textOf(first)
    if (name === undefined) return this.#untold("", "a command's name is only known when it runs")
    const kind = builtins.get(name)
    const args = rest.flatMap(argumentsOf)
    if (kind !== undefined) {
      // What a rule says of a command holds for the builtin of that name.
      refuseIf(checkArgumentRule(this.#rules, name, args))
      if (kind === "refused" && !(this.#rules.lenient && (name === "." || name === "source"))) {
        throw new RefusedError(notAllowed("script", name, `the builtin ${name} is not allowed in a script`))
      }
      const isFree = kind === "listed" && this.#isFree(name, call.functions)
      if (kind === "listed" && !isFree && !this.#rules.commands.names(name)) {
        throw new RefusedError(notListed(name))
      }
      return this.#builtin(name, rest, args, call)
    }
    if (this.#rules.lenient && call.functions && this.#variables.functions.has(name)) return
    const defined = this.#functions.get(name)
    if (call.functions && defined !== undefined && defined <= call.place) return
    this.#program(name, args)
  }

  /** To go elsewhere is part of the language. Where directories are restricted a function looks at where it led to. */
  #isFree(name: string, functions: boolean): boolean {
    if (!/^(?:cd|pushd|popd|dirs)$/.test(name)) return false
    const { commands, files, guardsRepositories, policy } = this.#rules
    const isAnywhere = policy.allowedCwdRoots === undefined
    if (!isAnywhere && commands.names(name)) return false
    // `git apply` would write the settings of the repository in whose folder it stands.
    if (name === "dirs" || (isAnywhere && !guardsRepositories)) return true
    if (!functions || files === undefined || policy.shell === "leaf") return isAnywhere && functions
    this.#movesAbout = true
    return true
  }

  #program(name: string, args: ReadonlyArray<Argument>): void {
    if (name.includes("/") && !name.startsWith("/")) {
      refuse(name, `${quoteForMessage(name)} is a relative path: name the command, or its absolute path`)
    }
    const allowed = this.#rules.commands.allowInScript(name)
    if (Result.isFailure(allowed)) throw new RefusedError(allowed.failure)
    if (allowed.success !== undefined && !name.includes("/")) this.#programs.set(name, allowed.success)
    const refusal = checkArguments(this.#rules, name, allowed.success, args)
    // A program of the list could run whatever these arguments make this one run.
    const isMoot = refusal?.reason._tag === "NotAllowed" && /^(?:launchers|script)$/.test(refusal.reason.policy)
    if (!this.#rules.lenient || !isMoot) refuseIf(refusal)
  }

  /** Refuses what is only known when the script runs, where a list that bounds something keeps it from that. */
  #untold(value: string, issue: string): void {
    if (!this.#rules.lenient) refuse(value, issue)
  }

  #builtin(
    name: string,
    rest: ReadonlyArray<Word>,
    args: ReadonlyArray<Argument>,
    call: { readonly depth: number; readonly place: number },
  ): void {
    const texts = args.map(({ text }) => text)
    const issue = `what ${name} would do is only known when it runs`
    if (givesValues.has(name)) this.#variables.named(name, texts)
    if (name === "let") this.#variables.arithmetic(rest)
    switch (name) {
      case "set":
        // A trap within the functions of the prelude would run where these have not looked yet.
        if (this.#rules.roots !== undefined && texts.some((text) => /^-\w*T|^functrace$/.test(text ?? ""))) {
          refuse(name, issue)
        }
        return isPlainSet(texts) ? undefined : refuse(name, issue)
      case "shopt":
        return isPlainShopt(texts) ? undefined : refuse(name, issue)
      case "command":
      case "builtin":
      case "exec":
        return this.#wrapped(name, rest, call)
      case "eval": {
        const known = knownTexts(args)
        if (known === undefined) return this.#untold(name, issue)
        return this.#script(known.join(" "), isDefinedAt(this.#functions, call.place), call.depth + 1)
      }
      case "trap": {
        const [handler, ...signals] = texts[0] === "--" ? texts.slice(1) : texts
        if (texts.length === 0 || /^-[lp]$/.test(handler ?? "")) return
        if (handler === undefined) return this.#untold(name, issue)
        if (handler === "" || handler === "-" || signals.length === 0) return
        return this.#script(handler, isDefinedAt(this.#functions, call.place), call.depth + 1)
      }
    }
  }

  /** `command name …`, `builtin name …`, `exec name …`. */
  #wrapped(
    name: string,
    words: ReadonlyArray<Word>,
    call: { readonly depth: number; readonly place: number },
  ): void {
    const [first, ...others] = unwrapCommand(name, words)
    if (first === undefined) return
    if (name === "exec") return this.#program(textOf(first) ?? "", others.flatMap(argumentsOf))
    this.#call(first, others, { ...call, functions: false })
  }
}
