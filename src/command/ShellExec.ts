/** Declares the Schema class of a command: a program with arguments and options, as a value that encodes to JSON. */
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type ExecSchema, execSchema } from "./execSchema.ts"
import { attachSchema } from "./plain/attachSchema.ts"
import { execParser } from "./plain/execFields.ts"
import { ShellExec as PlainExec } from "./plain/ShellExec.ts"
import type { ShellExecOptions } from "./ShellExecOptions.ts"
import type { TemplateValue } from "./parseTemplateWords.ts"

export { OnHostLoss, ScriptShell } from "./execSchema.ts"
export type { ShellExecOptions } from "./ShellExecOptions.ts"

export interface ShellExec extends Schema.Schema.Type<ExecSchema> {}

/** The Schema class of {@link ShellExec}, with its constructors. */
export interface ShellExecClass extends Schema.Class<ShellExec, ExecSchema, {}> {
  /** The type of an instance, to which `instanceof` narrows. */
  readonly prototype: ShellExec
  /** Makes a command: of a template, of all its fields, or of a program. */
  readonly make: {
    /**
     * Makes a command from a template literal, with the rules of `cmd`: each `${value}` is one argument, and no shell reads
     * it.
     *
     * @throws {TemplateError} when the template is not a command.
     */
    (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
    /** Makes a command from all its fields, as every Schema class does. */
    (fields: ExecSchema["~type.make.in"], options?: Schema.MakeOptions): ShellExec
    /**
     * Makes a command from a program, its arguments and options. Numbers among the arguments become text.
     *
     * @throws {OptionError} for an unknown option, a bad value of one, and arguments that are no list of strings, numbers
     * and secrets.
     */
    // The compiler quotes the last overload in its error.
    (
      command: string,
      args?: ReadonlyArray<string | number | Redacted.Redacted<string>>,
      options?: ShellExecOptions,
    ): ShellExec
  }
  /**
   * Makes a command like another, with some options changed and an id of its own; `undefined` removes an option. The
   * other command is the first argument or is piped. A spread of the fields would keep the id, and with it the identity
   * of the command.
   *
   * @throws {OptionError} for an option that is unknown, or not a time span.
   *
   * @example
   * ```ts
   * import { ShellExec } from "@sluice/shell"
   *
   * const build = ShellExec.make("npm", ["run", "build"], { cwd: "/srv/app", timeout: "1 minute" })
   * const longer = ShellExec.with(build, { timeout: "10 minutes" })
   * console.log(longer.workingDirectory === "/srv/app" && longer.commandId !== build.commandId) // true
   * ```
   */
  readonly with: {
    (options: ShellExecOptions): (exec: ShellExec) => ShellExec
    (exec: ShellExec, options: ShellExecOptions): ShellExec
  }
  /**
   * Makes a command of a shell script: `ShellExec.shell("ls | wc -l")` runs as `/bin/sh -c "ls | wc -l"` (or the
   * leaf's shell). The script is trusted: never put untrusted input into it.
   *
   * With `{ shell: "portable" }` it runs in the shell of this package, the language of bash, and each program that it starts
   * is a command on the leaf: the same script everywhere, also where there is no `sh`.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect } from "effect"
   *
   * const script = "printf 'b\\na\\n' | sort | head -n 1"
   * for (const shell of ["system", "portable"] as const) {
   *   const first = Shell.text(ShellExec.shell(script, { shell })).pipe(Effect.provide(LocalShell.layer))
   *   console.log(await Effect.runPromise(first))
   * }
   * // a
   * // a
   * ```
   */
  readonly shell: (script: string, options?: ShellExecOptions) => ShellExec
}

/** Parses fields; throws the error of the Schema, which has the details. */
const parseWithSchema = (
  fields: ExecSchema["~type.make.in"],
  options?: Schema.MakeOptions,
): ExecSchema["Type"] => {
  try {
    return execSchema.make(fields, options)
  } catch (error) {
    throw error instanceof Error && SchemaIssue.isIssue(error.cause) ? new Schema.SchemaError(error.cause) : error
  }
}

const withSchema = (
  plain: { readonly prototype: ShellExec } & Pick<ShellExecClass, "make" | "shell" | "with">,
): ShellExecClass => {
  const schema: Schema.Class<ShellExec, ExecSchema, {}> = Schema.Class<ShellExec>("ShellExec")(execSchema)
  execParser.parseWithSchema = parseWithSchema
  attachSchema<typeof schema>(plain, schema)
  return plain
}

/**
 * A command to run: a value, with no effect until a `Shell` runs it.
 *
 * Encodes to JSON: durations in milliseconds, bytes as base64, secrets as a marker without the secret. `commandId`,
 * `arguments`, `streamOutput` and `useShell` may be missing when it is decoded. The options have short names (`cwd`, `env`,
 * `extendEnv`); the fields and the encoded form have long ones (`workingDirectory`, `environment`, `inheritEnvironment`).
 *
 * - An unknown option, or one that is no duration, throws an `OptionError`.
 * - A field of the wrong type is a `SchemaError` from `make` and from decoding.
 * - A command that cannot start a process (empty, or with a NUL) is a `ShellFault` with reason `InvalidRequest` when it is
 *   run.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 *
 * const log = ShellExec.make("git", ["log", "-n", "3"], { timeout: "10 seconds" })
 * console.log(log.command, log.arguments.length) // git 3
 *
 * const branch = "feature/a b"
 * console.log(ShellExec.make`git switch ${branch}`.arguments[1] === branch) // true
 * ```
 */
export const ShellExec: ShellExecClass = withSchema(PlainExec)
