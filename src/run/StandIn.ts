/** Declares the mocks and recordings that answer a runner's commands in place of processes, without types of Effect. */
import type { RunDuration } from "./RunOptions.ts"

/** A command that a mock answers. */
export interface MockCommand {
  /** The line to type for it, as `LazyCommand.command` has it. */
  readonly line: string
  /** The program; for a script its text. */
  readonly command: string
  /** The arguments, secrets as `<redacted>`. */
  readonly args: ReadonlyArray<string>
  /** Whether it is a script of a shell. */
  readonly isScript: boolean
  /** Its option `cwd`. */
  readonly cwd?: string | undefined
}

/** A mocked command: it writes its output after the delay, and ends. */
export interface MockResult {
  /** Default: none. */
  readonly stdout?: string | Uint8Array | undefined
  /** Default: none. */
  readonly stderr?: string | Uint8Array | undefined
  /** Default: 0. */
  readonly exitCode?: number | undefined
  /** Name of the signal that ends it, instead of an exit code. */
  readonly signal?: string | undefined
  /** Time before it writes. Default: none. */
  readonly delay?: RunDuration | undefined
}
