/**
 * Reads what stands before the body of a line, without reading the body.
 *
 * Texts here are bytes read as Latin-1: an index in the text is an offset in the bytes.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import { bodyKey, lineStart, moreKey } from "./line.ts"

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

/** The text that stands between two quotes. */
export const decodeName = (raw: string): string | undefined => {
  if (plain.test(raw)) return raw
  try {
    const value: unknown = JSON.parse(`"${fromLatin1(raw)}"`)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

const keys = { time: `,"time":`, branch: `,"branch":"`, id: `,"correlationId":"`, tag: `,"tag":"` } as const
const versionKey = `,"version":`
const hashKey = `,"hash":"`

/** Reads the line that begins at an index; `undefined` when it is no entry. */
export const parseLine = (
  text: string,
  at: number,
  decode: (raw: string) => string | undefined = decodeName,
): LineHead | undefined => {
  const position = positionAt(text, at)
  if (position < 0) return undefined
  const timeAt = text.indexOf(",", at + lineStart.length)
  const branchAt = text.indexOf(",", timeAt + 1)
  if (!text.startsWith(keys.time, timeAt) || !text.startsWith(keys.branch, branchAt)) return undefined
  const time = Number(text.slice(timeAt + keys.time.length, branchAt))
  const idAt = closing(text, branchAt + keys.branch.length) + 1
  if (idAt === 0 || !text.startsWith(keys.id, idAt)) return undefined
  const tagAt = closing(text, idAt + keys.id.length) + 1
  if (tagAt === 0 || !text.startsWith(keys.tag, tagAt)) return undefined
  const versionAt = closing(text, tagAt + keys.tag.length) + 1
  if (versionAt === 0 || !text.startsWith(versionKey, versionAt)) return undefined
  const versionEnd = text.indexOf(",", versionAt + versionKey.length)
  const hashAt = versionEnd + hashKey.length
  if (versionEnd < 0 || !text.startsWith(hashKey, versionEnd) || text.charCodeAt(hashAt + 64) !== quote) {
    return undefined
  }
  const version = Number(text.slice(versionAt + versionKey.length, versionEnd))
  const branch = decode(text.slice(branchAt + keys.branch.length, idAt - 1))
  const correlationId = decode(text.slice(idAt + keys.id.length, tagAt - 1))
  const tag = decode(text.slice(tagAt + keys.tag.length, versionAt - 1))
  if (branch === undefined || correlationId === undefined || tag === undefined) return undefined
  if (!Number.isFinite(time) || !Number.isSafeInteger(version)) return undefined
  const hash = text.slice(hashAt, hashAt + 64)
  const end = hashAt + 65
  const more = text.startsWith(moreKey, end)
  const bodyAt = end + (more ? moreKey.length : 0)
  if (!text.startsWith(bodyKey, bodyAt)) return undefined
  return { position, time, branch, correlationId, tag, version, hash, hashAt, more, bodyAt: bodyAt + bodyKey.length }
}
