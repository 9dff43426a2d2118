/**
 * Exports branches, which are typed journals with a service: their entries and codecs, the client that appends
 * requests, the daemon that runs them, and the identity of processes.
 *
 * A branch is declared by its requests and its events ({@link Branch}). A client ({@link makeClient}) appends requests to
 * the journal and follows their events; a daemon ({@link makeDaemon}), in any process on any machine, takes the requests
 * and appends the events. Both need only the journal: leases in it decide which daemon runs a request ({@link BranchEntry}
 * explains the terms).
 *
 * No library fits: Effect's cluster and workflow engines bring a storage, a runner and a shard map of their own, and none
 * of them binds the lease to the append of each event.
 *
 * @module
 */
export {
  type Branch,
  decodeEventEntry,
  decodeRequestEntry,
  draftEvent,
  draftRequest,
  type MessageCodec,
} from "./BranchDefinition.ts"
export * from "./BranchEntry.ts"
export { type Client, type ClientOptions, type ClientTimeouts, makeClient } from "./Client.ts"
export { type Daemon, type DaemonState, makeDaemon } from "./Daemon.ts"
export type { DaemonBaseOptions, DaemonOptions } from "./DaemonOptions.ts"
export type { EndCause, MakeLastEvent, RecoveryReport } from "./EndCause.ts"
export { checkLiveness, currentHost, HostIdentity, type Liveness } from "./HostIdentity.ts"
export type { AttemptEvent, RequestOptions } from "./requestStream.ts"
export type { RunContext } from "./RequestExecution.ts"
export { RequestOpenError } from "./RequestOpenError.ts"
export { makeSchemaCodec, type SchemaCodecOptions } from "./makeSchemaCodec.ts"
