/**
 * Types of what a call of a spell would touch, by which an approval policy decides.
 *
 * @module
 */

/**
 * What a call of a spell would touch: a path of the workspace, a program with its arguments, or a script for the shell.
 *
 * @stability experimental
 */
export type SpellTarget =
  | {
    readonly _tag: "Path"
    readonly path: string
    /** Whether all below the path is touched too. Default: `false`. */
    readonly recursive?: boolean | undefined
  }
  | { readonly _tag: "Command"; readonly command: string; readonly arguments: ReadonlyArray<string> }
  | { readonly _tag: "Script"; readonly script: string }
