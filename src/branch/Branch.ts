/**
 * Branches: typed journals, and the services that are served through them.
 *
 * A branch is declared by its requests and its events ({@link Branch}). A daemon ({@link makeDaemon}) takes what is asked
 * in the journal and appends the answers; a client ({@link makeClient}) asks and follows them, from another process or
 * another machine. Both need nothing but the journal: who answers a request is decided in it, by leases.
 *
 * The words of it are explained at {@link BranchEntry}.
 *
 * @module
 */
export type { RunContext } from "./Answering.ts"
export type { Answered, AskOptions } from "./ask.ts"
export * from "./BranchEntry.ts"
export { type Client, type ClientOptions, type ClientTimes, makeClient } from "./Client.ts"
export { type Daemon, type DaemonState, makeDaemon } from "./Daemon.ts"
export type { DaemonOptions, DaemonTimes } from "./DaemonOptions.ts"
export * from "./declare.ts"
export type { Ending, Recovered, ToLast } from "./Ending.ts"
export { currentHost, HostIdentity, isAlive, type Liveness } from "./HostIdentity.ts"
export { RequestOpen } from "./RequestOpen.ts"
export { schemaCodec, type SchemaCodecOptions } from "./schemaCodec.ts"
