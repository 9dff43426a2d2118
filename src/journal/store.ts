/**
 * Makes a journal over a store of your own: the contract of stores, and the service over them.
 *
 * @module
 */
export { decodeCheckpoint } from "./checkpoint.ts"
export { matches, noHash, type Row } from "./Entry.ts"
export type { JournalStore, Scan, StoreSize, StoreTransaction } from "./JournalStore.ts"
export { makeJournal } from "./makeJournal.ts"
