/** Declares the syntax tree of an awk program. Texts in it are binary strings. Source: POSIX.1-2024 "awk", gawk(1). */
export interface Variable {
  readonly _tag: "Variable"
  readonly name: string
}

/** An element of a table; the table may be an element itself (gawk's arrays of arrays). */
export interface Element {
  readonly _tag: "Element"
  readonly table: Variable | Element
  readonly keys: ReadonlyArray<Expression>
}

export interface Field {
  readonly _tag: "Field"
  readonly index: Expression
}

export type Target = Variable | Element | Field

export type BinaryOperator = "+" | "-" | "*" | "/" | "%" | "^" | "<" | "<=" | "==" | "!=" | ">" | ">="

export type Expression =
  | Target
  | { readonly _tag: "Number"; readonly value: number }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Regex"; readonly source: string }
  | { readonly _tag: "Assign"; readonly target: Target; readonly value: Expression; readonly operator?: BinaryOperator }
  | { readonly _tag: "Increment"; readonly target: Target; readonly by: 1 | -1; readonly isPrefix: boolean }
  | { readonly _tag: "Unary"; readonly operator: "!" | "-" | "+"; readonly operand: Expression }
  | {
    readonly _tag: "Binary"
    readonly operator: BinaryOperator
    readonly left: Expression
    readonly right: Expression
  }
  | { readonly _tag: "Concat"; readonly left: Expression; readonly right: Expression }
  | { readonly _tag: "Match"; readonly isNegated: boolean; readonly left: Expression; readonly right: Expression }
  | { readonly _tag: "Logical"; readonly operator: "&&" | "||"; readonly left: Expression; readonly right: Expression }
  | {
    readonly _tag: "Conditional"
    readonly test: Expression
    readonly then: Expression
    readonly otherwise: Expression
  }
  | { readonly _tag: "In"; readonly keys: ReadonlyArray<Expression>; readonly table: Variable | Element }
  /** A call of a function of the program. */
  | { readonly _tag: "Call"; readonly name: string; readonly args: ReadonlyArray<Expression>; readonly line: number }
  | { readonly _tag: "Builtin"; readonly name: string; readonly args: ReadonlyArray<Expression>; readonly line: number }
  | {
    readonly _tag: "Getline"
    readonly from: "main" | "file" | "command"
    readonly source?: Expression | undefined
    readonly target?: Target | undefined
  }
  /** A list in parentheses: only `print` and `in` take it. */
  | { readonly _tag: "Group"; readonly parts: ReadonlyArray<Expression> }

export interface Redirection {
  readonly to: ">" | ">>" | "|"
  readonly target: Expression
}

export interface Case {
  /** `undefined` for `default`. */
  readonly value: Expression | undefined
  readonly body: ReadonlyArray<Statement>
}

export type Statement =
  | { readonly _tag: "Expression"; readonly expression: Expression }
  | {
    readonly _tag: "Print" | "Printf"
    readonly args: ReadonlyArray<Expression>
    readonly redirection: Redirection | undefined
  }
  | {
    readonly _tag: "If"
    readonly test: Expression
    readonly then: Statement
    readonly otherwise: Statement | undefined
  }
  | { readonly _tag: "While" | "Do"; readonly test: Expression; readonly body: Statement }
  | {
    readonly _tag: "For"
    readonly init: Statement | undefined
    readonly test: Expression | undefined
    readonly step: Statement | undefined
    readonly body: Statement
  }
  | {
    readonly _tag: "ForIn"
    readonly target: Variable
    readonly table: Variable | Element
    readonly body: Statement
  }
  | { readonly _tag: "Switch"; readonly value: Expression; readonly cases: ReadonlyArray<Case> }
  | { readonly _tag: "Block"; readonly body: ReadonlyArray<Statement> }
  | { readonly _tag: "Next" | "NextFile" | "Break" | "Continue" }
  | { readonly _tag: "Exit" | "Return"; readonly value: Expression | undefined }
  /** Without keys the whole table. */
  | {
    readonly _tag: "Delete"
    readonly table: Variable | Element
    readonly keys: ReadonlyArray<Expression> | undefined
  }

export interface Rule {
  readonly pattern: Expression | undefined
  /** The end of a range. */
  readonly to: Expression | undefined
  /** `undefined`: the record is printed. */
  readonly body: Statement | undefined
}

export interface FunctionDefinition {
  readonly name: string
  readonly params: ReadonlyArray<string>
  readonly body: Statement
}

export interface AwkProgram {
  readonly begin: ReadonlyArray<Statement>
  readonly rules: ReadonlyArray<Rule>
  readonly end: ReadonlyArray<Statement>
  readonly functions: ReadonlyMap<string, FunctionDefinition>
}
