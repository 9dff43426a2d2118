/**
 * Exports the wire format: the codecs of events as NDJSON, event streams and frames, and the Schemas of the requests
 * and answers of an execution server.
 *
 * The same codec serves HTTP, its client and the command line. Each event is one JSON object; equal events are equal
 * bytes. Unknown events and fields are skipped, so that a later version can add to them.
 *
 * This module does not use Effect's NDJSON and SSE codecs, which scan bytes one by one and decode with a fatal
 * `TextDecoder`; on Deno that takes six times as long. The three formats here share one decoder, with equal limits and
 * errors.
 *
 * @module
 */
export { decodeEvent, encodeEvent } from "./codec.ts"
export { minWireVersion, wireVersion, wireVersionHeader } from "./version.ts"
export type { DecodeOptions } from "./decoding.ts"
export { failOnFault } from "./failOnFault.ts"
export * as Frames from "./frames.ts"
export * as Ndjson from "./ndjson.ts"
export { ArgumentInfo, CommandInfo, CommandPage } from "./CommandInfo.ts"
export { CommandAccepted, Health, InputTaken, Problem } from "./serverAnswers.ts"
export { ExecRequestOptions } from "./ExecRequestOptions.ts"
export { ChunkingRecord } from "../command/ChunkingRecord.ts"
export { ExecRequestSecrets } from "./secrets.ts"
export * as Sse from "./sse.ts"
export { TerminalTicket } from "./TerminalTicket.ts"
export { WireError, WireErrorReason } from "./WireError.ts"
