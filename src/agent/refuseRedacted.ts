/** Refuses spells whose arguments a journal has without their secrets: they would write the markers. */
import * as Stream from "effect/Stream"
import { SpellFault } from "../spell/SpellEntry.ts"
import type { SpellcastingService } from "../spell/SpellcastingBranch.ts"

/** The service, which tells of a redacted invocation to make it again. */
export const refuseRedacted = (spells: SpellcastingService): SpellcastingService => ({
  request: (invocation, options) => {
    const { correlationId, name, redacted = false } = invocation
    if (!redacted) return spells.request(invocation, options)
    const why = "the run was ended before this call, and the journal from which it continues does not keep secrets: " +
      "its answer has <redacted> in their place"
    const message = `${name}: it was not done: ${why}; make the call again with the text that is meant`
    return Stream.fail(new SpellFault({ correlationId, spell: name, faultKind: "InvalidArguments", message }))
  },
})
