/**
 * Exports the queries over the commands of a journal (they list, find and count commands, and read their output) as the
 * namespace `Audit`.
 *
 * Everything here reads the `Journal` of the context, no matter who wrote it: a `JournaledShell`, a daemon, another
 * machine. Queries read requests and ends by their tags and skip output, so a journal may be far larger than memory.
 *
 * No library fits: the entries are this package's own.
 *
 * @module
 * @stability stable
 */
export * as Audit from "./queries.ts"
