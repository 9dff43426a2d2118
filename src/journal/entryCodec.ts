/**
 * From what is to be appended to the rows of the chain.
 *
 * @module
 */
import * as Result from "effect/Result"
import { canonicalJson } from "../base/canonicalJson.ts"
import type { Body, Draft, Entry, Head, Position, Row } from "./Entry.ts"
import { hashEntry } from "./hashChain.ts"
import { JournalError } from "./JournalError.ts"

/** Longest body, as canonical JSON in UTF-16 units. What is longer belongs into several entries. */
export const maxBodyLength: number = 8 * 1024 * 1024

/** A draft whose body has been written down: everything but its place. */
export interface EncodedDraft {
  readonly branch: string
  readonly correlationId: string
  readonly tag: string
  readonly version: number
  readonly body: string
}

const invalid = (field: string, what: string): Result.Result<never, JournalError> =>
  Result.fail(JournalError.because({ _tag: "Invalid", field }, `journal: an entry was not appended: ${what}`))

/** Names that were found good: they repeat from entry to entry. */
const goodNames = new Set<string>()
const mostNames = 1024

/** A name is what every store can index, and a person can type. */
const isName = (text: unknown): boolean => {
  if (typeof text !== "string") return false
  if (goodNames.has(text)) return true
  if (!/^[\x20-\x7e]{1,200}$/.test(text)) return false
  if (goodNames.size >= mostNames) goodNames.clear()
  goodNames.add(text)
  return true
}

/** Says what is wrong with what stands beside the body of a draft; `undefined` when nothing is. */
export const findInvalidName = (
  { body, branch, correlationId, version = 1 }: Draft,
): Result.Result<never, JournalError> | undefined => {
  if (!isName(branch)) return invalid("branch", "its branch is not 1 to 200 printable ASCII characters")
  if (!isName(correlationId)) {
    return invalid("correlationId", "its correlation id is not 1 to 200 printable ASCII characters")
  }
  if (!isName(body._tag)) return invalid("body._tag", "its tag is not 1 to 200 printable ASCII characters")
  if (!Number.isSafeInteger(version) || version < 1) return invalid("version", "its version is not 1 or above")
  return undefined
}

/** Makes of a body what is kept of it, or says what is wrong with it. */
export const encodeBody = <A extends { readonly length: number }>(
  { body }: Draft,
  make: (body: Body) => A,
): Result.Result<A, JournalError> => {
  let made: A
  try {
    made = make(body)
  } catch (error) {
    return invalid("body", `its body is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  return made.length > maxBodyLength
    ? invalid("body", `its body is longer than ${maxBodyLength} characters`)
    : Result.succeed(made)
}

/** Writes a draft down, or says what is wrong with it. */
export const encodeDraft = (draft: Draft): Result.Result<EncodedDraft, JournalError> => {
  const wrong = findInvalidName(draft)
  if (wrong !== undefined) return wrong
  const { branch, correlationId, version = 1 } = draft
  return Result.map(
    encodeBody<string>(draft, canonicalJson),
    (body) => ({ branch, correlationId, tag: draft.body._tag, version, body }),
  )
}

/** Gives written drafts their places after a head, and links each to the one before it. */
export const chainRows = (head: Head, time: number, written: Iterable<EncodedDraft>): Array<Row> => {
  let { hash, position } = head
  const rows: Array<Row> = []
  for (const { body, branch, correlationId, tag, version } of written) {
    position++
    hash = hashEntry(hash, { position, time, branch, correlationId, tag, version, body })
    rows.push({ position, time, branch, correlationId, tag, version, hash, body })
  }
  return rows
}

const corrupt = (position: Position, what: string): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: entry ${position} cannot be read: ${what}`,
  )

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && "_tag" in value && typeof value._tag === "string"

/** The entry of a row. Throws a {@link JournalError}: rows are read in loops, and nearly never wrong. */
export const decodeRow = (row: Row): Entry => {
  let body: Body | undefined
  if (row.body !== "") {
    let value: unknown
    try {
      value = JSON.parse(row.body)
    } catch {
      throw corrupt(row.position, "its body is not JSON")
    }
    if (!isBody(value)) throw corrupt(row.position, "its body has no tag")
    body = value
  }
  const { branch, correlationId, hash, position, tag, time, version } = row
  return { position, time, branch, correlationId, tag, version, hash, body }
}
