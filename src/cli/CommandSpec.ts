/** Declares the types that describe a subcommand, its command line, and the function that runs it. */
import type * as Effect from "effect/Effect"
import type { CliProcess } from "./CliProcess.ts"
import type { FlagSpecs, FlagTexts } from "./FlagSpec.ts"
import type { BrokenOutputError } from "./ProcessOutput.ts"
import type { UsageError } from "./UsageError.ts"

export interface CommandWords {
  /** The name of the innermost subcommand: `list` of `sluice journal list`. */
  readonly name: string
  readonly flags: FlagTexts
  /** The words that are no flags. */
  readonly operands: ReadonlyArray<string>
}

export type CommandHandler = (
  words: CommandWords,
  cli: CliProcess,
) => Effect.Effect<number, UsageError | BrokenOutputError>

export interface OperandSpec {
  readonly name: string
  readonly about: string
  readonly min: number
  readonly max: number
  /** Whether the words after the first operand are all operands, even those that look like flags. */
  readonly isVerbatim?: boolean | undefined
}

export interface CommandSpec {
  readonly name: string
  /** One line in the list of subcommands. */
  readonly short: string
  readonly about: string
  readonly operand?: OperandSpec | undefined
  /** An optional operand after the first. */
  readonly secondOperand?: Pick<OperandSpec, "name" | "about"> | undefined
  readonly flags: FlagSpecs
  readonly examples: ReadonlyArray<readonly [command: string, description: string]>
}

export interface CommandGroup {
  readonly name: string
  readonly short: string
  readonly about: string
  /** The flags that all its subcommands have. */
  readonly flags: FlagSpecs
  readonly commands: ReadonlyArray<CommandSpec>
}
