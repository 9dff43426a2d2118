/**
 * Declares the callbacks that replace parts of a syntax tree while it is printed.
 *
 * @module
 */
import type { FileRedirect, SimpleCommand, WordPart } from "../SyntaxTree.ts"

/** Replacements for parts of a tree. */
export interface Rewrite {
  readonly command?: ((command: SimpleCommand) => SimpleCommand) | undefined
  /** Replaces the parts of an expression, an offset or a side of `-eq`, but not of an index. */
  readonly arithmetic?: ((parts: ReadonlyArray<WordPart>) => ReadonlyArray<WordPart>) | undefined
  /** Replaces a redirection that names a file. */
  readonly redirect?: ((redirect: FileRedirect) => FileRedirect) | undefined
  /**
   * Decides whether `SLUICE_open NAME MODE FILE` opens the file of a redirection before the command runs, to read or to
   * write it; the command then finds the path in the variable NAME.
   */
  readonly open?: ((redirect: FileRedirect) => "r" | "w" | undefined) | undefined
}
