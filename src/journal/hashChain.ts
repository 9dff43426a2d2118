/**
 * The chain: each entry's hash covers the entry and the hash before it, so that nothing can be changed, removed or moved
 * without every later hash failing to hold.
 *
 * @module
 */
import type { Row } from "./Entry.ts"
import { sha256 } from "../base/sha256.ts"

/** The row without its hash. */
export type UnhashedRow = Omit<Row, "hash">

/** Names repeat from entry to entry: each is written down once, and so many are kept. */
const mostNames = 1024

const written = new Map<string, string>()

/** A name as JSON. */
const quoted = (name: string): string => {
  const known = written.get(name)
  if (known !== undefined) return known
  if (written.size >= mostNames) written.clear()
  const text = JSON.stringify(name)
  written.set(name, text)
  return text
}

/**
 * The text that an entry's hash covers: `previous`, a newline, and the entry's canonical JSON without its hash.
 * `previous` is the hash before it, 64 hexadecimal digits.
 */
export const hashInput = (previous: string, row: UnhashedRow): string =>
  `${previous}\n{"body":${row.body},"branch":${quoted(row.branch)},"correlationId":${
    quoted(row.correlationId)
  },"position":${row.position},"time":${row.time},"version":${row.version}}`

/** The hash of an entry: lower-case hexadecimal SHA-256 of {@link hashInput}. */
export const hashEntry = (previous: string, row: UnhashedRow): string => sha256(hashInput(previous, row))
