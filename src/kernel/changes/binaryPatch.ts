/**
 * Writes the content of a file in the format of git's binary patches: deflated, in base 85. Blocks are stored, which
 * needs no compressor.
 * Source: gitformat-patch, `base85.c` and `apply.c` of git; RFC 1950, RFC 1951.
 */
import { concatBytes, encodeUtf8 } from "../../base/bytes.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
const maxBlockBytes = 65_535
const maxLineBytes = 52

/** Bytes in the format of zlib, in stored blocks. */
const storeAsZlib = (bytes: Uint8Array): Uint8Array => {
  const parts: Array<ArrayLike<number>> = [[0x78, 0x01]]
  let at = 0
  do {
    const block = bytes.subarray(at, at + maxBlockBytes)
    at += block.length
    const { length } = block
    parts.push([at === bytes.length ? 1 : 0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255], block)
  } while (at < bytes.length)
  let [a, b] = [1, 0]
  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  parts.push([b >> 8, b & 255, a >> 8, a & 255])
  return concatBytes(parts)
}

/** One line: a letter for the number of bytes, and five characters for each four of them. */
const encodeLine = (bytes: Uint8Array): string => {
  let line = String.fromCharCode(bytes.length <= 26 ? 64 + bytes.length : 96 + bytes.length - 26)
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0
    for (let byte = 0; byte < 4; byte++) value = value * 256 + (bytes[at + byte] ?? 0)
    let digits = ""
    for (let digit = 0; digit < 5; digit++) {
      digits = (alphabet[value % 85] ?? "") + digits
      value = Math.floor(value / 85)
    }
    line += digits
  }
  return `${line}\n`
}

/** A binary patch that replaces any content by these bytes. */
export function* literalPatch(bytes: Uint8Array): Generator<void, string, void> {
  const stored = storeAsZlib(bytes)
  const lines = ["GIT binary patch\n", `literal ${bytes.length}\n`]
  for (let at = 0; at < stored.length; at += maxLineBytes) {
    lines.push(encodeLine(stored.subarray(at, at + maxLineBytes)))
    if (lines.length % 512 === 0) yield
  }
  return `${lines.join("")}\n`
}

/** The name of a content in git. */
export const blobName = async (bytes: Uint8Array): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-1", concatBytes([encodeUtf8(`blob ${bytes.length}\0`), bytes]))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
