import type { Regex } from "../../regex/Regex.ts"

/** Where a command applies. */
export type Address =
  | { readonly _tag: "Line"; readonly line: number }
  | { readonly _tag: "Last" }
  | { readonly _tag: "Step"; readonly first: number; readonly step: number }
  /** `undefined`: the expression used last. */
  | { readonly _tag: "Match"; readonly pattern: Regex | undefined }
  /** Second addresses only: so many lines more, or up to a multiple. */
  | { readonly _tag: "More"; readonly count: number }
  | { readonly _tag: "Multiple"; readonly of: number }

/** What stands for a match in `s`: text, a group, or a change of case. */
export type ReplacementPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Group"; readonly index: number }
  | { readonly _tag: "Case"; readonly letter: string }

/** What a command does. Texts are binary strings; targets are indexes of commands. */
export type Action =
  | { readonly _tag: "Simple"; readonly letter: string; readonly value?: number | undefined }
  | { readonly _tag: "Text"; readonly letter: string; readonly text: string }
  | { readonly _tag: "Jump"; readonly letter: string; readonly label: string }
  | { readonly _tag: "Block"; end: number }
  | { readonly _tag: "File"; readonly letter: string; readonly path: string }
  | { readonly _tag: "Translate"; readonly map: Uint8Array | ReadonlyMap<string, string> }
  | {
    readonly _tag: "Substitute"
    readonly pattern: Regex | undefined
    readonly pieces: ReadonlyArray<ReplacementPart>
    readonly global: boolean
    readonly nth: number
    readonly print: boolean
    readonly file: string | undefined
  }

/** One command of a script. */
export interface Command {
  readonly from: Address | undefined
  readonly to: Address | undefined
  readonly negated: boolean
  readonly action: Action
  /** Whether the range of two addresses is open, and the line with which it ends when that is known. */
  open: boolean
  /** Whether a range that begins at a line's number has begun: it does so once. */
  begun: boolean
  until: number
}

/** A script that was read. */
export interface Script {
  readonly commands: ReadonlyArray<Command>
  readonly labels: ReadonlyMap<string, number>
}
