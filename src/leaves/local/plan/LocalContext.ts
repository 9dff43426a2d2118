/** Declares the input and the results of planning a local command. */
import type * as Result from "effect/Result"
import type { ShellFault } from "../../../command/ShellFault.ts"
import type { Host } from "../../../host/Host.ts"
import type { LocalShellSettings } from "../LocalShellOptions.ts"
import type { Resolver } from "./makeResolver.ts"
import type { Platform } from "../../../host/paths.ts"

/** The input of planning a command: host, settings and what the leaf remembers. */
export interface LocalContext {
  readonly host: Host
  readonly settings: LocalShellSettings
  readonly platform: Platform
  /** Resolves programs, with the leaf's cache. */
  readonly resolve: Resolver
  /** The current time for the cache of programs: milliseconds of a monotonic clock. */
  readonly nowMillis: number
  /** Text in the environment of this run's processes. */
  readonly marker: string
  /** The markers of the runs and of the watchdog around this run. */
  readonly outerMarker: string | undefined
  /** The system's shell, where it may be run. */
  readonly shell: string | undefined
  /** Path of `prlimit`, if it exists. */
  readonly prlimit: string | undefined
}

/** The result of a step, or the fault that refuses the command. */
export type PlanResult<A> = Result.Result<A, ShellFault>

/** A program to start with its arguments; `verbatim` when these are already quoted (Windows). */
export interface Program {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly verbatim: boolean
}

/** The program to start, and the file that the command names. */
export interface ProgramPlan {
  readonly executable: string
  readonly program: Program
}
