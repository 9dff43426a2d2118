/**
 * Encodes events as server-sent events (`text/event-stream`), and decodes them.
 *
 * @module
 */
export {
  decodeSse as decode,
  encodeSse as encode,
  type EventWithId,
  sseBytes as toBytes,
  sseBytesWithIds as toBytesWithIds,
  sseMediaType as mediaType,
} from "./sse.ts"
