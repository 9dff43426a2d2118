/**
 * Public module for writing a journal store: exports the contract of stores, `makeJournal` over it, rows, filters and
 * checkpoints, and the salvage of a damaged journal.
 *
 * @module
 */
export { decodeCheckpoint } from "./checkpoint.ts"
export { matches, noHash, type Row } from "./Entry.ts"
export type { JournalStore, Scan, StoreSize, StoreTransaction, VerifyingScan } from "./JournalStore.ts"
export { makeJournal } from "./makeJournal.ts"
export { type PositionRange, salvage, type SalvageReport } from "./salvage.ts"
