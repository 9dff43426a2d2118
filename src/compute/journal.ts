/**
 * Exports journals, which are append-only logs of entries that several processes can append to and follow, and
 * `JournaledShell`, which records commands in one.
 *
 * Positions count from 1 without gaps. An append returns once it is as durable as requested; a tail yields every entry
 * once and in order, from whatever process it came; a condition lets one of several appends win. Entries belong to
 * branches, which define their Schemas (see `Branch` in `@sluice/shell/daemon`). The layer decides where entries are kept:
 * `MemoryJournal` here, and `@sluice/shell/journal/ndjson`, `…/sqlite` and `…/postgres`.
 *
 * @module
 * @stability stable
 */
export * from "../journal/Journal.ts"
export * as JournaledShell from "./JournaledShell.ts"
