/**
 * An entry as a line of JSON: what stands beside the body first, so that a position is found without reading the body.
 *
 * @module
 */
import type { Position, Row } from "../../Entry.ts"

/**
 * Most bytes of a line. A body has at most 8 Mi UTF-16 units, which are at most 24 MiB of UTF-8; the rest is room for
 * what stands before it.
 */
export const maxLineBytes: number = 32 * 1024 * 1024

/** How every line begins. */
export const lineStart = `{"position":`

/** What stands before the body. No text within a line can hold it: its quotes would be escaped there. */
export const bodyKey = `,"body":`

/** Marks every row of a transaction but the last: only together are they there. */
export const moreKey = `,"more":true`

const moreEnd = `"${moreKey}${bodyKey}`
const lastEnd = `"${bodyKey}`

/** Most characters of branch, correlation id and tag together. */
const maxNames = 8_192

/** Writes rows as lines. Rows that follow each other are much alike: what they share is written once. */
export class LineEncoder {
  #time = NaN
  #branch = ""
  #correlationId = ""
  #tag = ""
  #version = NaN
  #middle = ""

  /** The line of a row, with its newline. */
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
      this.#middle = `,"time":${time},"branch":${JSON.stringify(branch)},"correlationId":${
        JSON.stringify(correlationId)
      },"tag":${JSON.stringify(tag)},"version":${version},"hash":"`
    }
    const text = body === "" ? "null" : body
    return `${lineStart}${position}${this.#middle}${hash}${more ? moreEnd : lastEnd}${text}}\n`
  }

  /** The lines of one transaction. */
  lines(rows: ReadonlyArray<Row>): ReadonlyArray<string> {
    const last = rows.length - 1
    return rows.map((row, index) => this.line(row, index < last))
  }

  /** The lines of one transaction, as one text: joined at once it is flat, and encoded in one go. */
  transaction(rows: ReadonlyArray<Row>): string {
    return this.lines(rows).join("")
  }
}

/** The field of a row that no line can hold, or that no entry has. */
export const findUnwritableField = (
  row: Row,
  expected: Position,
  byteLength: (text: string) => number,
): string | undefined => {
  const { body } = row
  if (row.position !== expected) return "position"
  if (row.hash.length !== 64) return "hash"
  if (!Number.isFinite(row.time)) return "time"
  if (!Number.isSafeInteger(row.version)) return "version"
  if (row.branch.length + row.correlationId.length + row.tag.length > maxNames) return "correlationId"
  // An object on one line: `null` says that it was pruned, and a newline would end the entry.
  if (body !== "" && (body.charCodeAt(0) !== 123 || body.includes("\n"))) return "body"
  const room = maxLineBytes - 8 * maxNames
  return body.length * 3 > room && byteLength(body) > room ? "body" : undefined
}
