/** Declares the part of the Standard Schema interface that checks output, and the error of output that it refuses. */

/**
 * A schema with the interface of https://standardschema.dev: a schema of zod, valibot or arktype directly, an Effect Schema
 * by `Schema.toStandardSchemaV1`.
 */
export interface StandardSchema<A> {
  /** The properties of the interface. */
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<A> | Promise<StandardResult<A>>
  }
}

/**
 * The result of a validation: the value, or its problems.
 *
 * @stability experimental
 */
export type StandardResult<A> =
  | { readonly value: A; readonly issues?: undefined }
  | {
    readonly issues: ReadonlyArray<{
      readonly message: string
      readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
    }>
  }

/**
 * The stdout of a command is not JSON, or does not match the schema of `json(schema)`.
 *
 * @example
 * ```ts
 * import { $, OutputError } from "@sluice/shell/run"
 *
 * const error = await $`echo no`.json().catch((error: unknown) => error)
 * console.log(error instanceof OutputError && error.message.startsWith("the stdout of echo no is not JSON")) // true
 * ```
 */
export class OutputError extends Error {
  /** Distinguishes it from other errors. */
  readonly _tag = "OutputError"
  /** The class's name, for messages. */
  override readonly name: string = "OutputError"
  /** The command line, secrets as `<redacted>`. */
  readonly command: string
  /** The problems that the schema found, with their paths; none if the output is not JSON. */
  readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }>

  /** `problem` is the expectation that the output fails: `JSON`, or the requirement of a schema. */
  constructor(command: string, problem: string, issues: OutputError["issues"] = []) {
    super(`the stdout of ${command} is not ${problem}`)
    this.command = command
    this.issues = issues
  }
}
