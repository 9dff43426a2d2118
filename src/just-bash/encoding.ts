/** Converts between bytes and the texts of just-bash: UTF-8, base64, hex, or one character a byte. */
import { encodeUtf8 } from "../base/bytes.ts"
import { OptionError, showValue } from "../base/OptionError.ts"
import { binaryToBytes, bytesToBinary } from "../kernel/binaryString.ts"
import type { BufferEncoding } from "./types.ts"

const isBinary = (encoding: string): boolean => /^(latin1|binary|ascii)$/.test(encoding)

const unknownEncoding = (encoding: unknown): OptionError =>
  new OptionError(
    "encoding",
    `just-bash: ${showValue(encoding)} is not an encoding; write "utf8", "latin1", "base64" or "hex"`,
  )

export const decodeBytes = (bytes: Uint8Array, encoding: BufferEncoding = "utf8"): string => {
  if (/^utf-?8$/.test(encoding)) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  if (isBinary(encoding)) return bytesToBinary(bytes)
  if (encoding === "base64") return btoa(bytesToBinary(bytes))
  if (encoding === "hex") return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  throw unknownEncoding(encoding)
}

export const encodeText = (text: string, encoding: BufferEncoding = "utf8"): Uint8Array => {
  if (/^utf-?8$/.test(encoding)) return encodeUtf8(text)
  if (isBinary(encoding)) return binaryToBytes(text)
  if (encoding === "base64") return binaryToBytes(atob(text))
  if (encoding === "hex") return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16))
  throw unknownEncoding(encoding)
}

/** Decodes output as just-bash does: as UTF-8, else as one character a byte. */
export const decodeOutput = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return bytesToBinary(bytes)
  }
}
