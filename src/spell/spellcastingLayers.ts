/** The layers of the Spellcasting branch. */
import { type ServiceLayers, serviceLayers } from "../branch/serviceLayers.ts"
import { Spellcasting } from "./Spellcasting.ts"
import { SpellcastingBranch } from "./SpellcastingBranch.ts"

export const spellcastingLayers: ServiceLayers<Spellcasting> = /* @__PURE__ */ serviceLayers(
  SpellcastingBranch,
  Spellcasting,
)
