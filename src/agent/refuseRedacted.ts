/** Refuses spells whose arguments came from a journal without their secrets. */
import * as Stream from "effect/Stream"
import { SpellFault } from "../spell/SpellEntry.ts"
import type { SpellcastingService } from "../spell/SpellcastingBranch.ts"

/** Refuses spells whose arguments a journal has without their secrets: they would write the markers. */
export const refuseRedacted = (spells: SpellcastingService): SpellcastingService => ({
  request: (invocation, options) => {
    const { correlationId, name, redacted = false } = invocation
    if (!redacted) return spells.request(invocation, options)
    const why = "the run was ended before this call, and the journal from which it continues does not keep secrets: " +
      "its answer has <redacted> in place of the secret"
    const message = `${name}: not done: ${why}; repeat the call with the real text`
    return Stream.fail(new SpellFault({ correlationId, spell: name, faultKind: "InvalidArguments", message }))
  },
})
