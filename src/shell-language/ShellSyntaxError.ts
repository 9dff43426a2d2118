/** Declares the syntax error of a script and the result of parsing, and finds lines and columns. */

/** A line and a column, both from 1; columns count UTF-16 units. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** Returns the line and column of an offset, in time linear in the offset. */
export const positionOf = (text: string, offset: number): TextPosition => {
  let line = 1
  let start = 0
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
    line++
    start = end + 1
  }
  return { line, column: offset - start + 1 }
}

/** A syntax error, with a message such as `shell: line 3, column 5: found "fi", expected a command`. */
export class ShellSyntaxError extends Error implements TextPosition {
  readonly _tag: "ShellSyntaxError" = "ShellSyntaxError"
  override readonly name: string = "ShellSyntaxError"
  /** The position in the text, from 0, in UTF-16 units. */
  readonly offset: number
  readonly line: number
  readonly column: number
  /** The text at the position: `"fi"`, `a newline`, `the end`. */
  readonly found: string
  /** The text that the grammar allows there: `a command`, `"then"`. */
  readonly expected: string
  /** Whether the text ends too early, so that more of it could be valid. */
  readonly incomplete: boolean

  constructor(fields: Pick<ShellSyntaxError, "offset" | "line" | "column" | "found" | "expected" | "incomplete">) {
    super(`shell: line ${fields.line}, column ${fields.column}: found ${fields.found}, expected ${fields.expected}`)
    this.offset = fields.offset
    this.line = fields.line
    this.column = fields.column
    this.found = fields.found
    this.expected = fields.expected
    this.incomplete = fields.incomplete
  }
}

/** The result of parsing, with the tags and fields of Effect's `Result`, which this folder does not import. */
export type ParseResult<A> =
  | { readonly _tag: "Success"; readonly success: A }
  | { readonly _tag: "Failure"; readonly failure: ShellSyntaxError }

const stackIsFull = {
  line: 1,
  column: 1,
  offset: 0,
  found: "a text",
  expected: "one with less nesting: the call stack is full",
  incomplete: false,
}

/** Runs a parser and catches its syntax errors and an overflow of the stack. Any other exception is a defect. */
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
