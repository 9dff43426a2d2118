/** Declares a launcher rule, which finds the programs that a program runs by its arguments. */
export type LaunchOutcome =
  | { readonly _tag: "Plain" }
  /** The launcher runs these commands, each with its name first. */
  | {
    readonly _tag: "Runs"
    readonly commands: ReadonlyArray<ReadonlyArray<string>>
    /** Whether the commands get further arguments, anywhere after the name, which are known only at run time. */
    readonly adds?: boolean
  }
  /** The program runs code from its arguments, files or input: a caller that may run it may run anything. */
  | { readonly _tag: "Code" }
  /** The launcher sets variables of the commands that it runs. */
  | { readonly _tag: "Sets"; readonly names: ReadonlyArray<string>; readonly then: LaunchOutcome }
  /**
   * The launcher would run a command that is unknown or forbidden; `why` continues a sentence that begins with the
   * program's name.
   */
  | { readonly _tag: "Refused"; readonly why: string }

/**
 * Determines how a program uses its arguments. `isOpenFile`: whether a word leads to an open file (`/dev/stdin`) from the
 * directory of the command; left out if that is not known.
 */
export type LauncherRule = (words: ReadonlyArray<string>, isOpenFile?: (word: string) => boolean) => LaunchOutcome

export const plain: LaunchOutcome = { _tag: "Plain" }

export const code: LaunchOutcome = { _tag: "Code" }

export const refused = (why: string): LaunchOutcome => ({ _tag: "Refused", why })

export const runsCommand = (...words: ReadonlyArray<string>): LaunchOutcome =>
  words.length === 0 ? plain : { _tag: "Runs", commands: [words] }

/** The outcome of a launcher that runs one command with further arguments, which it reads when it runs. */
export const runsWithMore = (...words: ReadonlyArray<string>): LaunchOutcome => ({
  _tag: "Runs",
  commands: [words],
  adds: true,
})
