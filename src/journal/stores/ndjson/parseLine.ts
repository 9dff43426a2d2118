/**
 * Parses the position of a journal line, or all its fields before the body, without parsing the body.
 *
 * Texts here are bytes decoded as Latin-1: an index in the text is an offset in the bytes.
 */
import type { Position, Row } from "../../Entry.ts"
import { bodyKey, lineStart, moreKey } from "./encodeLine.ts"

export interface LineHead extends Omit<Row, "body"> {
  readonly hashAt: number
  /** Whether its transaction continues in the next line. */
  readonly more: boolean
  readonly bodyAt: number
}

const quote = 34
const backslash = 92

/** The position of the line that begins at an index; -1 when no entry begins there. */
export const positionAt = (text: string, at: number): Position => {
  if (!text.startsWith(lineStart, at)) return -1
  let position = 0
  for (let index = at + lineStart.length; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit === -4 && position > 0) return position // a comma
    if (digit < 0 || digit > 9) return -1
    position = position * 10 + digit
    if (position > Number.MAX_SAFE_INTEGER) return -1
  }
  return -1
}

/** The index of the quote that closes a JSON string whose content begins at an index; -1 when none does. */
const closingQuote = (text: string, from: number): number => {
  let index = text.indexOf('"', from)
  while (index >= 0) {
    let backslashes = 0
    while (text.charCodeAt(index - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return index
    index = text.indexOf('"', index + 1)
  }
  return -1
}

const isPlain = /^[\x20-\x5b\x5d-\x7e]*$/

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Decodes UTF-8 bytes that were decoded as Latin-1. */
const fromLatin1 = (text: string): string =>
  decoder.decode(Uint8Array.from(text, (character) => character.charCodeAt(0)))

const decodeText = (raw: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(`"${fromLatin1(raw)}"`)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Decodes a name; `undefined` when it is not encoded as this store encodes it. Filters compare bytes: a name with other
 * escapes (`\u0063` for `c`) has the same hash, but would not be found.
 */
export const decodeName = (raw: string): string | undefined => {
  if (isPlain.test(raw)) return raw
  const name = decodeText(raw)
  return name !== undefined && JSON.stringify(name) === `"${fromLatin1(raw)}"` ? name : undefined
}

const timeKey = `,"time":`
const nameKeys = [`,"branch":"`, `,"correlationId":"`, `,"tag":"`]
const versionKey = `,"version":`
const hashKey = `,"hash":"`

export const parseLine = (
  text: string,
  at: number,
  decode: (raw: string) => string | undefined = decodeName,
): LineHead | undefined => {
  const position = positionAt(text, at)
  if (position < 0) return undefined
  const timeAt = text.indexOf(",", at + lineStart.length)
  let end = text.indexOf(",", timeAt + 1)
  if (!text.startsWith(timeKey, timeAt)) return undefined
  const time = Number(text.slice(timeAt + timeKey.length, end))
  const names: Array<string> = []
  for (const key of nameKeys) {
    const nameAt = end + key.length
    if (!text.startsWith(key, end) || (end = closingQuote(text, nameAt)) < 0) return undefined
    const name = decode(text.slice(nameAt, end))
    if (name === undefined) return undefined
    names.push(name)
    end++
  }
  const [branch = "", correlationId = "", tag = ""] = names
  const versionEnd = text.indexOf(",", end + versionKey.length)
  const hashAt = versionEnd + hashKey.length
  if (!text.startsWith(versionKey, end) || versionEnd < 0) return undefined
  if (!text.startsWith(hashKey, versionEnd) || text.charCodeAt(hashAt + 64) !== quote) return undefined
  const version = Number(text.slice(end + versionKey.length, versionEnd))
  if (!Number.isFinite(time) || !Number.isSafeInteger(version)) return undefined
  const hash = text.slice(hashAt, hashAt + 64)
  const more = text.startsWith(moreKey, hashAt + 65)
  const bodyKeyAt = hashAt + 65 + (more ? moreKey.length : 0)
  if (!text.startsWith(bodyKey, bodyKeyAt)) return undefined
  const bodyAt = bodyKeyAt + bodyKey.length
  return { position, time, branch, correlationId, tag, version, hash, hashAt, more, bodyAt }
}
