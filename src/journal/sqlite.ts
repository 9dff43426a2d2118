/**
 * Exports `SqliteJournal`, which keeps a journal in a SQLite database that any number of processes of one machine write
 * and read.
 *
 * It uses `node:sqlite` on Deno, Bun and Node, with a write-ahead log: readers never wait for writers. Concurrent appends
 * share one transaction. Waiting readers poll for entries of other processes every `pollInterval`.
 *
 * Durability: `memory` and `os` are the same: the operating system has the entries when the append returns
 * (`synchronous = NORMAL`). For `disk` the write-ahead log is flushed first (`FULL`). Keep the file on a disk of this
 * machine: file locks over a network are unreliable.
 *
 * A file that may not be written, or whose directory may not, is opened for reading. A new file can be read and written by
 * its owner alone (mode 0600). People can query it with the sqlite3 program: `SELECT * FROM journal`. Deno needs permission
 * to read and write the directory of the file.
 *
 * Pruned entries disappear for readers at once; they are deleted from the file, which shrinks, in the background.
 * Stripped bodies are overwritten before the prune returns.
 *
 * The hash chain alone is authoritative: `verify` compares the indexes with the entries, `SqliteJournal.repair` creates
 * the indexes again, and `JournalStore.salvage` copies the readable entries of a damaged file; for the rest, see
 * `.recover` of the sqlite3 program.
 *
 * @module
 * @stability stable
 */
export * as SqliteJournal from "./stores/sqlite/SqliteJournal.ts"
