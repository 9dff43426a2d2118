/**
 * Events on their way between processes: as NDJSON, as event streams and as frames, in both directions. One codec for HTTP, for
 * the leaf that talks to it, and for the command line.
 *
 * Every event is one JSON object. Two encodings of equal events are equal bytes.
 *
 * @module
 */
export { decodeEvent, encodeEvent } from "./codec.ts"
export { minWireVersion, wireVersion, wireVersionHeader } from "./version.ts"
export type { DecodeOptions } from "./decoding.ts"
export { failOnFault } from "./failOnFault.ts"
export { decodeFrames, emptyFrame, framesBytes, framesMediaType } from "./frames.ts"
export { decodeNdjson, encodeNdjson, ndjsonBytes, ndjsonMediaType } from "./ndjson.ts"
export * from "./protocol.ts"
export { ExecRequestSecrets } from "./secrets.ts"
export { decodeSse, encodeSse, type EventWithId, sseBytes, sseBytesWithIds, sseMediaType } from "./sse.ts"
export { WireError, WireErrorReason } from "./WireError.ts"
