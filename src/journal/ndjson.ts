/**
 * Exports `NdjsonJournal`, which keeps a journal in a file of JSON lines that people can read with `jq`, `grep` and
 * `tail -f`.
 *
 * The first line identifies the file as a journal; each other line is an entry: `position`, `time`, `branch`,
 * `correlationId`, `tag`, `version`, `hash`, and last `body`, which is `null` after it was pruned. Entries that were
 * appended together have `"more":true`, all but the last. Lines are only ever added; pruning writes a new file, for which
 * there must be room, and renames it over the old one.
 *
 * One process writes at a time; any number read concurrently (`mode: "read"`). `FILE.lock` names the writer. The next
 * writer replaces the lock of a dead one, which it recognises by pid, start time of the process, and boot. A lock of
 * another host, or of another pid namespace, is never taken over, because its holder's state is unknown here: remove the
 * file by hand. Hosts that share a journal over a network file system must have different names, and its `link(2)` must be
 * atomic (it is on NFS); their readers lag by the poll interval, because no notification crosses machines. A local disk,
 * or a database, is the better place.
 *
 * An incomplete transaction that a crash leaves at the end of the file is not shown, and the next writer cuts it: the cut is
 * logged, reported to `onRepair`, and kept in `FILE.torn-TIME`. A line that is damaged elsewhere is `Corrupt`, and never
 * cut. When the disk is full the append fails with `Full`, the file stays whole, and appends succeed again when there is
 * room. A file that was moved, removed, or written by another program is noticed within 250 ms.
 *
 * Durability: `memory` and `os` are after `write(2)`, `disk` after `fdatasync(2)`. The journal waits synchronously for
 * a disk that confirms within two milliseconds, and without blocking the event loop for a slower one. When the disk
 * fails to confirm, the entries are removed again and the journal refuses appends until it is reopened, because the
 * state of the disk is unknown.
 *
 * A position is found by bisection. A read with a filter (correlation id, branch, tags) passes over every line between
 * `after` and `before`: in 5 million entries (2 GB) that takes 1.6 s while the file is in the page cache, and 6 to 9 s from a
 * disk that reads 220 to 330 MB/s. For journals in which commands are looked up often, `@sluice/shell/journal/sqlite` has
 * indexes.
 *
 * @module
 * @stability stable
 */
export * as NdjsonJournal from "./stores/ndjson/NdjsonJournal.ts"
