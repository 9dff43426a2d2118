/**
 * Encodes events as NDJSON: one line of JSON for each event, and decodes them.
 *
 * @module
 */
export {
  decodeNdjson as decode,
  encodeNdjson as encode,
  ndjsonBytes as toBytes,
  ndjsonMediaType as mediaType,
} from "./ndjson.ts"
