/** Validates drafts and encodes their bodies as canonical JSON, and decodes the rows of a store to entries. */
import * as Result from "effect/Result"
import { canonicalJson } from "../base/canonicalJson.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { type Body, type Draft, type Entry, isBody, type Position, type Row } from "./Entry.ts"
import { JournalError } from "./JournalError.ts"
import { type MeasuredBody, UnchainedRow } from "./UnchainedRow.ts"

/**
 * Maximum length of a body as canonical JSON, in UTF-16 units. Longer content has to be split into several entries.
 *
 * @stability stable
 */
const maxBodyLength: number = 8 * 1024 * 1024

export interface EncodedDraft extends Pick<Row, "branch" | "correlationId" | "tag" | "version"> {
  readonly body: string | MeasuredBody
}

/** Encodes a body as text, or measures it for a journal without hashes. Throws for a body that is not JSON. */
export type EncodeBody = (body: Body) => string | MeasuredBody

const failInvalid = (field: string, what: string): Result.Result<never, JournalError> =>
  Result.fail(JournalError.because({ _tag: "Invalid", field }, `journal: an entry was not appended: ${what}`))

/** Names that were found valid: they repeat from entry to entry. */
const validNames = new Set<string>()
const maxNames = 1024

const isValid = (text: unknown): text is string => typeof text === "string" && /^[\x20-\x7e]{1,200}$/.test(text)

/** Names that every store can index and that people can type. */
const isName = (text: string): boolean => {
  if (validNames.has(text)) return true
  if (!isValid(text)) return false
  if (validNames.size >= maxNames) validNames.clear()
  validNames.add(text)
  return true
}

export const encodeDraft = (
  { body, branch, correlationId, version = 1 }: Draft,
  encodeBody: EncodeBody = canonicalJson,
): Result.Result<EncodedDraft, JournalError> => {
  if (!isName(branch)) return failInvalid("branch", "its branch is not 1 to 200 printable ASCII characters")
  // Correlation ids are not remembered, because each command has its own.
  if (!isValid(correlationId)) {
    return failInvalid("correlationId", "its correlation id is not 1 to 200 printable ASCII characters")
  }
  if (!isName(body._tag)) return failInvalid("body._tag", "its tag is not 1 to 200 printable ASCII characters")
  if (!Number.isSafeInteger(version) || version < 1) return failInvalid("version", "its version is not 1 or above")
  let encoded: string | MeasuredBody
  try {
    encoded = encodeBody(body)
  } catch (error) {
    return failInvalid("body", `its body is not JSON: ${errorMessage(error)}`)
  }
  return encoded.length > maxBodyLength
    ? failInvalid("body", `its body is longer than ${maxBodyLength} characters`)
    : Result.succeed({ branch, correlationId, tag: body._tag, version, body: encoded })
}

export const corruptEntryError = (position: Position, what: string, exception?: unknown): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: entry ${position} cannot be read: ${what}`,
    exception,
  )

/** Decodes a row. Throws a {@link JournalError} (`Corrupt`) instead of returning it: rows are decoded in hot loops. */
export const decodeRow = (row: Row): Entry => {
  let body: Body | undefined
  if (row instanceof UnchainedRow) body = row.object
  else if (row.body !== "") {
    let value: unknown
    try {
      value = JSON.parse(row.body)
    } catch {
      throw corruptEntryError(row.position, "its body is not JSON")
    }
    if (!isBody(value)) throw corruptEntryError(row.position, "its body has no tag")
    body = value
  }
  const { branch, correlationId, hash, position, tag, time, version } = row
  return { position, time, branch, correlationId, tag, version, hash, body }
}
