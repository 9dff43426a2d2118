/** Defines `JournalError`, the one error of all journal operations. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { JournalErrorReason } from "./JournalErrorReason.ts"

const Base: Schema.Class<
  JournalError,
  Schema.TaggedStruct<"JournalError", {
    readonly reason: typeof JournalErrorReason
    readonly message: typeof Schema.String
    readonly exception: Schema.optionalKey<typeof Schema.String>
  }>,
  Cause.YieldableError
> = Schema.TaggedError<JournalError>()("JournalError", {
  reason: JournalErrorReason,
  message: Schema.String,
  exception: Schema.optionalKey(Schema.String),
})

/**
 * The one error of journals. `reason` is one of {@link JournalErrorReason}. `message` reads
 * `journal: what was tried, and what happened (CODE)`, for people and models, and never quotes an entry; `exception` is what
 * the store threw, as text.
 *
 * A failed append has added none of its entries, except that after `Unavailable` this may be unknown; the message then says
 * so.
 *
 * @example
 * ```ts
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
 * const once = Journal.append([draft], { condition: { after: 0, noneOf: { correlationId: "n1" } } })
 * const program = Effect.andThen(once, once).pipe(
 *   Effect.as(0),
 *   Effect.catchReason("JournalError", "Conflict", ({ position }) => Effect.succeed(position)),
 *   Effect.provide(MemoryJournal.layer),
 * )
 * console.log(await Effect.runPromise(program)) // 1
 * ```
 */
export class JournalError extends Base {
  /**
   * Makes an error of a reason and a message.
   *
   * @example
   * ```ts
   * import { JournalError } from "@sluice/shell/journal"
   *
   * const error = JournalError.because({ _tag: "Unavailable", code: "ECONNREFUSED" }, "journal: no server (ECONNREFUSED)")
   * console.log(error._tag === "JournalError" && error.reason._tag) // Unavailable
   * ```
   */
  static because(reason: JournalErrorReason, message: string, exception?: unknown): JournalError {
    return new JournalError({ reason, message, ...(exception === undefined ? {} : { exception: String(exception) }) })
  }
}
