/** Types of the targets of a spell's call, by which an approval policy decides. */

/**
 * A target of a call of a spell: a path of the workspace, a program with its arguments, a script for the shell, code of
 * another language, or input for a process that runs. `cwd` is the folder that the call names to run it in.
 */
export type SpellTarget =
  | {
    readonly _tag: "Path"
    readonly path: string
    /** Whether everything below the path is touched, too. Default: `false`. */
    readonly recursive?: boolean | undefined
  }
  | {
    readonly _tag: "Command"
    readonly command: string
    readonly arguments: ReadonlyArray<string>
    readonly cwd?: string | undefined
  }
  | { readonly _tag: "Script"; readonly script: string; readonly cwd?: string | undefined }
  | { readonly _tag: "Code"; readonly language: string; readonly code: string; readonly cwd?: string | undefined }
  | { readonly _tag: "Input"; readonly process: string; readonly text: string }
