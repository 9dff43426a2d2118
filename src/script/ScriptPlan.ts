/** Declares the plan of one script: its files and variables, and the decisions about programs and files. */
import type { ShellExec } from "../command/ShellExec.ts"
import type { FileSystem, OpenOptions } from "../kernel/FileSystem.ts"
import type { ProgramRequest } from "../kernel/process/Programs.ts"
import type { Program } from "../kernel/System.ts"
import type { SpawnConstraints } from "../shell/LeafFiles.ts"
import type { ExitFault } from "../shell/SpawnedProcess.ts"

export type StartDecision =
  /** The stage is started as a command on the leaf. */
  | {
    readonly _tag: "Command"
    readonly path: string
    readonly exec: ShellExec
    readonly constraints?: SpawnConstraints | undefined
  }
  | { readonly _tag: "Program"; readonly path: string; readonly program: Program }
  /** The program does not exist; the script continues with status 127. */
  | { readonly _tag: "Missing" }
  /** The program may not be executed; the script continues with status 126. */
  | { readonly _tag: "Denied" }
  /** The script may not run the program, and ends with this fault. */
  | { readonly _tag: "Refused"; readonly fault: ExitFault }

export interface ScriptPlan {
  readonly fileSystem: FileSystem
  /** Whether its commands have the same files, rather than others that the script cannot read. Default: `true`. */
  readonly hasFiles?: boolean | undefined
  readonly cwd: string
  readonly env: Iterable<readonly [string, string]>
  /** The permissions that files created by the script lack. Default: write permission for others. */
  readonly umask?: number | undefined
  /** Names of programs, as `ls /bin` shows them. */
  readonly names: ReadonlyArray<string>
  /** Returns the path that a name or path means in a folder and with a PATH, or an errno. */
  readonly which: (name: string, cwd: string, path: string | undefined) => string | number
  /** Decides about a program that is to start, with its arguments, folder and variables. */
  readonly start: (request: ProgramRequest) => StartDecision
  /** Whether the shell has a builtin; the name of another one means a program. */
  readonly hasBuiltin: (name: string) => boolean
  /** The fault of a file that the script itself may not open: by a redirection, `$(<file)` or `source`. */
  readonly refuseOpen: (path: string, options: OpenOptions, cwd: string) => ExitFault | undefined
}
