/**
 * Describes a subcommand (help, operand, flags, implementation) and the words of its command line.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { CliProcess } from "./CliProcess.ts"
import type { FlagSpecs, FlagTexts } from "./FlagSpec.ts"
import type { UsageError } from "./UsageError.ts"

/** The words of a command line, after the names of its subcommands. */
export interface CommandWords {
  readonly flags: FlagTexts
  /** The words that are no flags. */
  readonly operands: ReadonlyArray<string>
}

/** Runs a subcommand and returns its exit status. */
export type CommandHandler = (words: CommandWords, cli: CliProcess) => Effect.Effect<number, UsageError>

/** The operand of a subcommand. */
export interface OperandSpec {
  readonly name: string
  readonly about: string
  /** Minimum number of operands. */
  readonly min: number
  /** Maximum number of operands. */
  readonly max: number
  /** Whether the words after the first operand are all operands, even those that look like flags. */
  readonly isVerbatim?: boolean | undefined
}

/** A subcommand. */
export interface CommandSpec {
  readonly name: string
  /** One line in the list of subcommands. */
  readonly short: string
  /** Its own help text. */
  readonly about: string
  readonly operand?: OperandSpec | undefined
  readonly flags: FlagSpecs
  readonly examples: ReadonlyArray<readonly [command: string, description: string]>
  /** Loads the implementation, on demand: most command lines need a small part of this package. */
  readonly load: () => Promise<CommandHandler>
  /** The optional package that the implementation imports. */
  readonly needs?: string | undefined
}

/** A subcommand with subcommands of its own. */
export interface CommandGroup {
  readonly name: string
  readonly short: string
  readonly about: string
  /** The flags that all its subcommands have. */
  readonly flags: FlagSpecs
  readonly commands: ReadonlyArray<CommandSpec>
}
