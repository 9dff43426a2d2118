/**
 * Exports the public names of this room but the stores in files and databases: the Journal service, entries, errors,
 * options, the memory journal, redactors and the contract of stores.
 *
 * `src/compute/journal.ts` exports them to users, with a description of journals, as `@sluice/shell/journal`.
 *
 * Not a library's log: Effect's `EventJournal` has no order across writers, no conditional append and no hash chain, and
 * an event store such as EventStoreDB is a server of its own.
 */
export { Checkpoint } from "./checkpoint.ts"
export type { Body, Draft, Entry, Filter, Head, Position } from "./Entry.ts"
export { JournalError } from "./JournalError.ts"
export * as JournalErrorReason from "./JournalErrorReason.ts"
export * from "./JournalService.ts"
export type { Durability } from "./JournalStore.ts"
export * as JournalStore from "./store.ts"
export type { JournalOptions } from "./makeJournal.ts"
export * as MemoryJournal from "./stores/memory/MemoryJournal.ts"
export * as Redactor from "./redaction/Redactor.ts"
export type { PruneOptions, PruneReport } from "./PruneOptions.ts"
export type { VerifyOptions, VerifyReport } from "./verify.ts"
