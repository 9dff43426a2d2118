/**
 * A script, command by command.
 *
 * @module
 */
import * as Result from "effect/Result"
import {
  type AndOr,
  type Arithmetic,
  type Assignment,
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
import { mayHold, refusedVariable } from "../EnvironmentRule.ts"
import type { SeenFile } from "../LeafFiles.ts"
import { shown } from "../names.ts"
import { notAllowed, notListed, type Refusal, undecided } from "../Refusal.ts"
import { argumentRefusal, type Rules } from "../Rules.ts"
import { argumentsOf, textOf } from "../words.ts"
import { builtins, givesValues, isPlainSet, isPlainShopt } from "./builtins.ts"
import { redirectRefusal } from "./redirect.ts"

/** Thrown inside, so that the first refusal ends the walk. */
class Refused {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    this.refusal = refusal
  }
}

/** Where a function is there for certain: from its definition to the end of the script. */
type Functions = ReadonlyMap<string, number>

/** The functions that a script defines whatever happens: its own statements, not in a subshell, a list or a condition. */
const functionsOf = (statements: ReadonlyArray<AndOr>, before: Iterable<string>): Functions => {
  const functions = new Map<string, number>()
  for (const name of before) functions.set(name, -1)
  for (const { background, pipelines } of statements) {
    const [pipeline, ...more] = pipelines
    const [command, ...others] = pipeline?.commands ?? []
    if (background || more.length > 0 || others.length > 0 || command?._tag !== "FunctionDefinition") continue
    // A redirection belongs to the body: the definition itself cannot fail.
    if (!functions.has(command.name)) functions.set(command.name, command.span.start)
  }
  return functions
}

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
  readonly #defined = new Set<string>()
  #functions: Functions = new Map()
  #nodes = 0

  private constructor(rules: Rules) {
    this.#rules = rules
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

  #refuse(refusal: Refusal | undefined): void {
    if (refusal !== undefined) throw new Refused(refusal)
  }

  #parse(text: string): Script {
    if (text.length > mostCharacters) {
      throw new Refused(undecided("", `the script has more than ${mostCharacters} characters`))
    }
    // Characters that bash keeps for itself, and that no script needs.
    // deno-lint-ignore no-control-regex
    if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) throw new Refused(undecided("", "the script has control characters"))
    const parsed = parse(text)
    if (parsed._tag === "Success") return parsed.success
    const { message } = parsed.failure
    throw new Refused(undecided("", `the script cannot be read (${message})`))
  }

  #script(text: string, before: Iterable<string>, depth: number): void {
    if (depth > mostNested) throw new Refused(undecided("", "the script has texts within texts that are scripts"))
    const script = this.#parse(text)
    this.#texts.push(text)
    const outer = this.#functions
    this.#functions = functionsOf(script.statements, before)
    walk(script, (node) => {
      if (++this.#nodes > mostNodes) throw new Refused(undecided("", "the script has too many commands"))
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
      throw new Refused(undecided(first.what, `what bash would make of ${first.what} is not known`))
    }
  }

  #function({ name }: FunctionDefinition): void {
    if (!/^[\w.:-]+$/.test(name)) throw new Refused(undecided(name, `${shown(name)} is no plain name for a function`))
    this.#defined.add(name)
  }

  #look(node: Node, depth: number): void {
    switch (node._tag) {
      case "SimpleCommand":
        return this.#simple(node, depth)
      case "Assignment":
        return this.#assign(node)
      case "For":
      case "Select":
        return this.#variable(node.name)
      case "ArithmeticAssignment":
      case "ArithmeticUpdate":
        return this.#target(node)
      case "Parameter":
        if (node.operation?._tag === "ParameterFallback" && node.operation.operator === "=") this.#variable(node.name)
        return
      case "FileRedirect":
        if (node.variable !== undefined) this.#variable(node.variable.replace(/\[.*/s, ""))
        return this.#refuse(redirectRefusal(node, this.#rules.policy.redirects ?? "none"))
      case "HereDocument":
        if (!node.closed) throw new Refused(undecided("<<", "the script has a here-document without its end"))
        return node.variable === undefined ? undefined : this.#variable(node.variable.replace(/\[.*/s, ""))
      case "BadSubstitution":
        throw new Refused(undecided("${", "the script has an expansion that bash versions read differently"))
      case "DoubleQuoted":
        if (node.localized) throw new Refused(undecided('$"', "the script has a text that is translated"))
    }
  }

  /** A variable that is given a value; `undefined`: one that is not known. */
  #variable(name: string, value?: string): void {
    if (!mayHold(name, value)) throw new Refused(refusedVariable(name))
    const { environment, files, policy } = this.#rules
    // What commands inherit already, they are given with its new value.
    const isInherited = policy.environment?.allow !== undefined && files?.variable(name) !== undefined
    if (!environment.mayAssign(name) || (isInherited && !environment.mayPass(name))) {
      throw new Refused(refusedVariable(name))
    }
  }

  #exported(name: string): void {
    if (!this.#rules.environment.mayPass(name)) throw new Refused(refusedVariable(name))
  }

  #assign({ append, name, value }: Assignment): void {
    this.#variable(name, append || value._tag === "ArrayLiteral" ? undefined : textOf(value))
  }

  #target({ target }: Extract<Arithmetic, { readonly _tag: "ArithmeticAssignment" | "ArithmeticUpdate" }>): void {
    this.#variable(target.name)
  }

  #simple({ assignments, span, words }: SimpleCommand, depth: number): void {
    const [first, ...rest] = words
    if (first === undefined) return
    for (const { name } of assignments) this.#exported(name)
    this.#call(first, rest, { depth, place: span.start, functions: true })
  }

  /** Looks at a command that the shell itself would find: a builtin, a function, a program. */
  #call(
    first: Word,
    rest: ReadonlyArray<Word>,
    call: { readonly depth: number; readonly place: number; readonly functions: boolean },
  ): void {
    const name = textOf(first)
    if (name === undefined) throw new Refused(undecided("", "a command's name is only known when it runs"))
    const kind = builtins.get(name)
    const args = rest.flatMap(argumentsOf)
    if (kind !== undefined) {
      // What a rule says of a command holds for the builtin of that name.
      this.#refuse(argumentRefusal(this.#rules, name, args))
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
      throw new Refused(undecided(name, `${shown(name)} is a relative path: name the command, or its absolute path`))
    }
    const allowed = this.#rules.commands.allowInScript(name)
    if (Result.isFailure(allowed)) throw new Refused(allowed.failure)
    if (allowed.success !== undefined && !name.includes("/")) this.#programs.set(name, allowed.success)
    this.#refuse(commandRefusal(this.#rules, name, allowed.success, args))
  }

  #builtin(
    name: string,
    rest: ReadonlyArray<Word>,
    args: ReadonlyArray<Argument>,
    call: { readonly depth: number; readonly place: number },
  ): void {
    const texts = args.map(({ text }) => text)
    const untold = (): Refused => new Refused(undecided(name, `what ${name} would do is only known when it runs`))
    if (givesValues.has(name)) this.#names(name, texts)
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
        return this.#wrapped(name, rest, texts, call)
      case "eval": {
        const known = textsOf(args)
        if (known === undefined) throw untold()
        return this.#script(known.join(" "), this.#before(call.place), call.depth + 1)
      }
      case "trap": {
        const [handler, ...signals] = texts[0] === "--" ? texts.slice(1) : texts
        if (texts.length === 0 || /^-[lp]$/.test(handler ?? "")) return
        if (handler === undefined) throw untold()
        if (handler === "" || handler === "-" || signals.length === 0) return
        return this.#script(handler, this.#before(call.place), call.depth + 1)
      }
    }
  }

  #before(place: number): ReadonlyArray<string> {
    return [...this.#functions].flatMap(([name, at]) => at <= place ? [name] : [])
  }

  /** `command name …`, `builtin name …`, `exec name …`. */
  #wrapped(
    name: string,
    rest: ReadonlyArray<Word>,
    texts: ReadonlyArray<string | undefined>,
    call: { readonly depth: number; readonly place: number },
  ): void {
    let at = 0
    // Words become more than one argument by braces, which are refused before the name: places are the same.
    while (rest[at] !== undefined && textOf(rest[at] ?? emptyWord) !== undefined) {
      const text = textOf(rest[at] ?? emptyWord) ?? ""
      if (text === "--") {
        at++
        break
      }
      if (!text.startsWith("-")) break
      if (name === "command" && /^-[vV]+$/.test(text)) return
      // `-p` looks elsewhere for programs, `-c` takes the environment away.
      if (name !== "exec" || !/^-(?:l|l?a)$/.test(text)) {
        throw new Refused(undecided(name, `${name} ${shown(text)} is not allowed`))
      }
      at += text.endsWith("a") ? 2 : 1
    }
    const first = rest[at]
    if (first === undefined) {
      if (texts.length > at) throw new Refused(undecided(name, `what ${name} would run is only known when it runs`))
      return
    }
    const inner = textOf(first)
    const others = rest.slice(at + 1)
    if (name === "builtin" && (inner === undefined || !builtins.has(inner))) {
      throw new Refused(undecided(name, `what ${name} would run is only known when it runs`))
    }
    if (name === "exec") {
      if (inner === undefined) throw new Refused(undecided(name, "what exec would run is only known when it runs"))
      return this.#program(inner, others.flatMap(argumentsOf))
    }
    this.#call(first, others, { ...call, functions: false })
  }

  /** Names of variables among arguments: whatever looks like one is taken for one. */
  #names(name: string, texts: ReadonlyArray<string | undefined>): void {
    const isExport = name === "export" || texts.some((text) => /^[-+]\w*x/.test(text ?? ""))
    for (const [at, text] of texts.entries()) {
      if (text === undefined) continue
      if (name === "printf" && texts[at - 1] !== "-v") continue
      if (/^-\w*f/.test(text) && (name === "unset" || name === "export" || name === "declare" || name === "typeset")) {
        throw new Refused(undecided(name, `${name} ${text} is not allowed`))
      }
      const variable = /^[A-Za-z_]\w*/.exec(text)?.[0]
      if (variable === undefined) continue
      // With a value it is looked at as an assignment too; without, nothing changes but who is told.
      this.#variable(variable, isDeclaration.has(name) ? /=(.*)/s.exec(text)?.[1] ?? "" : undefined)
      if (isExport) this.#exported(variable)
      if (name === "unset" && (this.#defined.has(variable) || this.#defined.has(text))) {
        throw new Refused(undecided(name, `unset would take away the function ${variable}`))
      }
    }
  }
}

/** Builtins of which a name alone gives no value. */
const isDeclaration: ReadonlySet<string> = new Set(["declare", "export", "local", "readonly", "typeset", "unset"])

const emptyWord: Word = { _tag: "Word", parts: [], braces: false, span: { start: 0, end: 0 } }
