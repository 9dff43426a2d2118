/**
 * Journals in PostgreSQL: one that several machines write and read.
 *
 * Positions have no gaps, and who follows sees them in order, however many write: each transaction locks the row that
 * says where the journal ends. Readers are woken by `NOTIFY`, and look once a second in case one was lost. A store has
 * one connection to write, up to two to read, and one to listen while somebody follows.
 *
 * While the server is away, appends and reads wait and try again; when it went away at a commit, the journal itself is
 * asked whether the entries are in it, so that nothing is lost and nothing is there twice.
 *
 * Durability: for `memory` the server answers before its log is on disk (`synchronous_commit = off`), and a crash of the
 * server may lose the last half second, though never what lies before it. PostgreSQL has nothing between that and the
 * disk, so `os` is `disk`: the log is flushed before the answer. A server that runs with `fsync = off` cannot be asked
 * for `disk`. Replicas are the server's business: where `synchronous_commit` asks for them, an answer waits for them.
 *
 * The database must be UTF8, and a pooler between must keep sessions together. The tables are made by whoever comes
 * first; they are `journal_entry`, `journal_head` and `journal_migration` in a schema that is one journal.
 *
 * @module
 */
export * as PostgresJournal from "./stores/postgres/PostgresJournal.ts"
