/** Casts one spell for a caller that sends arguments of any kind: a toolkit, a tool of the AI SDK, an MCP server. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import { castWith } from "./castSpell.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"
import { SpellFault } from "./SpellEntry.ts"

const decodeJson = Schema.decodeUnknownResult(Schema.Json)

/** Casts a spell by name; no arguments are an empty object. Interruption interrupts the spell. */
export const castOne = (
  spells: SpellcastingService,
  name: string,
  input: unknown,
): Effect.Effect<Schema.Json, SpellFault> => {
  const decoded = decodeJson(input ?? {})
  if (Result.isSuccess(decoded)) return castWith(spells, name, decoded.success)
  return Effect.fail(
    new SpellFault({
      correlationId: CommandId.make(),
      spell: name,
      faultKind: "InvalidArguments",
      message: `${name}: the arguments are not JSON; send an object`,
    }),
  )
}
