/**
 * Journals: append-only logs that are written once, read by many, chained by hashes, and never silently short.
 *
 * Positions count from 1 without gaps. An append is answered when it is as durable as was asked; a tail sees every entry
 * once and in order, from whatever process it came; a condition lets one of several appends win. Entries belong to
 * branches, which bring their Schemas (see `@sluice/shell/branch`). Where entries are kept is the layer's business:
 * `MemoryJournal` here, and `@sluice/shell/journal/ndjson`, `…/sqlite` and `…/postgres`.
 *
 * @module
 */
export { canonicalJson as canonical } from "../base/canonicalJson.ts"
export { maxBodyLength } from "./entryCodec.ts"
export { Checkpoint, type CheckpointFields, decodeCheckpoint as checkpointOf, journalBranch } from "./checkpoint.ts"
export * from "./Entry.ts"
export { hashEntry as hashOf, hashInput as hashedText, type UnhashedRow as Unhashed } from "./hashChain.ts"
export * from "./JournalError.ts"
export * from "./JournalService.ts"
export * from "./JournalStore.ts"
export { type JournalOptions, makeJournal } from "./makeJournal.ts"
export * as MemoryJournal from "./memory.ts"
export * as Redactor from "./redaction/Redactor.ts"
export type { PruneOptions, PruneReport } from "./PruneOptions.ts"
export type { VerifyOptions, VerifyReport } from "./verify.ts"
