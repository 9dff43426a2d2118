/** Declares `ShellExitError`, the error of a command whose exit code or signal counts as a failure, with its Schema. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { attachSchema } from "../command/plain/attachSchema.ts"
import { ShellOutput } from "../command/ShellEvent.ts"
import { exitErrorParser, ShellExitError as PlainExitError } from "./plain/ShellExitError.ts"

type ShellExitErrorBase = Schema.TaggedStruct<"ShellExitError", {
  readonly message: Schema.String
  readonly command: Schema.optionalKey<Schema.String>
  readonly output: typeof ShellOutput
}>

const struct: ShellExitErrorBase = Schema.TaggedStruct("ShellExitError", {
  message: Schema.String,
  command: Schema.optionalKey(Schema.String),
  output: ShellOutput,
})

/**
 * A command ended with an exit code or signal that the caller treats as a failure. `output` is its last event.
 */
export interface ShellExitError extends Schema.Schema.Type<ShellExitErrorBase>, Cause.YieldableError {
  /** Describes the failure, for people and models. */
  readonly message: string
  /** The exit code of {@link ShellExitError.output}. */
  readonly exitCode: number
  /** The signal that ended it, if one did. */
  readonly signal: string | undefined
  /** Its stdout, if that was captured. */
  readonly stdout: string
  /** Its stderr, if that was captured. */
  readonly stderr: string
  /** Milliseconds from the spawn. */
  readonly duration: number
}

/** The Schema class of {@link ShellExitError}, with its constructors. */
export interface ShellExitErrorClass extends Schema.Class<ShellExitError, ShellExitErrorBase, ShellExitError> {
  /** The type of an instance, to which `instanceof` narrows. */
  readonly prototype: ShellExitError
  /**
   * Makes the error of an output. Its message contains the command (default: the executed file), the exit code or signal,
   * the duration, and the last lines of `stderr` (default: the output's).
   */
  readonly because: (
    output: ShellOutput,
    shown?: { readonly command?: string | undefined; readonly stderr?: string | undefined },
  ) => ShellExitError
}

const withSchema = (
  plain: { readonly prototype: ShellExitError } & Pick<ShellExitErrorClass, "because">,
): ShellExitErrorClass => {
  const schema: Schema.Class<ShellExitError, ShellExitErrorBase, Cause.YieldableError> = Schema.Error<ShellExitError>(
    "ShellExitError",
  )(struct)
  exitErrorParser.parse = (fields, options) => struct.make(fields, options)
  attachSchema<typeof schema, ShellExitErrorClass>(plain, schema)
  return plain
}

/**
 * A command ended with an exit code or signal that the caller treats as a failure. `output` is its last event.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const strict = Shell.run(ShellExec.shell("echo no >&2; exit 3")).pipe(Shell.failOnExit(), Effect.flip)
 * const error = await Effect.runPromise(Effect.provide(strict, LocalShell.layer))
 * console.log(error._tag === "ShellExitError" && error.exitCode === 3 && error.stderr) // no
 * ```
 *
 * @stability stable
 */
export const ShellExitError: ShellExitErrorClass = withSchema(PlainExitError)
