/** Compiles an awk program to instructions for `Machine`. */
import { UtilityExit } from "../shared/UtilityExit.ts"
import type { AwkRegexes } from "./AwkRegexes.ts"
import { builtinList, builtins } from "./builtins.ts"
import { type Code, type CompiledFunction, Op, specials } from "./Code.ts"
import { inferTables, isTableArgument, scopedName } from "./inferTables.ts"
import type {
  AwkProgram,
  BinaryOperator,
  Element,
  Expression,
  Redirection,
  Statement,
  Target,
  Variable,
} from "./Syntax.ts"

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

const redirectionNumbers: Readonly<Record<Redirection["to"], number>> = { ">": 1, ">>": 2, "|": 3 }

const specialIndex = (name: string): number => specials.findIndex((special) => special === name)

interface Loop {
  readonly breaks: Array<number>
  readonly continues: Array<number>
  /** A `switch` has no `continue` of its own. */
  readonly isSwitch: boolean
}

/** The function and the loops around a statement. */
interface Place {
  readonly function: string | undefined
  readonly params: ReadonlyArray<string>
  readonly loops: Array<Loop>
}

class Compiler {
  readonly words: Array<number> = []
  readonly constants: Array<unknown> = []
  readonly globals = new Map<string, number>()
  readonly functions: Array<CompiledFunction> = []
  readonly #program: AwkProgram
  readonly #regexes: AwkRegexes
  readonly #tables: ReadonlySet<string>
  #ranges = 0
  #place: Place = { function: undefined, params: [], loops: [] }

  constructor(program: AwkProgram, regexes: AwkRegexes) {
    this.#program = program
    this.#regexes = regexes
    this.#tables = inferTables(program)
  }

  #fail(message: string): never {
    throw new UtilityExit(1, message)
  }

  #emit(...words: ReadonlyArray<number>): void {
    this.words.push(...words)
  }

  /** Emits a jump whose target is set later; returns where that is. */
  #emitJump(op: number): number {
    this.words.push(op, -1)
    return this.words.length - 1
  }

  #land(...jumps: ReadonlyArray<number>): void {
    for (const jump of jumps) this.words[jump] = this.words.length
  }

  #constant(value: unknown): void {
    const known = this.constants.indexOf(value)
    this.#emit(Op.constant, known >= 0 ? known : this.constants.push(value) - 1)
  }

  #slot(name: string): number {
    const known = this.globals.get(name)
    if (known !== undefined) return known
    const slot = this.globals.size
    this.globals.set(name, slot)
    return slot
  }

  #isTable({ name }: Variable): boolean {
    return this.#tables.has(scopedName(this.#place.function, this.#place.params, name))
  }

  compile(): Code {
    const { begin, end, functions, rules } = this.#program
    for (const { name, params } of functions.values()) this.functions.push({ name, entry: -1, params: params.length })
    for (const [index, { body, name, params }] of [...functions.values()].entries()) {
      const compiled = this.functions[index]
      if (compiled !== undefined) compiled.entry = this.words.length
      this.#place = { function: name, params, loops: [] }
      this.#statement(body)
      this.#constant(undefined)
      this.#emit(Op.return)
    }
    this.#place = { function: undefined, params: [], loops: [] }
    const section = (statements: ReadonlyArray<Statement>): number | undefined => {
      if (statements.length === 0) return undefined
      const entry = this.words.length
      for (const statement of statements) this.#statement(statement)
      this.#emit(Op.end)
      return entry
    }
    const beginEntry = section(begin)
    const endEntry = section(end)
    const main = rules.length === 0 ? undefined : this.words.length
    for (const rule of rules) {
      const skips: Array<number> = []
      if (rule.to !== undefined && rule.pattern !== undefined) {
        const range = this.#ranges++
        this.#emit(Op.loadRange, range)
        const isOpen = this.#emitJump(Op.jumpIfTrue)
        this.#expression(rule.pattern)
        skips.push(this.#emitJump(Op.jumpIfFalse))
        this.#emit(Op.storeRange, range, 1)
        this.#land(isOpen)
        this.#expression(rule.to)
        const goesOn = this.#emitJump(Op.jumpIfFalse)
        this.#emit(Op.storeRange, range, 0)
        this.#land(goesOn)
      } else if (rule.pattern !== undefined) {
        this.#expression(rule.pattern)
        skips.push(this.#emitJump(Op.jumpIfFalse))
      }
      this.#statement(rule.body ?? { _tag: "Print", args: [], redirection: undefined })
      this.#land(...skips)
    }
    if (main !== undefined) this.#emit(Op.end)
    const { constants, globals, words } = this
    return {
      words,
      constants,
      functions: this.functions,
      globals,
      begin: beginEntry,
      main,
      end: endEntry,
      ranges: this.#ranges,
    }
  }

  #statement(statement: Statement): void {
    switch (statement._tag) {
      case "Block":
        for (const part of statement.body) this.#statement(part)
        return
      case "Expression":
        this.#expression(statement.expression)
        return this.#emit(Op.pop)
      case "Print":
      case "Printf": {
        const { args, redirection } = statement
        const isText = statement._tag === "Print"
        for (const arg of args) isText ? this.#text(arg) : this.#expression(arg)
        if (redirection !== undefined) this.#expression(redirection.target)
        const to = redirection === undefined ? 0 : redirectionNumbers[redirection.to]
        return this.#emit(statement._tag === "Print" ? Op.print : Op.printf, args.length, to)
      }
      case "If": {
        this.#expression(statement.test)
        const otherwise = this.#emitJump(Op.jumpIfFalse)
        this.#statement(statement.then)
        if (statement.otherwise === undefined) return this.#land(otherwise)
        const end = this.#emitJump(Op.jump)
        this.#land(otherwise)
        this.#statement(statement.otherwise)
        return this.#land(end)
      }
      case "While":
        return this.#loop({ test: statement.test, body: statement.body })
      case "Do": {
        const start = this.words.length
        const loop = this.#body(statement.body)
        this.#land(...loop.continues)
        this.#expression(statement.test)
        this.#emit(Op.jumpIfTrue, start)
        return this.#land(...loop.breaks)
      }
      case "For": {
        if (statement.init !== undefined) this.#statement(statement.init)
        return this.#loop(statement)
      }
      case "ForIn": {
        this.#table(statement.table)
        this.#emit(Op.beginKeys)
        const start = this.words.length
        const done = this.#emitJump(Op.nextKey)
        this.#store(statement.target)
        this.#emit(Op.pop)
        const loop = this.#body(statement.body)
        this.#land(...loop.continues)
        this.#emit(Op.jump, start)
        this.#land(done, ...loop.breaks)
        return this.#emit(Op.endKeys)
      }
      case "Switch":
        return this.#switch(statement)
      case "Break":
      case "Continue": {
        const isBreak = statement._tag === "Break"
        const loop = this.#place.loops.findLast(({ isSwitch }) => isBreak || !isSwitch)
        if (loop === undefined) return this.#fail(`'${isBreak ? "break" : "continue"}' is outside of a loop`)
        loop[isBreak ? "breaks" : "continues"].push(this.#emitJump(Op.jump))
        return
      }
      case "Next":
      case "NextFile":
        return this.#emit(statement._tag === "Next" ? Op.next : Op.nextFile)
      case "Exit":
        this.#optional(statement.value)
        return this.#emit(Op.exit)
      case "Return":
        if (this.#place.function === undefined) this.#fail("'return' is outside of a function")
        this.#optional(statement.value)
        return this.#emit(Op.return)
      case "Delete":
        this.#table(statement.table)
        if (statement.keys === undefined) return this.#emit(Op.deleteTable)
        this.#keys(statement.keys)
        return this.#emit(Op.deleteElement)
    }
  }

  #optional(expression: Expression | undefined): void {
    if (expression === undefined) this.#constant(undefined)
    else this.#expression(expression)
  }

  #body(body: Statement): Loop {
    const loop: Loop = { breaks: [], continues: [], isSwitch: false }
    this.#place.loops.push(loop)
    this.#statement(body)
    this.#place.loops.pop()
    return loop
  }

  #loop({ body, step, test }: {
    readonly test: Expression | undefined
    readonly step?: Statement | undefined
    readonly body: Statement
  }): void {
    const start = this.words.length
    const ends: Array<number> = []
    if (test !== undefined) {
      this.#expression(test)
      ends.push(this.#emitJump(Op.jumpIfFalse))
    }
    const loop = this.#body(body)
    this.#land(...loop.continues)
    if (step !== undefined) this.#statement(step)
    this.#emit(Op.jump, start)
    this.#land(...ends, ...loop.breaks)
  }

  #switch({ cases, value }: Statement & { readonly _tag: "Switch" }): void {
    const loop: Loop = { breaks: [], continues: [], isSwitch: true }
    this.#place.loops.push(loop)
    this.#expression(value)
    const jumps = cases.map((given) => {
      if (given.value === undefined) return undefined
      this.#emit(Op.duplicate)
      if (given.value._tag === "Regex") this.#matchConstant(given.value.source)
      else {
        this.#expression(given.value)
        this.#emit(Op.equal)
      }
      return this.#emitJump(Op.jumpIfTrue)
    })
    const otherwise = this.#emitJump(Op.jump)
    // Each body is entered with the value on the stack by a jump, and without it from the body before.
    let hasDefault = false
    cases.forEach(({ body, value: label }, index) => {
      const over = index === 0 ? undefined : this.#emitJump(Op.jump)
      const jump = jumps[index]
      this.#land(label === undefined ? otherwise : jump ?? otherwise)
      hasDefault ||= label === undefined
      this.#emit(Op.pop)
      if (over !== undefined) this.#land(over)
      for (const statement of body) this.#statement(statement)
    })
    const end = this.#emitJump(Op.jump)
    if (!hasDefault) this.#land(otherwise)
    if (!hasDefault) this.#emit(Op.pop)
    this.#land(end, ...loop.breaks)
    this.#place.loops.pop()
  }

  #matchConstant(source: string): void {
    this.#emit(Op.matchConstant, this.constants.push(this.#regexes.get(source)) - 1)
  }

  /** A regular expression as an operand: a literal's text, or the value of an expression. */
  #pattern(expression: Expression, isSeparator = false): void {
    // As a text, one letter separates literally.
    const isLetter = isSeparator && expression._tag === "Regex" && expression.source.length === 1
    if (expression._tag === "Regex") this.#constant(isLetter ? `(${expression.source})` : expression.source)
    else this.#expression(expression)
  }

  #expression(expression: Expression): void {
    switch (expression._tag) {
      case "Number":
        return this.#constant(expression.value)
      case "Text":
        return this.#constant(expression.text)
      case "Regex":
        this.#constant(0)
        this.#emit(Op.fieldText)
        return this.#matchConstant(expression.source)
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
          this.#emit(binaryOps[operator])
        } else this.#expression(value)
        return this.#storePlaced(target)
      }
      case "Increment":
        return this.#increment(expression)
      case "Unary":
        this.#expression(expression.operand)
        return this.#emit({ "!": Op.not, "-": Op.negate, "+": Op.toNumber }[expression.operator])
      case "Binary":
        this.#operand(expression.left, expression.operator)
        this.#operand(expression.right, expression.operator)
        return this.#emit(binaryOps[expression.operator])
      case "Concat":
        this.#text(expression.left)
        this.#text(expression.right)
        return this.#emit(Op.concat)
      case "Match":
        this.#text(expression.left)
        if (expression.right._tag === "Regex") this.#matchConstant(expression.right.source)
        else {
          this.#expression(expression.right)
          this.#emit(Op.match)
        }
        return expression.isNegated ? this.#emit(Op.not) : undefined
      case "Logical": {
        const isAnd = expression.operator === "&&"
        this.#expression(expression.left)
        const short = this.#emitJump(isAnd ? Op.jumpIfFalse : Op.jumpIfTrue)
        this.#expression(expression.right)
        this.#emit(Op.toTruth)
        const end = this.#emitJump(Op.jump)
        this.#land(short)
        this.#constant(isAnd ? 0 : 1)
        return this.#land(end)
      }
      case "Conditional": {
        this.#expression(expression.test)
        const otherwise = this.#emitJump(Op.jumpIfFalse)
        this.#expression(expression.then)
        const end = this.#emitJump(Op.jump)
        this.#land(otherwise)
        this.#expression(expression.otherwise)
        return this.#land(end)
      }
      case "In":
        this.#table(expression.table)
        this.#keys(expression.keys)
        return this.#emit(Op.isIn)
      case "Call":
        return this.#call(expression)
      case "Builtin":
        return this.#builtin(expression)
      case "Getline":
        return this.#getline(expression)
      case "Group":
        return this.#fail("a list in parentheses stands where a value is expected")
    }
  }

  /** An operand of which only the text is used. */
  #text(expression: Expression): void {
    if (expression._tag !== "Field") return this.#expression(expression)
    this.#expression(expression.index)
    this.#emit(Op.fieldText)
  }

  /** An operand of arithmetic, of which only the number is used, or of a comparison. */
  #operand(expression: Expression, operator: BinaryOperator): void {
    if (expression._tag !== "Field" || !"+-*/%^".includes(operator)) return this.#expression(expression)
    this.#expression(expression.index)
    this.#emit(Op.fieldNumber)
  }

  #keys(keys: ReadonlyArray<Expression>): void {
    for (const key of keys) this.#text(key)
    if (keys.length !== 1) this.#emit(Op.joinKeys, keys.length)
  }

  #table(table: Variable | Element): void {
    if (table._tag === "Element") {
      this.#table(table.table)
      this.#keys(table.keys)
      return this.#emit(Op.subTable)
    }
    if (specialIndex(table.name) >= 0 || this.#program.functions.has(table.name)) {
      this.#fail(`${table.name} is used as an array`)
    }
    const local = this.#place.params.indexOf(table.name)
    if (local >= 0) this.#emit(Op.localTable, local)
    else this.#emit(Op.globalTable, this.#slot(table.name))
  }

  /** Puts the operands of a target on the stack: none for a variable. */
  #putPlace(target: Target): void {
    if (target._tag === "Field") this.#expression(target.index)
    else if (target._tag === "Element") {
      this.#table(target.table)
      this.#keys(target.keys)
    }
  }

  #load(target: Target): void {
    this.#putPlace(target)
    if (target._tag === "Field") this.#emit(Op.field)
    else if (target._tag === "Element") this.#emit(Op.element)
    else this.#variable(target, false)
  }

  /** Loads a target whose place is on the stack and stays there. */
  #loadPlaced(target: Target): void {
    if (target._tag === "Variable") return this.#variable(target, false)
    this.#emit(target._tag === "Field" ? Op.duplicate : Op.duplicateTwo)
    this.#emit(target._tag === "Field" ? Op.field : Op.element)
  }

  #storePlaced(target: Target): void {
    if (target._tag === "Variable") this.#variable(target, true)
    else this.#emit(target._tag === "Field" ? Op.storeField : Op.storeElement)
  }

  #store(target: Variable): void {
    this.#variable(target, true)
  }

  #variable(variable: Variable, isStore: boolean): void {
    const { name } = variable
    if (this.#isTable(variable)) this.#fail(`the array ${name} is used as a single value`)
    if (this.#program.functions.has(name)) this.#fail(`the function ${name} is used as a variable`)
    const local = this.#place.params.indexOf(name)
    const special = specialIndex(name)
    if (local >= 0) this.#emit(isStore ? Op.storeLocal : Op.loadLocal, local)
    else if (special >= 0) this.#emit(isStore ? Op.storeSpecial : Op.loadSpecial, special)
    else this.#emit(isStore ? Op.storeGlobal : Op.loadGlobal, this.#slot(name))
  }

  #increment({ by, isPrefix, target }: Expression & { readonly _tag: "Increment" }): void {
    this.#putPlace(target)
    if (target._tag !== "Variable") {
      return this.#emit(target._tag === "Field" ? Op.incrementField : Op.incrementElement, by, isPrefix ? 1 : 0)
    }
    this.#variable(target, false)
    this.#emit(Op.toNumber)
    if (!isPrefix) this.#emit(Op.duplicate)
    this.#constant(by)
    this.#emit(Op.add)
    this.#variable(target, true)
    if (!isPrefix) this.#emit(Op.pop)
  }

  #argument(argument: Expression, isTable: boolean): void {
    if (!isTable) return this.#expression(argument)
    if (argument._tag !== "Variable" && argument._tag !== "Element") {
      return this.#fail("an array is expected as argument")
    }
    this.#table(argument)
  }

  #call({ args, line, name }: Expression & { readonly _tag: "Call" }): void {
    const index = this.functions.findIndex((candidate) => candidate.name === name)
    const definition = this.#program.functions.get(name)
    if (definition === undefined) return this.#fail(`line ${line}: function ${name} is not defined`)
    if (args.length > definition.params.length) this.#fail(`line ${line}: function ${name} takes fewer arguments`)
    args.forEach((argument, at) => this.#argument(argument, this.#tables.has(`${name}:${definition.params[at] ?? ""}`)))
    this.#emit(Op.call, index, args.length)
  }

  #builtin({ args, line, name }: Expression & { readonly _tag: "Builtin" }): void {
    const builtin = builtins[name]
    if (builtin === undefined) return this.#fail(`line ${line}: ${name} is not supported`)
    const [least, most] = builtin.arity
    if (args.length < least || args.length > most) this.#fail(`line ${line}: wrong number of arguments for ${name}`)
    if (name === "sub" || name === "gsub") return this.#substitute(name === "gsub", args)
    args.forEach((argument, at) => {
      const isOptional = name === "length" || name === "typeof" || name === "isarray"
      const isTable = isTableArgument(name, at) ||
        (isOptional && argument._tag === "Variable" && this.#isTable(argument))
      if (isTable) this.#argument(argument, true)
      else if (builtin.patternAt === at) this.#pattern(argument, name === "split")
      else this.#expression(argument)
    })
    this.#emit(Op.builtin, builtinList.indexOf(builtin), args.length)
  }

  #substitute(all: boolean, [pattern, replacement, given]: ReadonlyArray<Expression>): void {
    const target: Expression = given ?? { _tag: "Field", index: { _tag: "Number", value: 0 } }
    if (pattern === undefined || replacement === undefined) return
    const isTarget = target._tag === "Field" || target._tag === "Element" || target._tag === "Variable"
    if (isTarget) {
      this.#putPlace(target)
      this.#loadPlaced(target)
    } else this.#expression(target)
    this.#pattern(pattern)
    this.#expression(replacement)
    this.#emit(Op.substitute, all ? 1 : 0)
    if (isTarget) {
      this.#emit(Op.loadCount)
      const none = this.#emitJump(Op.jumpIfFalse)
      this.#emit(Op.loadReplaced)
      this.#storePlaced(target)
      this.#emit(Op.pop)
      const end = this.#emitJump(Op.jump)
      this.#land(none)
      for (let left = target._tag === "Field" ? 1 : target._tag === "Element" ? 2 : 0; left > 0; left--) {
        this.#emit(Op.pop)
      }
      this.#land(end)
    }
    this.#emit(Op.loadCount)
  }

  #getline({ from, source, target }: Expression & { readonly _tag: "Getline" }): void {
    if (source !== undefined) this.#expression(source)
    this.#emit(Op.getline, from === "main" ? 0 : from === "file" ? 1 : 2)
    this.#emit(Op.duplicate)
    this.#constant(0)
    this.#emit(Op.greater)
    const end = this.#emitJump(Op.jumpIfFalse)
    if (target === undefined) this.#emit(Op.setRecord)
    else {
      this.#putPlace(target)
      this.#emit(Op.loadRead)
      this.#storePlaced(target)
      this.#emit(Op.pop)
    }
    this.#land(end)
  }
}

/** Compiles a program. Throws the utility's exit where it calls or uses a name wrongly. */
export const compile = (program: AwkProgram, regexes: AwkRegexes): Code => new Compiler(program, regexes).compile()
