/**
 * What was run: the commands of a journal, what became of them, and what they wrote.
 *
 * Everything here reads the `Journal` of the context, whoever wrote it: a `JournaledShell` shell, a daemon, another machine.
 * Commands are looked for by what stands beside their output, so a journal may be far larger than memory.
 *
 * Source: Compute Branch, "Why a Branch?": "every command and its output is journaled. Replay, debug, compliance."
 *
 * @module
 */
export { type AsciicastOptions, AsciicastWriter } from "./asciicast.ts"
export * from "./CommandRecord.ts"
export { type CommandStats, outcomeName, type ProgramStats } from "./CommandCounter.ts"
export { commandStats, type CommandStatsOptions } from "./stats.ts"
export { commandById, findCommand, LookupError, type LookupErrorFields } from "./find.ts"
export { globMatcher } from "./glob.ts"
export { type ExitCodeFilter, listCommands, type ListOptions } from "./list.ts"
export { openCommands } from "./unfinished.ts"
export { entriesOf, type EntriesOptions, outputOf, type OutputPiece } from "./output.ts"
export { planPrune } from "./planPrune.ts"
export { positionAt } from "./positionAt.ts"
export { recordJson } from "./recordJson.ts"
