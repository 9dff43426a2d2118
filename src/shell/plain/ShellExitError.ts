/** Declares the error of a command whose exit code or signal counts as a failure, without its Schema. */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import type { ShellOutput } from "../../command/ShellEvent.ts"
import { constructorFields, type ConstructorOptions, type FieldParser } from "../../command/plain/attachSchema.ts"

/** The fields of the error. */
export interface ExitErrorFields {
  readonly message: string
  readonly command?: string
  readonly output: ShellOutput
}

/** Takes the fields as they are. Replaced by the Schema's constructor where a Schema is attached. */
export const exitErrorParser: FieldParser<ExitErrorFields> = { parse: (fields) => fields }

/** Lines and characters of stderr that a message shows at most. */
const shownLines = 10
const shownLength = 2_000

const lastLines = (text: string): string => text.slice(-shownLength).trimEnd().split("\n").slice(-shownLines).join("\n")

const Base: new (
  fields: ExitErrorFields,
) => Cause.YieldableError & ExitErrorFields & { readonly _tag: "ShellExitError" } = Data.TaggedError("ShellExitError")<
  ExitErrorFields
>

/** The error; its documentation is that of the Schema class, which is this class with a Schema. */
export class ShellExitError extends Base {
  constructor(fields: ExitErrorFields, options?: ConstructorOptions) {
    super(constructorFields(exitErrorParser, fields, options))
  }

  /** The exit code of {@link ShellExitError.output}. */
  get exitCode(): number {
    return this.output.exitCode
  }

  /** The signal that ended it, if one did. */
  get signal(): string | undefined {
    return this.output.signal
  }

  /** Its stdout, if that was captured. */
  get stdout(): string {
    return this.output.stdout
  }

  /** Its stderr, if that was captured. */
  get stderr(): string {
    return this.output.stderr
  }

  /** Milliseconds from the spawn. */
  get duration(): number {
    return this.output.duration
  }

  /**
   * Makes the error of an output. Its message contains the command (default: the executed file), the exit code or signal, the
   * duration, and the last lines of `stderr` (default: that of the output).
   */
  static because(
    output: ShellOutput,
    shown: { readonly command?: string | undefined; readonly stderr?: string | undefined } = {},
  ): ShellExitError {
    const { command, stderr = output.stderr } = shown
    const how = output.signal === undefined ? `exited with ${output.exitCode}` : `was ended by ${output.signal}`
    const after = Duration.format(Duration.millis(Math.max(1, Math.round(output.duration))))
    const last = lastLines(stderr)
    return new ShellExitError({
      message: `exec: ${command ?? output.executable} ${how} after ${after} (EXIT)${last === "" ? "" : `\n${last}`}`,
      ...(command === undefined ? undefined : { command }),
      output,
    })
  }
}
