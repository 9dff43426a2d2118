/**
 * Spells: typed tools for agents, over the files and the shell of the context.
 *
 * @module
 */
export * as Spell from "./Spell.ts"
export * as SpellRoute from "./SpellRoute.ts"
export * as Spellbook from "./Spellbook.ts"
export * from "./SpellEntry.ts"
export { Spellcasting } from "./Spellcasting.ts"
export * as DaemonSpellcasting from "./DaemonSpellcasting.ts"
export * as JournaledSpellcasting from "./JournaledSpellcasting.ts"
export * as ReplaySpellcasting from "./ReplaySpellcasting.ts"
export * as SpellcastingDaemon from "./SpellcastingDaemon.ts"
export { SpellcastingBranch, type SpellcastingService } from "./SpellcastingBranch.ts"
export { deleteFile, editFile, listDirectory, readFile, writeFile } from "./builtin/files.ts"
export { applyPatch, searchFiles } from "./builtin/searchFiles.ts"
export { executeCode } from "./builtin/executeCode.ts"
export { readOutput, sendInput, startProcess, stopProcess } from "./builtin/processes.ts"
export { runCommand, runScript } from "./builtin/runCommand.ts"
export { queryDatabase } from "./builtin/queryDatabase.ts"
export { ProcessTable } from "./ProcessTable.ts"
export { ProcessTableError } from "./ProcessTableError.ts"
export type { OutputKind, ProcessOutput, ProcessTableOptions, ProcessTableService } from "./ProcessTableService.ts"
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
export * as OpenQuestions from "./OpenQuestions.ts"
