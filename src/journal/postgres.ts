/**
 * Exports `PostgresJournal`, which keeps a journal in a PostgreSQL database that several machines write and read.
 *
 * Positions have no gaps, and readers see them in order, however many processes write: each transaction locks the row that
 * holds the head. Readers are woken by `NOTIFY`, and poll once a second in case one was lost. A store has one connection
 * that writes, up to two that read, and one that listens while a reader waits.
 *
 * While the server is away, appends and reads are tried again. When a connection is lost at a commit, the store looks for
 * the entries in the journal, so that none is lost and none is appended twice.
 *
 * Durability: for `memory` the server answers before its log is on the disk (`synchronous_commit = off`); a crash of
 * the server may lose the last half second, but no entry before it. PostgreSQL has no level between this one and the
 * disk, so `os` is the same as `disk`: the log is flushed before the answer. A server with `fsync = off` cannot provide
 * `disk`. Replicas are configured on the server: an append waits for them if `synchronous_commit` requires it.
 *
 * The database must be UTF8, and a pooler in between must use session pooling. A journal is a schema with the tables
 * `journal_entry`, `journal_head` and `journal_migration`; the first process creates them.
 *
 * @module
 * @stability stable
 */
export * as PostgresJournal from "./stores/postgres/PostgresJournal.ts"
