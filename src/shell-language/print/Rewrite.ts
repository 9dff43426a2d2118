/**
 * Parts of a tree that are printed as others.
 *
 * @module
 */
import type { SimpleCommand, Word, WordPart } from "../Tree.ts"

/** What is printed in place of parts of a tree. */
export interface Rewrite {
  readonly command?: ((command: SimpleCommand) => SimpleCommand) | undefined
  /** The parts of an expression, of an offset, of a side of `-eq`; what stands at an index is none. */
  readonly arithmetic?: ((parts: ReadonlyArray<WordPart>) => ReadonlyArray<WordPart>) | undefined
  /** The file of a redirection. */
  readonly file?: ((target: Word) => Word) | undefined
}
