/**
 * Shortens a text of any length to a name of 16 characters: the first 96 bits of its SHA-256 in base64url.
 *
 * @module
 */
import * as Base64Url from "effect/encoding/Base64Url"
import { portableSha256 } from "../../base/sha256.ts"

/** A name of 16 characters (base64url) for a text. */
export const digest = (text: string): string => Base64Url.encode(portableSha256(text).subarray(0, 12))
