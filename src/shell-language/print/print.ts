/**
 * Prints the syntax tree of a script as canonical text, which a shell reads as the same tree.
 *
 * @module
 */
import type { Script } from "../SyntaxTree.ts"
import { makeScriptPrinter } from "./makeScriptPrinter.ts"
import type { Rewrite } from "./Rewrite.ts"
import { NotPrintableError, TooLongError } from "./TextOutput.ts"

/** Options of {@link print}. */
export interface PrintOptions {
  /**
   * The text that the tree was parsed from. Statements then keep their lines where possible, for `$LINENO` and the messages
   * of bash. Default: each statement on the next line.
   */
  readonly source?: string | undefined
  /** Approximate length of the text in UTF-16 units. Default: 4,194,304. */
  readonly maxLength?: number | undefined
  /** Replacements for parts of the tree. Default: none. */
  readonly rewrite?: Rewrite | undefined
}

export type { Rewrite } from "./Rewrite.ts"

/** The text of a tree, or the reason that it has none. */
export type PrintResult =
  | { readonly _tag: "Success"; readonly success: string }
  /** `TooLong`: longer than allowed. `NotPrintable`: the tree holds a bad substitution, or a here-document without its end. */
  | { readonly _tag: "Failure"; readonly failure: "TooLong" | "NotPrintable" }

/**
 * Prints a tree in canonical form: one command a line, all text quoted that is not plain, parameters in braces, `$(…)` for
 * backquotes, a here-string for each here-document, the words of braces one by one, a parenthesis before the patterns of
 * `case`, no comments. Parsing the text gives the same tree, except for these forms.
 *
 * Assumes that `extglob` is off, as in a new shell. Spans are used for lines only.
 */
export const print = (script: Script, options: PrintOptions = {}): PrintResult => {
  try {
    const printStatements = makeScriptPrinter(options.source, options.maxLength ?? 4_194_304, options.rewrite ?? {})
    return { _tag: "Success", success: printStatements(script.statements) }
  } catch (failure) {
    if (failure instanceof TooLongError) return { _tag: "Failure", failure: "TooLong" }
    if (failure instanceof NotPrintableError) return { _tag: "Failure", failure: "NotPrintable" }
    throw failure
  }
}
