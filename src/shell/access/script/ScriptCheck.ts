/**
 * A script, command by command.
 *
 * @module
 */
import * as Result from "effect/Result"
import {
  evaluations,
  type FunctionDefinition,
  type Node,
  parse,
  type Script,
  type SimpleCommand,
  walk,
  type Word,
} from "../../../shell-language/ShellLanguage.ts"
import type { Argument } from "../Argument.ts"
import { textsOf } from "../Argument.ts"
import { commandRefusal } from "../commandRefusal.ts"
import type { SeenFile } from "../LeafFiles.ts"
import { shown } from "../names.ts"
import { notAllowed, notListed, type Refusal, undecided } from "../Refusal.ts"
import { argumentRefusal, type Rules } from "../Rules.ts"
import { argumentsOf, textOf } from "../words.ts"
import { builtins, givesValues, isPlainSet, isPlainShopt } from "./builtins.ts"
import { type Functions, functionsOf, thereAt } from "./functions.ts"
import { redirectRefusal } from "./redirect.ts"
import { refuse, Refused, refuseIf } from "./Refused.ts"
import { Variables } from "./Variables.ts"

/** How many texts that are scripts (`eval`, `trap`) may stand one within another. */
const mostNested = 4

/** Half of what Linux takes as one argument. A caller must not keep the server busy with reading. */
const mostCharacters = 65_536

/** Nodes of a script's tree: some 4,000 commands. */
const mostNodes = 20_000

/** Looks at a script, and at the texts in it that are scripts too. */
export class ScriptCheck {
  readonly #rules: Rules
  /** The programs by the names that the script has for them. */
  readonly #programs = new Map<string, SeenFile>()
  readonly #texts: Array<string> = []
  readonly #variables: Variables
  #functions: Functions = new Map()
  #nodes = 0

  private constructor(rules: Rules) {
    this.#rules = rules
    this.#variables = new Variables(rules)
  }

  /** The programs that a script calls by name, or why it may not run. */
  static check(rules: Rules, text: string): Result.Result<ReadonlyMap<string, SeenFile>, Refusal> {
    const check = new ScriptCheck(rules)
    try {
      check.#script(text, [], 0)
      check.#evaluations()
      return Result.succeed(check.#programs)
    } catch (failure) {
      if (failure instanceof Refused) return Result.fail(failure.refusal)
      throw failure
    }
  }

  #parse(text: string): Script {
    if (text.length > mostCharacters) {
      refuse("", `the script has more than ${mostCharacters} characters`)
    }
    // Characters that bash keeps for itself, and that no script needs.
    // deno-lint-ignore no-control-regex
    if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) refuse("", "the script has control characters")
    const parsed = parse(text)
    if (parsed._tag === "Success") return parsed.success
    const { message } = parsed.failure
    refuse("", `the script cannot be read (${message})`)
  }

  #script(text: string, before: Iterable<string>, depth: number): void {
    if (depth > mostNested) refuse("", "the script has texts within texts that are scripts")
    const script = this.#parse(text)
    this.#texts.push(text)
    const outer = this.#functions
    this.#functions = functionsOf(script.statements, before)
    walk(script, (node) => {
      if (++this.#nodes > mostNodes) refuse("", "the script has too many commands")
      if (node._tag === "FunctionDefinition") this.#function(node)
    })
    walk(script, (node) => this.#look(node, depth))
    this.#functions = outer
  }

  /**
   * What bash evaluates beyond commands, with all texts as one: what one gives a variable, another may evaluate. None
   * takes in the next, for each is whole: its here-documents are closed, and a last backslash takes one newline only.
   */
  #evaluations(): void {
    const [first] = evaluations(this.#parse(this.#texts.join("\n\n")))
    if (first !== undefined) {
      refuse(first.what, `what bash would make of ${first.what} is not known`)
    }
  }

  #function({ name }: FunctionDefinition): void {
    if (!/^[\w.:-]+$/.test(name)) refuse(name, `${shown(name)} is no plain name for a function`)
    this.#variables.functions.add(name)
  }

  #look(node: Node, depth: number): void {
    this.#variables.look(node)
    switch (node._tag) {
      case "SimpleCommand":
        return this.#simple(node, depth)
      case "FileRedirect":
        return refuseIf(redirectRefusal(node, this.#rules.policy.redirects ?? "none"))
      case "HereDocument":
        return node.closed ? undefined : refuse("<<", "the script has a here-document without its end")
      case "BadSubstitution":
        return refuse("${", "the script has an expansion that bash versions read differently")
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
    if (name === undefined) refuse("", "a command's name is only known when it runs")
    const kind = builtins.get(name)
    const args = rest.flatMap(argumentsOf)
    if (kind !== undefined) {
      // What a rule says of a command holds for the builtin of that name.
      refuseIf(argumentRefusal(this.#rules, name, args))
      if (kind === "refused") {
        throw new Refused(notAllowed("script", name, `the builtin ${name} is not allowed in a script`))
      }
      if (kind === "listed" && !this.#isFree(name) && !this.#rules.commands.names(name)) {
        throw new Refused(notListed(name))
      }
      return this.#builtin(name, rest, args, call)
    }
    const defined = this.#functions.get(name)
    if (call.functions && defined !== undefined && defined <= call.place) return
    this.#program(name, args)
  }

  /** To go elsewhere is part of the language, unless directories are restricted. */
  #isFree(name: string): boolean {
    return this.#rules.policy.allowedCwdRoots === undefined && /^(?:cd|pushd|popd|dirs)$/.test(name)
  }

  #program(name: string, args: ReadonlyArray<Argument>): void {
    if (name.includes("/") && !name.startsWith("/")) {
      refuse(name, `${shown(name)} is a relative path: name the command, or its absolute path`)
    }
    const allowed = this.#rules.commands.allowInScript(name)
    if (Result.isFailure(allowed)) throw new Refused(allowed.failure)
    if (allowed.success !== undefined && !name.includes("/")) this.#programs.set(name, allowed.success)
    refuseIf(commandRefusal(this.#rules, name, allowed.success, args))
  }

  #builtin(
    name: string,
    rest: ReadonlyArray<Word>,
    args: ReadonlyArray<Argument>,
    call: { readonly depth: number; readonly place: number },
  ): void {
    const texts = args.map(({ text }) => text)
    const untold = (): Refused => new Refused(undecided(name, `what ${name} would do is only known when it runs`))
    if (givesValues.has(name)) this.#variables.named(name, texts)
    if (name === "let") this.#variables.arithmetic(rest)
    switch (name) {
      case "set":
        if (!isPlainSet(texts)) throw untold()
        return
      case "shopt":
        if (!isPlainShopt(texts)) throw untold()
        return
      case "command":
      case "builtin":
      case "exec":
        return this.#wrapped(name, rest, call)
      case "eval": {
        const known = textsOf(args)
        if (known === undefined) throw untold()
        return this.#script(known.join(" "), thereAt(this.#functions, call.place), call.depth + 1)
      }
      case "trap": {
        const [handler, ...signals] = texts[0] === "--" ? texts.slice(1) : texts
        if (texts.length === 0 || /^-[lp]$/.test(handler ?? "")) return
        if (handler === undefined) throw untold()
        if (handler === "" || handler === "-" || signals.length === 0) return
        return this.#script(handler, thereAt(this.#functions, call.place), call.depth + 1)
      }
    }
  }

  /** `command name …`, `builtin name …`, `exec name …`. */
  #wrapped(
    name: string,
    rest: ReadonlyArray<Word>,
    call: { readonly depth: number; readonly place: number },
  ): void {
    let at = 0
    for (;;) {
      const text = textOf(rest[at] ?? unknownWord)
      if (text === undefined) break
      if (text === "--") {
        at++
        break
      }
      if (!text.startsWith("-")) break
      if (name === "command" && /^-[vV]+$/.test(text)) return
      // `-p` looks elsewhere for programs, `-c` takes the environment away.
      if (name !== "exec" || !/^-(?:l|l?a)$/.test(text)) {
        refuse(name, `${name} ${shown(text)} is not allowed`)
      }
      // The name that `-a` takes must be one word, or another of its words would be the command.
      if (text.endsWith("a") && textOf(rest[++at] ?? unknownWord) === undefined) {
        refuse(name, `what ${name} would run is only known when it runs`)
      }
      at++
    }
    const first = rest[at]
    if (first === undefined) {
      return
    }
    const inner = textOf(first)
    const others = rest.slice(at + 1)
    if (name === "builtin" && (inner === undefined || !builtins.has(inner))) {
      refuse(name, `what ${name} would run is only known when it runs`)
    }
    if (name === "exec") {
      if (inner === undefined) refuse(name, "what exec would run is only known when it runs")
      return this.#program(inner, others.flatMap(argumentsOf))
    }
    this.#call(first, others, { ...call, functions: false })
  }
}

/** Stands for a word that is not there. */
const unknownWord: Word = {
  _tag: "Word",
  parts: [{ _tag: "BadSubstitution", parts: [], span: { start: 0, end: 0 } }],
  braces: false,
  span: { start: 0, end: 0 },
}
