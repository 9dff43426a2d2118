/** Declares the types of a parsed script of `sed`: commands, their addresses and the parts of replacements. */
import type { Regex } from "../../regex/Regex.ts"

export type Address =
  | { readonly _tag: "Line"; readonly line: number }
  | { readonly _tag: "Last" }
  | { readonly _tag: "Step"; readonly first: number; readonly step: number }
  /** `undefined` is the last expression that was used. */
  | { readonly _tag: "Match"; readonly pattern: Regex | undefined }
  /** As a second address: a number of lines more, or up to a multiple. */
  | { readonly _tag: "More"; readonly count: number }
  | { readonly _tag: "Multiple"; readonly of: number }

/** A part of the replacement of `s`: text, a group of the match, or a change of case. */
export type ReplacementPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Group"; readonly index: number }
  | { readonly _tag: "Case"; readonly letter: string }

export interface Substitution {
  readonly _tag: "Substitute"
  readonly pattern: Regex | undefined
  readonly parts: ReadonlyArray<ReplacementPart>
  readonly global: boolean
  readonly nth: number
  readonly print: boolean
  readonly file: string | undefined
}

/** The function of a command. Texts are binary strings; `end` is an index of a command. */
export type Action =
  | { readonly _tag: "Simple"; readonly letter: string; readonly value?: number | undefined }
  | { readonly _tag: "Text"; readonly letter: string; readonly text: string }
  | { readonly _tag: "Jump"; readonly letter: string; readonly label: string }
  | { readonly _tag: "Block"; end: number }
  | { readonly _tag: "File"; readonly letter: string; readonly path: string }
  | { readonly _tag: "Translate"; readonly map: Uint8Array | ReadonlyMap<string, string> }
  | Substitution

export interface Command {
  readonly from: Address | undefined
  readonly to: Address | undefined
  readonly negated: boolean
  readonly action: Action
  /** Whether the range of two addresses is open. */
  isOpen: boolean
  /** Whether a range from a line number has started: it starts only once. */
  hasStarted: boolean
  /** The last line of an open range; -1 if it is not known. */
  lastLine: number
}

/** A parsed script; labels are indexes of commands. */
export interface Script {
  readonly commands: ReadonlyArray<Command>
  readonly labels: ReadonlyMap<string, number>
}
