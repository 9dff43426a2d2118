/** Compiles the expressions of a program, each to instructions that leave its value on the stack. */
import type { AwkRegexes } from "./AwkRegexes.ts"
import { builtinList, builtins } from "./builtins.ts"
import { Op, specials } from "./Code.ts"
import type { CodeWriter } from "./CodeWriter.ts"
import { failCompilation } from "./failCompilation.ts"
import { inferTables, isTableArgument, scopedName } from "./inferTables.ts"
import type { AwkProgram, BinaryOperator, Element, Expression, Target, Variable } from "./Syntax.ts"

const binaryOps: Readonly<Record<BinaryOperator, number>> = {
  ...{ "+": Op.add, "-": Op.subtract, "*": Op.multiply, "/": Op.divide, "%": Op.modulo, "^": Op.power },
  ...{
    "<": Op.less,
    "<=": Op.lessOrEqual,
    "==": Op.equal,
    "!=": Op.notEqual,
    ">": Op.greater,
    ">=": Op.greaterOrEqual,
  },
}

const specialIndex = (name: string): number => specials.findIndex((special) => special === name)

/** The function around an expression, if there is one. */
export interface LexicalScope {
  readonly function: string | undefined
  readonly params: ReadonlyArray<string>
}

export class ExpressionCompiler {
  /** Slots of the names that are in scope. */
  scope: LexicalScope = { function: undefined, params: [] }
  readonly globals: Map<string, number> = new Map()
  readonly #code: CodeWriter
  readonly #program: AwkProgram
  readonly #regexes: AwkRegexes
  readonly #tables: ReadonlySet<string>

  constructor(program: AwkProgram, regexes: AwkRegexes, code: CodeWriter) {
    this.#program = program
    this.#regexes = regexes
    this.#code = code
    this.#tables = inferTables(program)
  }

  #slot(name: string): number {
    const known = this.globals.get(name)
    if (known !== undefined) return known
    const slot = this.globals.size
    this.globals.set(name, slot)
    return slot
  }

  #isTable({ name }: Variable): boolean {
    return this.#tables.has(scopedName(this.scope.function, this.scope.params, name))
  }

  matchConstant(source: string): void {
    this.#code.emit(Op.matchConstant, this.#code.addConstant(this.#regexes.get(source)))
  }

  /** A regular expression as an operand: a literal's text, or the value of an expression. */
  #pattern(expression: Expression, isSeparator = false): void {
    // As a text, one letter separates literally.
    const isLetter = isSeparator && expression._tag === "Regex" && expression.source.length === 1
    if (expression._tag === "Regex") this.#code.constant(isLetter ? `(${expression.source})` : expression.source)
    else this.expression(expression)
  }

  expression(expression: Expression): void {
    switch (expression._tag) {
      case "Number":
        return this.#code.constant(expression.value)
      case "Text":
        return this.#code.constant(expression.text)
      case "Regex":
        this.#code.constant(0)
        this.#code.field(Op.fieldText)
        return this.matchConstant(expression.source)
      case "Variable":
      case "Element":
      case "Field":
        return this.#load(expression)
      case "Assign": {
        const { operator, target, value } = expression
        this.#putPlace(target)
        if (operator !== undefined) {
          this.#loadPlaced(target)
          this.#operand(value, operator)
          this.#code.emit(binaryOps[operator])
        } else this.expression(value)
        return this.#storePlaced(target)
      }
      case "Increment":
        return this.#increment(expression)
      case "Unary":
        this.expression(expression.operand)
        return this.#code.emit({ "!": Op.not, "-": Op.negate, "+": Op.toNumber }[expression.operator])
      case "Binary":
        this.#operand(expression.left, expression.operator)
        this.#operand(expression.right, expression.operator)
        return this.#code.emit(binaryOps[expression.operator])
      case "Concat":
        this.text(expression.left)
        this.text(expression.right)
        return this.#code.emit(Op.concat)
      case "Match":
        this.text(expression.left)
        if (expression.right._tag === "Regex") this.matchConstant(expression.right.source)
        else {
          this.expression(expression.right)
          this.#code.emit(Op.match)
        }
        return expression.isNegated ? this.#code.emit(Op.not) : undefined
      case "Logical": {
        const isAnd = expression.operator === "&&"
        this.expression(expression.left)
        const short = this.#code.emitJump(isAnd ? Op.jumpIfFalse : Op.jumpIfTrue)
        this.expression(expression.right)
        this.#code.emit(Op.toTruth)
        const end = this.#code.emitJump(Op.jump)
        this.#code.land(short)
        this.#code.constant(isAnd ? 0 : 1)
        return this.#code.land(end)
      }
      case "Conditional": {
        this.expression(expression.test)
        const otherwise = this.#code.emitJump(Op.jumpIfFalse)
        this.expression(expression.then)
        const end = this.#code.emitJump(Op.jump)
        this.#code.land(otherwise)
        this.expression(expression.otherwise)
        return this.#code.land(end)
      }
      case "In":
        this.table(expression.table)
        this.keys(expression.keys)
        return this.#code.emit(Op.isIn)
      case "Call":
        return this.#call(expression)
      case "Builtin":
        return this.#builtin(expression)
      case "Getline":
        return this.#getline(expression)
      case "Group":
        return failCompilation("a list in parentheses stands where a value is expected")
    }
  }

  /** An operand of which only the text is used. */
  text(expression: Expression): void {
    if (expression._tag !== "Field") return this.expression(expression)
    this.expression(expression.index)
    this.#code.field(Op.fieldText)
  }

  /** An operand of arithmetic, of which only the number is used, or of a comparison. */
  #operand(expression: Expression, operator: BinaryOperator): void {
    if (expression._tag !== "Field" || !"+-*/%^".includes(operator)) return this.expression(expression)
    this.expression(expression.index)
    this.#code.field(Op.fieldNumber)
  }

  keys(keys: ReadonlyArray<Expression>): void {
    for (const key of keys) this.text(key)
    if (keys.length !== 1) this.#code.emit(Op.joinKeys, keys.length)
  }

  table(table: Variable | Element): void {
    if (table._tag === "Element") {
      this.table(table.table)
      this.keys(table.keys)
      return this.#code.emit(Op.subTable)
    }
    if (specialIndex(table.name) >= 0 || this.#program.functions.has(table.name)) {
      failCompilation(`${table.name} is used as an array`)
    }
    const local = this.scope.params.indexOf(table.name)
    if (local >= 0) this.#code.emit(Op.localTable, local)
    else this.#code.emit(Op.globalTable, this.#slot(table.name))
  }

  /** Puts the operands of a target on the stack: none for a variable. */
  #putPlace(target: Target): void {
    if (target._tag === "Field") this.expression(target.index)
    else if (target._tag === "Element") {
      this.table(target.table)
      this.keys(target.keys)
    }
  }

  #load(target: Target): void {
    this.#putPlace(target)
    if (target._tag === "Field") this.#code.field(Op.field)
    else if (target._tag === "Element") this.#code.emit(Op.element)
    else this.#variable(target, false)
  }

  /** Loads a target whose location is on the stack and stays there. */
  #loadPlaced(target: Target): void {
    if (target._tag === "Variable") return this.#variable(target, false)
    this.#code.emit(target._tag === "Field" ? Op.duplicate : Op.duplicateTwo)
    this.#code.emit(target._tag === "Field" ? Op.field : Op.element)
  }

  #storePlaced(target: Target): void {
    if (target._tag === "Variable") this.#variable(target, true)
    else this.#code.emit(target._tag === "Field" ? Op.storeField : Op.storeElement)
  }

  store(target: Variable): void {
    this.#variable(target, true)
  }

  #variable(variable: Variable, isStore: boolean): void {
    const { name } = variable
    if (this.#isTable(variable)) failCompilation(`the array ${name} is used as a single value`)
    if (this.#program.functions.has(name)) failCompilation(`the function ${name} is used as a variable`)
    const local = this.scope.params.indexOf(name)
    const special = specialIndex(name)
    if (local >= 0) this.#code.emit(isStore ? Op.storeLocal : Op.loadLocal, local)
    else if (special >= 0) this.#code.emit(isStore ? Op.storeSpecial : Op.loadSpecial, special)
    else this.#code.emit(isStore ? Op.storeGlobal : Op.loadGlobal, this.#slot(name))
  }

  #increment({ by, isPrefix, target }: Expression & { readonly _tag: "Increment" }): void {
    this.#putPlace(target)
    if (target._tag !== "Variable") {
      return this.#code.emit(target._tag === "Field" ? Op.incrementField : Op.incrementElement, by, isPrefix ? 1 : 0)
    }
    this.#variable(target, false)
    this.#code.emit(Op.toNumber)
    if (!isPrefix) this.#code.emit(Op.duplicate)
    this.#code.constant(by)
    this.#code.emit(Op.add)
    this.#variable(target, true)
    if (!isPrefix) this.#code.pop()
  }

  #argument(argument: Expression, isTable: boolean): void {
    if (!isTable) return this.expression(argument)
    if (argument._tag !== "Variable" && argument._tag !== "Element") {
      return failCompilation("an array is expected as argument")
    }
    this.table(argument)
  }

  #call({ args, line, name }: Expression & { readonly _tag: "Call" }): void {
    const index = [...this.#program.functions.keys()].indexOf(name)
    const definition = this.#program.functions.get(name)
    if (definition === undefined) return failCompilation(`line ${line}: function ${name} is not defined`)
    if (args.length > definition.params.length) failCompilation(`line ${line}: function ${name} takes fewer arguments`)
    args.forEach((argument, at) => this.#argument(argument, this.#tables.has(`${name}:${definition.params[at] ?? ""}`)))
    this.#code.emit(Op.call, index, args.length)
  }

  #builtin({ args, line, name }: Expression & { readonly _tag: "Builtin" }): void {
    const builtin = builtins[name]
    if (builtin === undefined) return failCompilation(`line ${line}: ${name} is not supported`)
    const [min, max] = builtin.arity
    if (args.length < min || args.length > max) {
      failCompilation(`line ${line}: wrong number of arguments for ${name}`)
    }
    if (name === "sub" || name === "gsub") return this.#substitute(name === "gsub", args)
    args.forEach((argument, at) => {
      const isOptional = name === "length" || name === "typeof" || name === "isarray"
      const isTable = isTableArgument(name, at) ||
        (isOptional && argument._tag === "Variable" && this.#isTable(argument))
      if (isTable) this.#argument(argument, true)
      else if (builtin.patternAt === at) this.#pattern(argument, name === "split")
      else this.expression(argument)
    })
    this.#code.emit(Op.builtin, builtinList.indexOf(builtin), args.length)
  }

  #substitute(all: boolean, [pattern, replacement, given]: ReadonlyArray<Expression>): void {
    const target: Expression = given ?? { _tag: "Field", index: { _tag: "Number", value: 0 } }
    if (pattern === undefined || replacement === undefined) return
    const isTarget = target._tag === "Field" || target._tag === "Element" || target._tag === "Variable"
    if (isTarget) {
      this.#putPlace(target)
      this.#loadPlaced(target)
    } else this.expression(target)
    this.#pattern(pattern)
    this.expression(replacement)
    this.#code.emit(Op.substitute, all ? 1 : 0)
    if (isTarget) {
      this.#code.emit(Op.loadCount)
      const none = this.#code.emitJump(Op.jumpIfFalse)
      this.#code.emit(Op.loadReplaced)
      this.#storePlaced(target)
      this.#code.pop()
      const end = this.#code.emitJump(Op.jump)
      this.#code.land(none)
      for (let left = target._tag === "Field" ? 1 : target._tag === "Element" ? 2 : 0; left > 0; left--) {
        this.#code.pop()
      }
      this.#code.land(end)
    }
    this.#code.emit(Op.loadCount)
  }

  #getline({ from, source, target }: Expression & { readonly _tag: "Getline" }): void {
    if (source !== undefined) this.expression(source)
    this.#code.emit(Op.getline, from === "main" ? 0 : from === "file" ? 1 : 2)
    this.#code.emit(Op.duplicate)
    this.#code.constant(0)
    this.#code.emit(Op.greater)
    const end = this.#code.emitJump(Op.jumpIfFalse)
    if (target === undefined) this.#code.emit(Op.setRecord)
    else {
      this.#putPlace(target)
      this.#code.emit(Op.loadRead)
      this.#storePlaced(target)
      this.#code.pop()
    }
    this.#code.land(end)
  }
}
