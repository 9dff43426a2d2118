/**
 * Why a text is no script.
 *
 * @module
 */

/** Where in a text: both count from 1, columns in UTF-16 units. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** The line and column of an offset. Linear in the offset. */
export const positionOf = (text: string, offset: number): TextPosition => {
  let line = 1
  let start = 0
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
    line++
    start = end + 1
  }
  return { line, column: offset - start + 1 }
}

/** What a {@link ShellSyntaxError} is made of. */
export interface ShellSyntaxErrorFields extends TextPosition {
  /** Where in the text, from 0, in UTF-16 units. */
  readonly offset: number
  readonly found: string
  readonly expected: string
  readonly incomplete: boolean
}

/**
 * A text that is no script. `message` is for people: `shell: line 3, column 5: found "fi", expected a command`.
 */
export class ShellSyntaxError extends Error implements ShellSyntaxErrorFields {
  readonly _tag: "ShellSyntaxError" = "ShellSyntaxError"
  override readonly name: string = "ShellSyntaxError"
  readonly offset: number
  readonly line: number
  readonly column: number
  /** What stands there: `"fi"`, `a newline`, `the end`. */
  readonly found: string
  /** What would have been right: `a command`, `"then"`. */
  readonly expected: string
  /** The text ended too early: more of it could make it right. */
  readonly incomplete: boolean

  constructor(fields: ShellSyntaxErrorFields) {
    super(`shell: line ${fields.line}, column ${fields.column}: found ${fields.found}, expected ${fields.expected}`)
    this.offset = fields.offset
    this.line = fields.line
    this.column = fields.column
    this.found = fields.found
    this.expected = fields.expected
    this.incomplete = fields.incomplete
  }
}

/** What parsing answers: the same tags and fields as Effect's `Result`, without loading it. */
export type ParseResult<A> =
  | { readonly _tag: "Success"; readonly success: A }
  | { readonly _tag: "Failure"; readonly failure: ShellSyntaxError }

const stackIsFull = {
  line: 1,
  column: 1,
  offset: 0,
  found: "a text",
  expected: "one with less within each other: the stack is full",
  incomplete: false,
}

/**
 * Makes a value of what a parser throws inside, and of a stack that was nearly full when it was called. Anything else
 * that is thrown is a defect.
 */
export const parseResult = <A>(parse: () => A): ParseResult<A> => {
  try {
    return { _tag: "Success", success: parse() }
  } catch (failure) {
    if (failure instanceof ShellSyntaxError) return { _tag: "Failure", failure }
    if (failure instanceof RangeError && /call stack/i.test(failure.message)) {
      return { _tag: "Failure", failure: new ShellSyntaxError(stackIsFull) }
    }
    throw failure
  }
}
