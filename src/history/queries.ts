/**
 * Collects the queries of this room under the names that they have in the public namespace `Audit`.
 *
 * @module
 */
export { commandOutput as output, entriesOf as entries } from "./commandOutput.ts"
export { isFailed, isOpen } from "./CommandRecord.ts"
export { commandStats as stats } from "./commandStats.ts"
export { outcomeName } from "./CommandCounter.ts"
export { findCommand as find, getCommand as get } from "./findCommand.ts"
export { globMatcher } from "./glob.ts"
export { listCommands as list } from "./listCommands.ts"
export { planPrune } from "./planPrune.ts"
export { positionAt } from "./positionAt.ts"
export { recordJson } from "./recordJson.ts"
export { unfinishedCommands as unfinished } from "./unfinishedCommands.ts"
