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
 * The stdout of a command cannot be returned in the form that was asked for. `reason._tag` is
 *
 * - `"NotJson"`: `json()` cannot parse it;
 * - `"NotOfSchema"`: the schema of `json(schema)` refuses it, with `issues`;
 * - `"Incomplete"`: `maxOutputBytes` left out its middle, so there are no whole bytes or JSON;
 * - `"LineTooLong"`: a line exceeds `maxOutputBytes`.
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
  /** Why the output cannot be returned. */
  readonly reason:
    | { readonly _tag: "NotJson" | "NotOfSchema" }
    | { readonly _tag: "Incomplete"; readonly bytesOmitted: number }
    | { readonly _tag: "LineTooLong"; readonly maxLength: number }
  /** The command line, secrets as `<redacted>`. */
  readonly command: string
  /** The problems that the schema found, with their paths; none if the output is not JSON. */
  readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }>

  /** Made where output is read. */
  constructor(command: string, reason: OutputError["reason"], message: string, issues: OutputError["issues"] = []) {
    super(message)
    this.reason = reason
    this.command = command
    this.issues = issues
  }
}
