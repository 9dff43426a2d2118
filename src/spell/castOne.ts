/**
 * Casts one spell for a caller without a journal: a toolkit, a tool of the AI SDK, an MCP server.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { SpellFault, type SpellFaultKind, SpellInvocation } from "./SpellEntry.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"

const decodeJson = Schema.decodeUnknownResult(Schema.Json)

/**
 * Casts a spell by name with arguments as a caller sent them; none are an empty object. A defect is logged, and a fault
 * without its text: a model must not read a stack. Interruption interrupts the spell.
 */
export const castOne = (
  { request }: SpellcastingService,
  name: string,
  input: unknown,
): Effect.Effect<Schema.Json, SpellFault> => {
  const decoded = decodeJson(input ?? {})
  const invocation = SpellInvocation.make({ name, arguments: Result.getOrElse(decoded, () => null) })
  const { correlationId } = invocation
  const fault = (faultKind: SpellFaultKind, message: string): SpellFault =>
    new SpellFault({ correlationId, spell: name, faultKind, message: `${name}: ${message}` })
  if (Result.isFailure(decoded)) {
    return Effect.fail(fault("InvalidArguments", "the arguments are not JSON; send an object"))
  }
  return Stream.runHead(request(invocation)).pipe(
    Effect.map(Option.match({ onNone: () => null, onSome: ({ result }) => result })),
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError(`the spell ${name} broke`, defect),
        Effect.fail(fault("Broken", "the tool broke; its server logged why. Try another way")),
      )
    ),
  )
}
