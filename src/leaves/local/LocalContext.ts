/**
 * What the plan of a command goes by, and what it yields.
 *
 * @module
 */
import type * as Result from "effect/Result"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { Variables } from "./environment.ts"
import type { Host } from "./Host.ts"
import type { LocalShellSettings } from "./LocalShellOptions.ts"
import type { Resolver } from "./resolve-cache.ts"
import type { Platform } from "./resolve-paths.ts"

/** What the plan of a command goes by. */
export interface LocalContext {
  readonly host: Host
  readonly settings: LocalShellSettings
  readonly platform: Platform
  /** Finds programs, with the leaf's memory of where they were. */
  readonly resolve: Resolver
  /** The time for that memory: milliseconds of a clock that does not go backwards. */
  readonly nowMillis: number
  /** Text that marks this run's processes. */
  readonly marker: string
  /** The system's shell, where it may be run. */
  readonly shell: string | undefined
  /** Where `prlimit` is, if it is there. */
  readonly prlimit: string | undefined
}

/** A step of a plan: done, or the command is refused. */
export type Planned<A> = Result.Result<A, ShellFault>

/** A program to start with its arguments; `verbatim` when these are already quoted (Windows). */
export interface Program {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly verbatim: boolean
}

/** A program, and the file that the command means by it. */
export interface Found {
  readonly executable: string
  readonly program: Program
}

/** The child's variables, by name. */
export type ChildVariables = Variables
