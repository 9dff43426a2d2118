/** Compiles an awk program to instructions for `Machine`. */
import type { AwkRegexes } from "./AwkRegexes.ts"
import { type Code, type CompiledFunction, Op } from "./Code.ts"
import { CodeWriter } from "./CodeWriter.ts"
import { ExpressionCompiler } from "./ExpressionCompiler.ts"
import { failCompilation } from "./failCompilation.ts"
import type { AwkProgram, Expression, Redirection, Statement } from "./Syntax.ts"

const redirectionNumbers: Readonly<Record<Redirection["to"], number>> = { ">": 1, ">>": 2, "|": 3 }

interface Loop {
  readonly breaks: Array<number>
  readonly continues: Array<number>
  /** A `switch` has no `continue` of its own. */
  readonly isSwitch: boolean
}

class Compiler {
  readonly #program: AwkProgram
  readonly #code = new CodeWriter()
  readonly #expressions: ExpressionCompiler
  /** The loops around a statement. */
  readonly #loops: Array<Loop> = []
  #ranges = 0

  constructor(program: AwkProgram, regexes: AwkRegexes) {
    this.#program = program
    this.#expressions = new ExpressionCompiler(program, regexes, this.#code)
  }

  compile(): Code {
    const { begin, end, functions, rules } = this.#program
    const compiled = Array.from(functions.values(), ({ body, name, params }): CompiledFunction => {
      const entry = this.#code.position
      this.#expressions.scope = { function: name, params }
      this.#statement(body)
      this.#code.constant(undefined)
      this.#code.emit(Op.return)
      return { name, entry, params: params.length }
    })
    this.#expressions.scope = { function: undefined, params: [] }
    const section = (statements: ReadonlyArray<Statement>): number | undefined => {
      if (statements.length === 0) return undefined
      const entry = this.#code.position
      for (const statement of statements) this.#statement(statement)
      this.#code.emit(Op.end)
      return entry
    }
    const beginEntry = section(begin)
    const endEntry = section(end)
    const main = rules.length === 0 ? undefined : this.#code.position
    for (const rule of rules) {
      const skips: Array<number> = []
      if (rule.to !== undefined && rule.pattern !== undefined) {
        const range = this.#ranges++
        this.#code.emit(Op.loadRange, range)
        const isOpen = this.#code.emitJump(Op.jumpIfTrue)
        this.#expressions.expression(rule.pattern)
        skips.push(this.#code.emitJump(Op.jumpIfFalse))
        this.#code.emit(Op.storeRange, range, 1)
        this.#code.land(isOpen)
        this.#expressions.expression(rule.to)
        const goesOn = this.#code.emitJump(Op.jumpIfFalse)
        this.#code.emit(Op.storeRange, range, 0)
        this.#code.land(goesOn)
      } else if (rule.pattern !== undefined) {
        this.#expressions.expression(rule.pattern)
        skips.push(this.#code.emitJump(Op.jumpIfFalse))
      }
      this.#statement(rule.body ?? { _tag: "Print", args: [], redirection: undefined })
      this.#code.land(...skips)
    }
    if (main !== undefined) this.#code.emit(Op.end)
    const { constants, words } = this.#code
    return {
      words,
      constants,
      functions: compiled,
      globals: this.#expressions.globals,
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
        this.#expressions.expression(statement.expression)
        return this.#code.pop()
      case "Print":
      case "Printf": {
        const { args, redirection } = statement
        const isText = statement._tag === "Print"
        for (const arg of args) isText ? this.#expressions.text(arg) : this.#expressions.expression(arg)
        if (redirection !== undefined) this.#expressions.expression(redirection.target)
        const to = redirection === undefined ? 0 : redirectionNumbers[redirection.to]
        return this.#code.emit(statement._tag === "Print" ? Op.print : Op.printf, args.length, to)
      }
      case "If": {
        this.#expressions.expression(statement.test)
        const otherwise = this.#code.emitJump(Op.jumpIfFalse)
        this.#statement(statement.then)
        if (statement.otherwise === undefined) return this.#code.land(otherwise)
        const end = this.#code.emitJump(Op.jump)
        this.#code.land(otherwise)
        this.#statement(statement.otherwise)
        return this.#code.land(end)
      }
      case "While":
        return this.#loop({ test: statement.test, body: statement.body })
      case "Do": {
        const start = this.#code.position
        const loop = this.#body(statement.body)
        this.#code.land(...loop.continues)
        this.#expressions.expression(statement.test)
        this.#code.emit(Op.jumpIfTrue, start)
        return this.#code.land(...loop.breaks)
      }
      case "For": {
        if (statement.init !== undefined) this.#statement(statement.init)
        return this.#loop(statement)
      }
      case "ForIn": {
        this.#expressions.table(statement.table)
        this.#code.emit(Op.beginKeys)
        const start = this.#code.position
        const done = this.#code.emitJump(Op.nextKey)
        this.#expressions.store(statement.target)
        this.#code.pop()
        const loop = this.#body(statement.body)
        this.#code.land(...loop.continues)
        this.#code.emit(Op.jump, start)
        this.#code.land(done, ...loop.breaks)
        return this.#code.emit(Op.endKeys)
      }
      case "Switch":
        return this.#switch(statement)
      case "Break":
      case "Continue": {
        const isBreak = statement._tag === "Break"
        const loop = this.#loops.findLast(({ isSwitch }) => isBreak || !isSwitch)
        if (loop === undefined) return failCompilation(`'${isBreak ? "break" : "continue"}' is outside of a loop`)
        loop[isBreak ? "breaks" : "continues"].push(this.#code.emitJump(Op.jump))
        return
      }
      case "Next":
      case "NextFile":
        return this.#code.emit(statement._tag === "Next" ? Op.next : Op.nextFile)
      case "Exit":
        this.#optional(statement.value)
        return this.#code.emit(Op.exit)
      case "Return":
        if (this.#expressions.scope.function === undefined) failCompilation("'return' is outside of a function")
        this.#optional(statement.value)
        return this.#code.emit(Op.return)
      case "Delete":
        this.#expressions.table(statement.table)
        if (statement.keys === undefined) return this.#code.emit(Op.deleteTable)
        this.#expressions.keys(statement.keys)
        return this.#code.emit(Op.deleteElement)
    }
  }

  #optional(expression: Expression | undefined): void {
    if (expression === undefined) this.#code.constant(undefined)
    else this.#expressions.expression(expression)
  }

  #body(body: Statement): Loop {
    const loop: Loop = { breaks: [], continues: [], isSwitch: false }
    this.#loops.push(loop)
    this.#statement(body)
    this.#loops.pop()
    return loop
  }

  #loop({ body, step, test }: {
    readonly test: Expression | undefined
    readonly step?: Statement | undefined
    readonly body: Statement
  }): void {
    const start = this.#code.position
    const ends: Array<number> = []
    if (test !== undefined) {
      this.#expressions.expression(test)
      ends.push(this.#code.emitJump(Op.jumpIfFalse))
    }
    const loop = this.#body(body)
    this.#code.land(...loop.continues)
    if (step !== undefined) this.#statement(step)
    this.#code.emit(Op.jump, start)
    this.#code.land(...ends, ...loop.breaks)
  }

  #switch({ cases, value }: Statement & { readonly _tag: "Switch" }): void {
    const loop: Loop = { breaks: [], continues: [], isSwitch: true }
    this.#loops.push(loop)
    this.#expressions.expression(value)
    const jumps = cases.map((given) => {
      if (given.value === undefined) return undefined
      this.#code.emit(Op.duplicate)
      if (given.value._tag === "Regex") this.#expressions.matchConstant(given.value.source)
      else {
        this.#expressions.expression(given.value)
        this.#code.emit(Op.equal)
      }
      return this.#code.emitJump(Op.jumpIfTrue)
    })
    const otherwise = this.#code.emitJump(Op.jump)
    // A jump enters a body with the value on the stack; the previous body enters it without.
    let hasDefault = false
    cases.forEach(({ body, value: label }, index) => {
      const over = index === 0 ? undefined : this.#code.emitJump(Op.jump)
      const jump = jumps[index]
      this.#code.land(label === undefined ? otherwise : jump ?? otherwise)
      hasDefault ||= label === undefined
      this.#code.pop()
      if (over !== undefined) this.#code.land(over)
      for (const statement of body) this.#statement(statement)
    })
    const end = this.#code.emitJump(Op.jump)
    if (!hasDefault) this.#code.land(otherwise)
    if (!hasDefault) this.#code.pop()
    this.#code.land(end, ...loop.breaks)
    this.#loops.pop()
  }
}

/** Compiles a program. Throws the utility's exit if the program calls or uses a name wrongly. */
export const compile = (program: AwkProgram, regexes: AwkRegexes): Code => new Compiler(program, regexes).compile()
