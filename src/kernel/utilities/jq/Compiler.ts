/** Compiles the syntax tree of a jq program to nodes of the machine. */
import { applyAll, identity, makeNode, makeSimple } from "./FunctionNode.ts"
import { emptyArray, JqObject, makeObject, type Value } from "./values.ts"
import { frameAt, type FunctionCode, type FunctionScope, LexicalScope } from "./LexicalScope.ts"
import { BreakSignal, type Closure, Frame, type Machine, Node } from "./Machine.ts"
import { type Definition, type Pattern, type Syntax, SyntaxFailure } from "./Syntax.ts"
import { emitKey, NodeChoice, withResult } from "./choices.ts"
import { assign, foreachNode, reduceNode, update } from "./folds.ts"
import { shorten } from "./formatJson.ts"
import { checkText } from "./limits.ts"
import { fail } from "./JqError.ts"
import { natives } from "./natives.ts"
import {
  alternative,
  attempt,
  bind,
  bindAll,
  branch,
  collect,
  each,
  eachOptional,
  keyed,
  label,
  logic,
  makeFormat,
  type Match,
  type MatchStep,
  optional,
  pipe,
} from "./nodes.ts"
import { binaryFunctions, failType, splitText } from "./operators.ts"
import { getKey, sliceBounds } from "./paths.ts"
import { preludeOf } from "./prelude.ts"
import { specials } from "./specials.ts"
import { numberOf, typeName } from "./kinds.ts"

/** A parameter, whose closure can be passed on as it is. */
class ParameterNode extends Node {
  readonly #levels: number
  readonly #index: number

  constructor(levels: number, index: number) {
    super()
    this.#levels = levels
    this.#index = index
  }

  closure(frame: Frame): Closure {
    return frameAt(frame, this.#levels).closures[this.#index] ?? { node: identity, frame }
  }

  run(machine: Machine): void {
    const { frame, node } = this.closure(machine.frame)
    machine.node = node
    machine.frame = frame
  }
}

/** Compiles expressions and definitions; functions written in jq when they are first called. */
export class Compiler {
  readonly #prelude = new Map<string, FunctionCode>()
  readonly #root: FunctionScope

  constructor(root: FunctionScope) {
    this.#root = root
  }

  /** A scope with a definition, whose body sees itself. */
  define(definition: Definition, scope: LexicalScope): LexicalScope {
    const code: FunctionCode = {
      definition,
      scope: { level: scope.owner.level + 1, slots: 0 },
      entry: undefined,
    }
    const inner = scope.with({ _tag: "Function", name: definition.name, owner: scope.owner, code })
    this.#compileBody(code, inner)
    return inner
  }

  #compileBody(code: FunctionCode, outer: LexicalScope): void {
    const { body, params } = code.definition
    let scope = outer.enter(code.scope)
    const values: Array<readonly [index: number, slot: number]> = []
    params.forEach((param, index) => {
      const name = param.replace("$", "")
      scope = scope.with({ _tag: "Closure", name, owner: code.scope, index })
      if (name === param) return
      values.push([index, code.scope.slots])
      scope = scope.declare(name)
    })
    let entry = this.compile(body, scope)
    for (const [index, slot] of values.reverse()) {
      const inner = entry
      entry = makeNode((machine) =>
        withResult(machine, new ParameterNode(0, index), (_, result, before) => {
          machine.frame.slots[slot] = result
          before.restore(machine)
          machine.node = inner
        })
      )
    }
    code.entry = entry
  }

  compile(syntax: Syntax, scope: LexicalScope): Node {
    switch (syntax._tag) {
      case "Identity":
        return identity
      case "Literal": {
        const { value } = syntax
        return makeSimple(() => value)
      }
      case "Text":
        return this.#text(syntax.format, syntax.parts, scope)
      case "Format":
        return makeFormat(syntax.name)
      case "Index":
        return this.#index(syntax, scope)
      case "Slice":
        return this.#slice(syntax, scope)
      case "Each":
        return pipe(this.compile(syntax.of, scope), syntax.optional ? eachOptional : each)
      case "Array":
        return syntax.body === undefined ? makeSimple(emptyArray) : collect(this.compile(syntax.body, scope))
      case "Object":
        return this.#object(syntax.fields, scope)
      case "Negate":
        return pipe(
          this.compile(syntax.of, scope),
          makeSimple((value) => {
            const number = numberOf(value)
            return number === undefined ? failType(value, "cannot be negated") : -number
          }),
        )
      case "Pipe":
        return pipe(this.compile(syntax.left, scope), this.compile(syntax.right, scope))
      case "Comma": {
        const left = this.compile(syntax.left, scope)
        const right = this.compile(syntax.right, scope)
        return makeNode((machine) => {
          machine.choose(new NodeChoice(machine, right))
          machine.node = left
        })
      }
      case "And":
      case "Or":
        return logic(this.compile(syntax.left, scope), this.compile(syntax.right, scope), syntax._tag === "Or")
      case "Alternative":
        return alternative(this.compile(syntax.left, scope), this.compile(syntax.right, scope))
      case "Binary": {
        const apply = binaryFunctions[syntax.operator]
        return applyAll(
          [this.compile(syntax.left, scope), this.compile(syntax.right, scope)],
          (_, [left = null, right = null]) => apply(left, right),
          // Only the division of texts takes long.
          (machine, _, [text, separator]) => {
            if (typeof text === "string" && typeof separator === "string") machine.runSteps(splitText(text, separator))
          },
        )
      }
      case "Assign":
        return this.#assign(syntax.operator, syntax.left, syntax.right, scope)
      case "If":
        return branch(
          this.compile(syntax.condition, scope),
          this.compile(syntax.then, scope),
          this.compile(syntax.otherwise, scope),
        )
      case "Try":
        return attempt(
          this.compile(syntax.body, scope),
          syntax.handler === undefined ? undefined : this.compile(syntax.handler, scope),
        )
      case "Reduce": {
        const [inner, matches] = this.#patterns(syntax.patterns, scope)
        return reduceNode(
          this.compile(syntax.source, scope),
          bindAll(matches),
          this.compile(syntax.init, scope),
          this.compile(syntax.update, inner),
        )
      }
      case "Foreach": {
        const [inner, matches] = this.#patterns(syntax.patterns, scope)
        return foreachNode(
          this.compile(syntax.source, scope),
          bindAll(matches),
          this.compile(syntax.init, scope),
          this.compile(syntax.update, inner),
          syntax.extract === undefined ? undefined : this.compile(syntax.extract, inner),
        )
      }
      case "As": {
        const [inner, matches] = this.#patterns(syntax.patterns, scope)
        return bind(this.compile(syntax.source, scope), matches, this.compile(syntax.body, inner))
      }
      case "Define":
        return this.compile(syntax.body, this.define(syntax.definition, scope))
      case "Call":
        return this.#call(syntax.name, syntax.args, syntax.line, scope)
      case "Variable":
        return this.#variable(syntax.name, syntax.line, scope)
      case "Label": {
        const inner = scope.declare(syntax.name, "Label")
        const slot = scope.owner.slots - 1
        return label(this.compile(syntax.body, inner), slot)
      }
      case "Break": {
        const found = scope.find("Label", syntax.name)
        if (found === undefined) throw new SyntaxFailure(`$*label-${syntax.name} is not defined`, syntax.line)
        const levels = scope.owner.level - found.owner.level
        return makeNode((machine) => {
          throw new BreakSignal(frameAt(machine.frame, levels).slots[found.slot] ?? null)
        })
      }
    }
  }

  #variable(name: string, line: number, scope: LexicalScope): Node {
    const found = scope.find("Variable", name)
    if (found === undefined) {
      if (name === "ENV") return this.#call("env", [], line, scope)
      throw new SyntaxFailure(`$${name} is not defined`, line)
    }
    const { slot } = found
    const levels = scope.owner.level - found.owner.level
    return levels === 0
      ? makeSimple((_, frame) => frame.slots[slot] ?? null)
      : makeSimple((_, frame) => frameAt(frame, levels).slots[slot] ?? null)
  }

  #text(format: string, parts: ReadonlyArray<string | Syntax>, scope: LexicalScope): Node {
    if (parts.every((part) => typeof part === "string")) {
      const text = parts.join("")
      return makeSimple(() => text)
    }
    const nodes = parts.flatMap((part) => typeof part === "string" ? [] : [this.compile(part, scope)])
    const formatted = nodes.map((node) => pipe(node, makeFormat(format)))
    return applyAll(formatted, (_, results) => {
      let text = ""
      let next = 0
      for (const part of parts) {
        const piece = typeof part === "string" ? part : results[next++]
        if (typeof piece === "string") text += piece
      }
      checkText(text.length)
      return text
    })
  }

  #index(syntax: Extract<Syntax, { _tag: "Index" }>, scope: LexicalScope): Node {
    const key = this.compile(syntax.key, scope)
    const of = this.compile(syntax.of, scope)
    const constant = syntax.key._tag === "Literal" ? syntax.key.value : undefined
    if (constant !== undefined) {
      const node = makeNode(
        (machine) => emitKey(machine, machine.value, machine.path, constant),
        (value) => getKey(value, constant),
      )
      return pipe(of, syntax.optional ? optional(node) : node)
    }
    return keyed(key, of, syntax.optional)
  }

  #slice(syntax: Extract<Syntax, { _tag: "Slice" }>, scope: LexicalScope): Node {
    const none = makeSimple(() => null)
    const from = syntax.from === undefined ? none : this.compile(syntax.from, scope)
    const to = syntax.to === undefined ? none : this.compile(syntax.to, scope)
    const bounds = applyAll([from, to], (_, [start = null, end = null]) => {
      if (start !== null && numberOf(start) === undefined || end !== null && numberOf(end) === undefined) {
        sliceBounds(0, start, end)
      }
      return makeObject({ start, end })
    })
    return keyed(bounds, this.compile(syntax.of, scope), syntax.optional)
  }

  #object(fields: ReadonlyArray<readonly [key: Syntax, value: Syntax]>, scope: LexicalScope): Node {
    // The first fields change slowest: arguments are evaluated from the last one.
    const nodes = fields.flatMap(([key, value]) => [this.compile(key, scope), this.compile(value, scope)]).reverse()
    return applyAll(nodes, (_, results) => {
      const entries = new Map<string, Value>()
      for (let at = results.length - 1; at > 0; at -= 2) {
        const key = results[at] ?? null
        if (typeof key !== "string") return fail(`Cannot use ${typeName(key)} (${shorten(key)}) as object key`)
        entries.set(key, results[at - 1] ?? null)
      }
      return new JqObject(entries)
    })
  }

  #assign(operator: string, left: Syntax, right: Syntax, scope: LexicalScope): Node {
    const paths = this.compile(left, scope)
    const value = this.compile(right, scope)
    if (operator === "=") return assign(paths, value)
    if (operator === "|=") return update(paths, value)
    const inner = scope.declare("*operand")
    const operand = scope.owner.slots - 1
    const variable: Syntax = { _tag: "Variable", name: "*operand", line: 0 }
    const input: Syntax = { _tag: "Identity" }
    const short = operator.slice(0, -1)
    const change = short === "//"
      ? this.compile({ _tag: "Alternative", left: input, right: variable }, inner)
      : this.compile({ _tag: "Binary", operator: binaryOf(short), left: input, right: variable }, inner)
    const match: Match = { slot: operand, steps: [], variables: [operand] }
    return bind(value, [match], update(paths, change))
  }

  #patterns(
    patterns: ReadonlyArray<Pattern>,
    outer: LexicalScope,
  ): readonly [scope: LexicalScope, matches: ReadonlyArray<Match>] {
    let scope = outer
    const names = new Map<string, number>()
    const nameSlot = (name: string): number => {
      const known = names.get(name)
      if (known !== undefined) return known
      const slot = outer.owner.slots
      scope = scope.declare(name)
      names.set(name, slot)
      return slot
    }
    const walk = (pattern: Pattern, from: number | undefined, steps: Array<MatchStep>): number => {
      if (pattern._tag === "Variable") return nameSlot(pattern.name)
      const own = from ?? outer.owner.slots++
      const parts: ReadonlyArray<readonly [key: Syntax, variable: string | undefined, pattern: Pattern | undefined]> =
        pattern._tag === "Array"
          ? pattern.items.map((item, at) => [{ _tag: "Literal", value: at }, undefined, item])
          : pattern.fields.map((field) => [field.key, field.variable, field.pattern])
      for (const [key, variable, part] of parts) {
        const node = this.compile(key, scope)
        const to = variable === undefined
          ? part?._tag === "Variable" ? nameSlot(part.name) : outer.owner.slots++
          : nameSlot(variable)
        const kind = (key: Node): Node => pattern._tag === "Array" ? key : checkKey(key)
        steps.push({ from: own, key: kind(node), to })
        if (part === undefined || part._tag === "Variable" && variable === undefined) continue
        if (part._tag === "Variable") steps.push({ from: own, key: kind(node), to: nameSlot(part.name) })
        else walk(part, to, steps)
      }
      return own
    }
    const matches = patterns.map((pattern): Match => {
      const steps: Array<MatchStep> = []
      const slot = walk(pattern, undefined, steps)
      return { slot, steps, variables: [] }
    })
    const variables = [...names.values()]
    return [scope, matches.map((match) => ({ ...match, variables }))]
  }

  #call(name: string, args: ReadonlyArray<Syntax>, line: number, scope: LexicalScope): Node {
    const found = scope.findCallable(name, args.length)
    if (found !== undefined) {
      const levels = scope.owner.level - found.owner.level
      if (found._tag === "Closure") return new ParameterNode(levels, found.index)
      return callNode(found.code, levels, args.map((arg) => this.compile(arg, scope)))
    }
    const key = `${name}/${args.length}`
    const special = Object.hasOwn(specials, key) ? specials[key] : undefined
    if (special !== undefined) return special(args.map((arg) => this.compile(arg, scope)))
    const native = Object.hasOwn(natives, key) ? natives[key] : undefined
    if (native !== undefined) {
      return applyAll(args.map((arg) => this.compile(arg, scope)), native.apply, native.finish, native.keepsPath)
    }
    const code = this.#preludeCode(key)
    if (code !== undefined) return callNode(code, scope.owner.level, args.map((arg) => this.compile(arg, scope)))
    throw new SyntaxFailure(`${key} is not defined`, line)
  }

  #preludeCode(key: string): FunctionCode | undefined {
    const known = this.#prelude.get(key)
    if (known !== undefined) return known
    const definition = preludeOf(key)
    if (definition === undefined) return undefined
    const code: FunctionCode = { definition, scope: { level: 1, slots: 0 }, entry: undefined }
    this.#prelude.set(key, code)
    this.#compileBody(
      code,
      new LexicalScope(this.#root).with({ _tag: "Function", name: definition.name, owner: this.#root, code }),
    )
    return code
  }
}

const binaryOf = (text: string): "+" | "-" | "*" | "/" | "%" =>
  text === "+" || text === "-" || text === "*" || text === "/" ? text : "%"

const checkKey = (key: Node): Node =>
  pipe(
    key,
    makeSimple((value) => typeof value === "string" ? value : fail(`Cannot index object with ${typeName(value)}`)),
  )

const callNode = (code: FunctionCode, levels: number, args: ReadonlyArray<Node>): Node =>
  makeNode((machine) => {
    const caller = machine.frame
    const frame = new Frame(frameAt(caller, levels))
    if (args.length > 0) {
      frame.closures = args.map((node) =>
        node instanceof ParameterNode ? node.closure(caller) : { node, frame: caller }
      )
    }
    machine.frame = frame
    machine.node = code.entry
  })
