/**
 * Parts of a tree that are printed as others.
 *
 * @module
 */
import type { FileRedirect, SimpleCommand, WordPart } from "../SyntaxTree.ts"

/** What is printed in place of parts of a tree. */
export interface Rewrite {
  readonly command?: ((command: SimpleCommand) => SimpleCommand) | undefined
  /** The parts of an expression, of an offset, of a side of `-eq`; what stands at an index is none. */
  readonly arithmetic?: ((parts: ReadonlyArray<WordPart>) => ReadonlyArray<WordPart>) | undefined
  /** A redirection with a file. */
  readonly redirect?: ((redirect: FileRedirect) => FileRedirect) | undefined
  /**
   * Whether the file of a redirection is opened by `SLUICE_open NAME MODE FILE` before the command runs, which then has
   * the path in that variable: to be read, or to be written.
   */
  readonly open?: ((redirect: FileRedirect) => "r" | "w" | undefined) | undefined
}
