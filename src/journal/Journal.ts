/**
 * Journals: append-only logs of entries, chained by hashes, that several processes can append to and follow.
 *
 * Positions count from 1 without gaps. An append returns once its entries are as durable as requested; a tail delivers
 * each entry once and in order, whichever process appended it; a condition lets one of several appends win. Entries belong
 * to branches, which define their Schemas (see `Branch` in `@sluice/shell/daemon`). The layer decides where entries are kept:
 * {@link MemoryJournal} here, and `@sluice/shell/journal/ndjson`, `…/sqlite` and `…/postgres`.
 *
 * Not a library's log: Effect's `EventJournal` has no order across writers, no conditional append and no hash chain, and
 * an event store such as EventStoreDB is a server of its own.
 *
 * @module
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
