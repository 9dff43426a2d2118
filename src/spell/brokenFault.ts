/** Logs a defect of a spell for people, and makes the fault that a model may see. */
import * as Effect from "effect/Effect"
import { SpellFault, type SpellInvocation } from "./SpellEntry.ts"

/** The fault of a defect, which is logged for people: a model gets no stack, and cannot fix it. */
export const brokenFault = (
  { correlationId, name }: SpellInvocation,
  defect: unknown,
): Effect.Effect<never, SpellFault> =>
  Effect.andThen(
    Effect.logError(`spell ${name}: call ${correlationId} broke`, defect),
    Effect.fail(
      new SpellFault({
        correlationId,
        spell: name,
        faultKind: "Broken",
        message: `${name}: internal error; the arguments are not the cause; try another way`,
      }),
    ),
  )
