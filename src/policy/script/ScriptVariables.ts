/**
 * Finds the variables that a script assigns or exports, refuses those that the rules do not allow, and collects those
 * that no command may be given.
 *
 * @module
 */
import { type Node, walk, type Word, type WordPart } from "../../shell-language/ShellLanguage.ts"
import { mayHold, refusedVariable } from "../EnvironmentRule.ts"
import { type CompiledRules, isInherited } from "../CompiledRules.ts"
import { textOf } from "../wordArguments.ts"
import { refuse, RefusedError } from "./RefusedError.ts"

/** Builtins that assign nothing to a name without a value. */
const declares: ReadonlySet<string> = new Set(["declare", "export", "local", "readonly", "typeset", "unset"])

const arithmeticTest = /^-(?:eq|ne|lt|le|gt|ge)$/

/** Asks the rules about each variable; throws {@link RefusedError}. */
export class ScriptVariables {
  readonly #rules: CompiledRules
  /** Functions that must stay. */
  readonly functions: Set<string> = new Set(["cd", "pushd", "popd"])

  /** Names that are set, and that no command may be given. */
  readonly kept: Set<string> = new Set()

  /** Assignments that were looked at and may stand. */
  readonly harmless: Set<Node> = new Set()

  constructor(rules: CompiledRules) {
    this.#rules = rules
  }

  /** A variable that is given a value; `undefined`: one that is not known. */
  set(name: string, value?: string): void {
    const { environment, files, policy } = this.#rules
    // What commands inherit already, they are given with its new value; any other stays with the shell until it is exported.
    const inherited = isInherited(this.#rules, name)
    const isGiven = files !== undefined && inherited && policy.environment?.allow !== undefined
    const may = inherited ? environment.mayAssign(name) : environment.mayKeep(name)
    if (!mayHold(name, value) || !may || (isGiven && !environment.mayPass(name))) {
      throw new RefusedError(refusedVariable(name))
    }
    if (!environment.mayAssign(name)) this.kept.add(name)
  }

  /** A variable that commands are given. */
  pass(name: string): void {
    if (!this.#rules.environment.mayPass(name)) throw new RefusedError(refusedVariable(name))
  }

  /** Looks at what a node itself gives a value to. */
  look(node: Node): void {
    if (this.harmless.has(node)) return
    switch (node._tag) {
      case "Assignment":
        return this.set(node.name, node.append || node.value._tag === "ArrayLiteral" ? undefined : textOf(node.value))
      case "For":
      case "Select":
        return this.set(node.name)
      case "ArithmeticAssignment":
      case "ArithmeticUpdate":
        return this.set(node.target.name)
      case "ArithmeticText":
        return node.expression === undefined ? this.#namesIn(node.parts) : undefined
      case "ConditionBinary":
        return arithmeticTest.test(node.operator) ? this.arithmetic([node.left, node.right]) : undefined
      case "Parameter":
        return node.operation?._tag === "ParameterFallback" && node.operation.operator === "="
          ? this.set(node.name)
          : undefined
      case "FileRedirect":
      case "HereDocument":
        return node.variable === undefined ? undefined : this.set(node.variable.replace(/\[.*/s, ""))
    }
  }

  /** Words that bash takes for arithmetic although they are words: any name in them may be given a value. */
  arithmetic(words: ReadonlyArray<Word>): void {
    for (const { parts } of words) this.#namesIn(parts)
  }

  #namesIn(parts: ReadonlyArray<WordPart>): void {
    for (const part of parts) {
      walk(part, (node) => {
        if (node._tag !== "Literal" && node._tag !== "SingleQuoted" && node._tag !== "Escaped") return
        for (const [name] of node.value.matchAll(/[A-Za-z_]\w*/g)) this.set(name)
      })
    }
  }

  /** Names among the arguments of a builtin: whatever looks like one is taken for one. */
  named(builtin: string, texts: ReadonlyArray<string | undefined>): void {
    const isExport = builtin === "export" || texts.some((text) => /^[-+]\w*x/.test(text ?? ""))
    for (const [at, text] of texts.entries()) {
      if (text === undefined || (builtin === "printf" && texts[at - 1] !== "-v")) continue
      if (/^-\w*f/.test(text) && /^(?:unset|export|declare|local|typeset)$/.test(builtin)) {
        refuse(builtin, `${builtin} ${text} is not allowed`)
      }
      const name = /^[A-Za-z_]\w*/.exec(text)?.[0]
      if (builtin === "unset" && (this.functions.has(text) || this.functions.has(name ?? ""))) {
        refuse(builtin, `unset would take away the function ${text}`)
      }
      if (name === undefined) continue
      // With a value it is checked as an assignment too; without one only the export changes.
      this.set(name, declares.has(builtin) ? /=(.*)/s.exec(text)?.[1] ?? "" : undefined)
      if (isExport) this.pass(name)
    }
  }
}
