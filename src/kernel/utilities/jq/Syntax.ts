/** Declares the syntax tree of a jq program. */
import type { Value } from "./values.ts"

/** Operators of two values. */
export type BinaryOperator = "+" | "-" | "*" | "/" | "%" | "==" | "!=" | "<" | "<=" | ">" | ">="

/** A key of an object pattern or constructor. */
export type Pattern =
  | { readonly _tag: "Variable"; readonly name: string }
  | { readonly _tag: "Array"; readonly items: ReadonlyArray<Pattern> }
  | { readonly _tag: "Object"; readonly fields: ReadonlyArray<PatternField> }

export interface PatternField {
  readonly key: Syntax
  /** `$name` as a key: the value of the field. */
  readonly variable: string | undefined
  readonly pattern: Pattern | undefined
}

export interface Definition {
  readonly name: string
  readonly params: ReadonlyArray<string>
  readonly body: Syntax
}

export type Syntax =
  | { readonly _tag: "Identity" }
  | { readonly _tag: "Literal"; readonly value: Value }
  | { readonly _tag: "Text"; readonly format: string; readonly parts: ReadonlyArray<string | Syntax> }
  | { readonly _tag: "Format"; readonly name: string }
  | { readonly _tag: "Index"; readonly of: Syntax; readonly key: Syntax; readonly optional: boolean }
  | {
    readonly _tag: "Slice"
    readonly of: Syntax
    readonly from: Syntax | undefined
    readonly to: Syntax | undefined
    readonly optional: boolean
  }
  | { readonly _tag: "Each"; readonly of: Syntax; readonly optional: boolean }
  | { readonly _tag: "Array"; readonly body: Syntax | undefined }
  | { readonly _tag: "Object"; readonly fields: ReadonlyArray<readonly [key: Syntax, value: Syntax]> }
  | { readonly _tag: "Negate"; readonly of: Syntax }
  | { readonly _tag: "Pipe" | "Comma" | "And" | "Or" | "Alternative"; readonly left: Syntax; readonly right: Syntax }
  | { readonly _tag: "Binary"; readonly operator: BinaryOperator; readonly left: Syntax; readonly right: Syntax }
  | { readonly _tag: "Assign"; readonly operator: string; readonly left: Syntax; readonly right: Syntax }
  | { readonly _tag: "If"; readonly condition: Syntax; readonly then: Syntax; readonly otherwise: Syntax }
  | { readonly _tag: "Try"; readonly body: Syntax; readonly handler: Syntax | undefined }
  | {
    readonly _tag: "Reduce"
    readonly source: Syntax
    readonly patterns: ReadonlyArray<Pattern>
    readonly init: Syntax
    readonly update: Syntax
  }
  | {
    readonly _tag: "Foreach"
    readonly source: Syntax
    readonly patterns: ReadonlyArray<Pattern>
    readonly init: Syntax
    readonly update: Syntax
    readonly extract: Syntax | undefined
  }
  | { readonly _tag: "As"; readonly source: Syntax; readonly patterns: ReadonlyArray<Pattern>; readonly body: Syntax }
  | { readonly _tag: "Define"; readonly definition: Definition; readonly body: Syntax }
  | { readonly _tag: "Call"; readonly name: string; readonly args: ReadonlyArray<Syntax>; readonly line: number }
  | { readonly _tag: "Variable"; readonly name: string; readonly line: number }
  | { readonly _tag: "Label"; readonly name: string; readonly body: Syntax }
  | { readonly _tag: "Break"; readonly name: string; readonly line: number }

/** An import of a module. */
export interface Import {
  readonly path: string
  /** The name before `::`, or of the variable; `undefined` includes the definitions. */
  readonly name: string | undefined
  readonly isData: boolean
  readonly meta: Value
}

export interface Module {
  /** The object of `module`. */
  readonly meta: Value | undefined
  readonly imports: ReadonlyArray<Import>
  readonly definitions: ReadonlyArray<Definition>
  /** The main expression, which a library lacks. */
  readonly body: Syntax | undefined
}

/** An error in the text of a program. */
export class SyntaxFailure extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}
