/**
 * Exports the functions on spellbooks, as the namespace `Spellbook`.
 *
 * @module
 */
export { type AiTool, type AiToolCallOptions, type AiTools, aiTools, type AiToolSchema } from "./aiTools.ts"
export { standard, type StandardSpell } from "./builtin/standard.ts"
export { cast, castWith, inspect, service } from "./castSpell.ts"
export { check, make, type RequirementsOf, select, type Spellbook } from "./makeSpellbook.ts"
export { type SpellTool, type SpellTools, toolkit } from "./toolkit.ts"
