/**
 * Exports the functions on spellbooks, as the namespace `Spellbook`.
 *
 * @module
 */
export { type AiTool, type AiToolCallOptions, type AiTools, aiTools, type AiToolSchema } from "./aiTools.ts"
export { standard, type StandardSpell } from "./builtin/standard.ts"
export * from "./Spellbook.ts"
export { type SpellTool, type SpellTools, toolkit } from "./toolkit.ts"
