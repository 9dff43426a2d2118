/**
 * Reads what stands before the body of a line, without reading the body.
 *
 * Texts here are bytes read as Latin-1: an index in the text is an offset in the bytes.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import { bodyKey, lineStart, moreKey } from "./encodeLine.ts"

/** What stands before the body. */
export interface LineHead {
  readonly position: Position
  readonly time: number
  readonly branch: string
  readonly correlationId: string
  readonly tag: string
  readonly version: number
  readonly hash: string
  readonly hashAt: number
  /** Whether the transaction that it belongs to goes on in the next line. */
  readonly more: boolean
  /** Where the body begins. */
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

/** The index of the quote that closes a JSON text that begins at an index; -1 when none does. */
const closing = (text: string, from: number): number => {
  let index = text.indexOf('"', from)
  while (index >= 0) {
    let backslashes = 0
    while (text.charCodeAt(index - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return index
    index = text.indexOf('"', index + 1)
  }
  return -1
}

const plain = /^[\x20-\x5b\x5d-\x7e]*$/

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** UTF-8 that was read as Latin-1, as the text that it is. */
export const fromLatin1 = (text: string): string =>
  decoder.decode(Uint8Array.from(text, (character) => character.charCodeAt(0)))

/** The text that stands between two quotes, with any escapes of JSON. */
export const decodeText = (raw: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(`"${fromLatin1(raw)}"`)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The name that stands between two quotes; `undefined` when it is not written as this store writes it. Filters compare
 * bytes: a name with other escapes (`\u0063` for `c`) has the same hash, and would not be found.
 */
export const decodeName = (raw: string): string | undefined => {
  if (plain.test(raw)) return raw
  const name = decodeText(raw)
  return name !== undefined && JSON.stringify(name) === `"${fromLatin1(raw)}"` ? name : undefined
}

const keys = { time: `,"time":`, branch: `,"branch":"`, id: `,"correlationId":"`, tag: `,"tag":"` } as const
const versionKey = `,"version":`
const hashKey = `,"hash":"`

/** Where the names of an entry stand in its line, between their quotes. */
export interface NamesAt {
  readonly branchAt: number
  readonly branchEnd: number
  readonly idAt: number
  readonly idEnd: number
  readonly tagAt: number
  readonly tagEnd: number
  /** Where the number of the version begins. */
  readonly versionAt: number
}

/** The index of the comma before the branch, in a line that begins at an index and with a position. */
export const branchCommaAt = (text: string, at: number): number =>
  text.indexOf(",", text.indexOf(",", at + lineStart.length) + 1)

/** Finds the names after the comma before the branch; `undefined` when they are not there. */
export const namesAt = (text: string, comma: number): NamesAt | undefined => {
  if (!text.startsWith(keys.branch, comma)) return undefined
  const branchAt = comma + keys.branch.length
  const branchEnd = closing(text, branchAt)
  if (branchEnd < 0 || !text.startsWith(keys.id, branchEnd + 1)) return undefined
  const idAt = branchEnd + 1 + keys.id.length
  const idEnd = closing(text, idAt)
  if (idEnd < 0 || !text.startsWith(keys.tag, idEnd + 1)) return undefined
  const tagAt = idEnd + 1 + keys.tag.length
  const tagEnd = closing(text, tagAt)
  if (tagEnd < 0 || !text.startsWith(versionKey, tagEnd + 1)) return undefined
  return { branchAt, branchEnd, idAt, idEnd, tagAt, tagEnd, versionAt: tagEnd + 1 + versionKey.length }
}

/** Reads the line that begins at an index; `undefined` when it is no entry. */
export const parseLine = (
  text: string,
  at: number,
  decode: (raw: string) => string | undefined = decodeName,
): LineHead | undefined => {
  const position = positionAt(text, at)
  if (position < 0) return undefined
  const timeAt = text.indexOf(",", at + lineStart.length)
  const comma = branchCommaAt(text, at)
  const names = namesAt(text, comma)
  if (!text.startsWith(keys.time, timeAt) || names === undefined) return undefined
  const time = Number(text.slice(timeAt + keys.time.length, comma))
  const { versionAt } = names
  const versionEnd = text.indexOf(",", versionAt)
  const hashAt = versionEnd + hashKey.length
  if (versionEnd < 0 || !text.startsWith(hashKey, versionEnd) || text.charCodeAt(hashAt + 64) !== quote) {
    return undefined
  }
  const version = Number(text.slice(versionAt, versionEnd))
  const branch = decode(text.slice(names.branchAt, names.branchEnd))
  const correlationId = decode(text.slice(names.idAt, names.idEnd))
  const tag = decode(text.slice(names.tagAt, names.tagEnd))
  if (branch === undefined || correlationId === undefined || tag === undefined) return undefined
  if (!Number.isFinite(time) || !Number.isSafeInteger(version)) return undefined
  const hash = text.slice(hashAt, hashAt + 64)
  const end = hashAt + 65
  const more = text.startsWith(moreKey, end)
  const bodyAt = end + (more ? moreKey.length : 0)
  if (!text.startsWith(bodyKey, bodyAt)) return undefined
  return { position, time, branch, correlationId, tag, version, hash, hashAt, more, bodyAt: bodyAt + bodyKey.length }
}
