/** Declares compiled Perl regular expressions, and the options and the syntax tree that they are made of. */
import type { Instructions } from "../instructions.ts"

export const At = { start: 0, end: 1, endOrNewline: 2, edge: 3, noEdge: 4, lineStart: 5, lineEnd: 6 } as const
export const Look = { ahead: 0, notAhead: 1, behind: 2, notBehind: 3, atomic: 4 } as const

/** Whether a character is in a set. */
export type CharacterSet = (code: number) => boolean

export interface PerlProgram extends Instructions {
  readonly sets: ReadonlyArray<CharacterSet>
  /** The name of each group. */
  readonly names: ReadonlyArray<string | undefined>
  readonly slots: number
  readonly ignoreCase: boolean
  readonly dialect: PerlDialect
  readonly isWord: CharacterSet
  /** The characters that a match can start with; `undefined` if it may be empty. */
  readonly first: CharacterSet | undefined
  /** Whether a failure of an instruction at an index is final, which it is without back references. */
  readonly isRegular: boolean
}

/** The dialect that decides where they differ: `\h`, the characters of `\w`, and `^` with `(?m)`. */
export type PerlDialect = "Oniguruma" | "PCRE"

export interface Flags {
  readonly ignoreCase: boolean
  readonly extended: boolean
  readonly dotAll: boolean
  /** `^` and `$` match at every newline; PCRE's alone. */
  readonly multiline: boolean
}

export interface PerlOptions extends Flags {
  readonly dialect: PerlDialect
}

export type Tree =
  | { readonly _tag: "Set"; readonly set: CharacterSet }
  | { readonly _tag: "All" | "Any"; readonly of: ReadonlyArray<Tree> }
  | { readonly _tag: "Repeat"; readonly of: Tree; readonly min: number; readonly max: number; readonly isLazy: boolean }
  | { readonly _tag: "Group"; readonly index: number; readonly of: Tree }
  | { readonly _tag: "At"; readonly what: number }
  /** The match starts here: `\K`. */
  | { readonly _tag: "Keep" }
  | { readonly _tag: "Back"; readonly index: number | string }
  | { readonly _tag: "Look"; readonly kind: number; readonly of: Tree }
