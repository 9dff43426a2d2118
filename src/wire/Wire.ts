/**
 * Events on their way between processes: as NDJSON, as event streams and as frames, in both directions. One codec for HTTP, for
 * the leaf that talks to it, and for the command line.
 *
 * Every event is one JSON object. Two encodings of equal events are equal bytes.
 *
 * @module
 */
export { decodeEvent, encodeEvent, WIRE_VERSION, WIRE_VERSION_HEADER } from "./codec.ts"
export type { DecodeOptions } from "./decoding.ts"
export { failOnFault } from "./failOnFault.ts"
export { decodeFrames, emptyFrame, FRAMES_TYPE, framesBytes } from "./frames.ts"
export { decodeNdjson, encodeNdjson, NDJSON_TYPE, ndjsonBytes } from "./ndjson.ts"
export * from "./protocol.ts"
export { RunSecrets, type RunSecretsFields } from "./secrets.ts"
export { decodeSse, encodeSse, type NumberedEvent, SSE_TYPE, sseBytes, sseNumbered } from "./sse.ts"
export { WireError, type WireErrorFields, type WireErrorReason } from "./WireError.ts"
