/** Declares the error of an access policy that is invalid, or that a leaf cannot enforce. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

const Base: Schema.Class<
  AccessPolicyError,
  Schema.TaggedStruct<"AccessPolicyError", {
    readonly field: typeof Schema.String
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<AccessPolicyError>()("AccessPolicyError", { field: Schema.String, message: Schema.String })

/**
 * A policy that cannot be enforced: it is invalid, or its leaf cannot look up the files and variables that the policy
 * names. `field` is the setting, or the environment variable. It occurs when a layer is built or a policy is read,
 * before any command.
 *
 * @example
 * ```ts
 * import { AccessPolicyError } from "@sluice/shell/access"
 *
 * const error = new AccessPolicyError({ field: "allowedCommands", message: "the list is empty" })
 * console.log(error._tag === "AccessPolicyError" && error.field) // allowedCommands
 * ```
 */
export class AccessPolicyError extends Base {}
