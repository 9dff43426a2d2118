/**
 * A tree as text: the one that a shell is given, so that it reads what was read before.
 *
 * @module
 */
import type { Script } from "../SyntaxTree.ts"
import { Commands } from "./ScriptPrinter.ts"
import type { Rewrite } from "./Rewrite.ts"
import { NotPrintable, TooLong } from "./TextOutput.ts"

/** How to print. */
export interface PrintOptions {
  /**
   * The text that the tree was read from. Statements keep their lines then where they can: `$LINENO` and the messages of
   * bash name them.
   */
  readonly source?: string | undefined
  /** UTF-16 units, about. Default: 4,194,304. */
  readonly maxLength?: number | undefined
  /** What is printed in place of parts of the tree. Default: themselves. */
  readonly rewrite?: Rewrite | undefined
}

export type { Rewrite } from "./Rewrite.ts"

/** The text of a tree, or why there is none. */
export type PrintResult =
  | { readonly _tag: "Success"; readonly success: string }
  /** `TooLong`: longer than allowed. `NotPrintable`: the tree holds a bad substitution, or a here-document without its end. */
  | { readonly _tag: "Failure"; readonly failure: "TooLong" | "NotPrintable" }

/**
 * Prints a tree in canonical form, whatever the text was that it was read from: one command a line, everything that
 * is no plain text quoted, parameters in braces, `$(…)` for backquotes, a here-string for each here-document, the words
 * of braces one by one, a parenthesis before the patterns of `case`, no comments. Reading the text again gives the same
 * tree, but for these forms.
 *
 * `extglob` is taken to be off, as in a shell that was just started; spans are of no meaning but for lines.
 */
export const print = (script: Script, options: PrintOptions = {}): PrintResult => {
  try {
    const printer = new Commands(options.source, options.maxLength ?? 4_194_304, options.rewrite ?? {})
    return { _tag: "Success", success: printer.statements(script.statements) }
  } catch (failure) {
    if (failure instanceof TooLong) return { _tag: "Failure", failure: "TooLong" }
    if (failure instanceof NotPrintable) return { _tag: "Failure", failure: "NotPrintable" }
    throw failure
  }
}
