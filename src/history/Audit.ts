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
export * as Audit from "./queries.ts"
export type { CommandStats, ProgramStats } from "./CommandCounter.ts"
export type { EntriesOptions, OutputPiece } from "./commandOutput.ts"
export type { Attempt, CommandRecord, CommandState, Outcome } from "./CommandRecord.ts"
export type { CommandStatsOptions } from "./commandStats.ts"
export { LookupError } from "./findCommand.ts"
export type { ExitCodeFilter, ListOptions } from "./listCommands.ts"
