/**
 * Encodes events as length-prefixed frames, and decodes them.
 *
 * @module
 */
export {
  decodeFrames as decode,
  emptyFrame as keepAlive,
  framesBytes as toBytes,
  framesMediaType as mediaType,
} from "./frames.ts"
