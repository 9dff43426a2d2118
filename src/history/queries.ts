/**
 * Re-exports the queries of this module under their names in the public namespace `Audit`.
 *
 * @module
 */
export {
  commandOutput as output,
  entriesOf as entries,
  type EntriesOptions,
  type OutputPiece,
} from "./commandOutput.ts"
export {
  type Attempt,
  type CommandRecord,
  type CommandState,
  isFailed,
  isOpen,
  type Outcome,
  type RootRequest,
} from "./CommandRecord.ts"
export { commandStats as stats, type CommandStatsOptions } from "./commandStats.ts"
export { type CommandStats, outcomeName, type ProgramStats } from "./CommandCounter.ts"
export { findCommand as find, getCommand as get, LookupError } from "./findCommand.ts"
export { globMatcher } from "../base/globMatcher.ts"
export { type ExitCodeFilter, listCommands as list, type ListOptions } from "./listCommands.ts"
export { planPrune } from "./planPrune.ts"
export { positionAt } from "./positionAt.ts"
export { recordJson } from "./recordJson.ts"
export { unfinishedCommands as unfinished } from "./unfinishedCommands.ts"
