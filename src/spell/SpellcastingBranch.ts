/** Declares the Spellcasting branch: invocations are its requests, results and faults its events. */
import {
  makeServiceBranch,
  type RequestFailure,
  type RequestService,
  type ServiceBranch,
} from "../branch/ServiceBranch.ts"
import { SpellFault, type SpellFaultKind, SpellInvocation, SpellResult } from "./SpellEntry.ts"

const kinds: Readonly<Record<RequestFailure["kind"], SpellFaultKind>> = {
  AlreadyOpen: "Broken",
  Broken: "Broken",
  Cancelled: "Cancelled",
  HostLost: "HostLost",
  JournalFailed: "Broken",
  NotTaken: "Timeout",
}

/** A service that casts spells. */
export interface SpellcastingService extends RequestService<SpellInvocation, SpellResult, SpellFault> {}

/**
 * The Spellcasting branch.
 *
 * @example
 * ```ts
 * import { SpellcastingBranch, SpellInvocation } from "@sluice/shell/spell"
 *
 * const body = SpellcastingBranch.request.encode(SpellInvocation.make({ name: "read_file", arguments: {} }))
 * console.log(SpellcastingBranch.name, body._tag) // spellcasting SpellInvocation
 * ```
 */
export const SpellcastingBranch: ServiceBranch<SpellInvocation, SpellResult, SpellFault> = makeServiceBranch({
  name: "spellcasting",
  request: { tags: ["SpellInvocation"], schema: SpellInvocation },
  event: { tags: ["SpellResult"], schema: SpellResult },
  fault: { tags: ["SpellFault"], schema: SpellFault },
  makeFault: ({ correlationId, name }, { kind, what }) =>
    new SpellFault({ correlationId, spell: name, faultKind: kinds[kind], message: `${name}: ${what}` }),
})
