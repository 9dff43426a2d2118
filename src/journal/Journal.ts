/**
 * Exports the public names of this module, except the stores in files and databases. Code that needs the `Journal`
 * service alone imports `JournalService.ts`, which defines it.
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
export type { VerifyOptions, VerifyReport } from "./verifyStore.ts"
