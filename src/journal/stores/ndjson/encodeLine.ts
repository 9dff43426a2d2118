/** Encodes rows as lines of JSON with the body last, so that a position is found without reading bodies. */
import { utf8Length } from "../../../base/utf8.ts"
import type { Position, Row } from "../../Entry.ts"

/**
 * Maximum size of a line. A body has at most 8 Mi UTF-16 units, which are at most 24 MiB of UTF-8; the rest is room for
 * the other fields.
 */
export const maxLineBytes: number = 32 * 1024 * 1024

export const lineStart = `{"position":`

/** The key of the body. No text within a line can contain it: its quotes would be escaped there. */
export const bodyKey = `,"body":`

/** Marks every row of a transaction except the last, so that an incomplete transaction is recognized. */
export const moreKey = `,"more":true`

const hashEndWithMore = `"${moreKey}${bodyKey}`
const hashEnd = `"${bodyKey}`

/** Maximum number of characters of branch, correlation id and tag together. */
const maxNamesLength = 8_192

const openingBrace = 123

/** Encodes rows as lines. Consecutive rows are similar: the fields that they share are encoded once. */
export class LineEncoder {
  #time = NaN
  #branch = ""
  #correlationId = ""
  #tag = ""
  #version = NaN
  #sharedFields = ""

  line(row: Row, more: boolean): string {
    const { body, branch, correlationId, hash, position, tag, time, version } = row
    if (
      time !== this.#time || correlationId !== this.#correlationId || tag !== this.#tag || branch !== this.#branch ||
      version !== this.#version
    ) {
      this.#time = time
      this.#branch = branch
      this.#correlationId = correlationId
      this.#tag = tag
      this.#version = version
      this.#sharedFields = `,"time":${time},"branch":${JSON.stringify(branch)},"correlationId":${
        JSON.stringify(correlationId)
      },"tag":${JSON.stringify(tag)},"version":${version},"hash":"`
    }
    const text = body === "" ? "null" : body
    return `${lineStart}${position}${this.#sharedFields}${hash}${more ? hashEndWithMore : hashEnd}${text}}\n`
  }

  /**
   * The lines of one transaction as one text. Joining them at once gives a flat string, which is encoded in one pass.
   */
  transaction(rows: ReadonlyArray<Row>): string {
    const last = rows.length - 1
    return rows.map((row, index) => this.line(row, index < last)).join("")
  }
}

/**
 * The first field of a row that a line cannot hold, or that no valid entry has; `undefined` when all fields are valid.
 */
export const findUnwritableField = (row: Row, expected: Position): keyof Row | undefined => {
  const { body } = row
  if (row.position !== expected) return "position"
  if (row.hash.length !== 64) return "hash"
  if (!Number.isFinite(row.time)) return "time"
  if (!Number.isSafeInteger(row.version)) return "version"
  if (row.branch.length + row.correlationId.length + row.tag.length > maxNamesLength) return "correlationId"
  // A JSON object on one line: `null` means pruned, and a newline would end the entry.
  if (body !== "" && (body.charCodeAt(0) !== openingBrace || body.includes("\n"))) return "body"
  const maxBodyBytes = maxLineBytes - 8 * maxNamesLength
  return body.length * 3 > maxBodyBytes && utf8Length(body) > maxBodyBytes ? "body" : undefined
}
