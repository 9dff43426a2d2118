/**
 * Spells: typed tools for agents, over the files and the shell of the context.
 *
 * @module
 */
export * as Spell from "./Spell.ts"
export * as Spellbook from "./SpellbookModule.ts"
export * from "./SpellEntry.ts"
export { SpellcastingBranch, type SpellcastingService } from "./SpellcastingBranch.ts"
export { deleteFile, editFile, listDirectory, readFile, writeFile } from "./builtin/files.ts"
export { runCommand } from "./builtin/runCommand.ts"
export * as ApprovalMemory from "./ApprovalMemory.ts"
export * as ApprovalPolicy from "./ApprovalPolicy.ts"
export * as Approver from "./Approver.ts"
export {
  ApprovalAnswer,
  ApprovalBranch,
  ApprovalFault,
  ApprovalReply,
  ApprovalRequest,
  type ApproverService,
} from "./ApprovalBranch.ts"
export { ApprovalDecision, ApprovalRule } from "./ApprovalRule.ts"
export type { SpellTarget } from "./SpellTarget.ts"
export { type ToolDialect, toolSchema } from "./toolSchema.ts"
