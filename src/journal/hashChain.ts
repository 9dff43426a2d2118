/** Makes the rows of an append, each with a SHA-256 over its content and the hash before it. */
import { sha256 } from "../base/sha256.ts"
import type { Head, Row } from "./Entry.ts"
import type { EncodedDraft } from "./entryCodec.ts"
import { UnchainedRow } from "./UnchainedRow.ts"

export type UnhashedRow = Omit<Row, "hash">

/** Encodes names as JSON, and keeps the last: it often repeats from row to row. */
const nameEncoder = (): (name: string) => string => {
  let [last, encoded] = ["", `""`]
  return (name) => {
    if (name === last) return encoded
    last = name
    return encoded = JSON.stringify(name)
  }
}

const encodeBranch = nameEncoder()
const encodeId = nameEncoder()

/**
 * The text that a row's hash covers: the previous hash (64 hexadecimal digits), a newline, and the row's canonical JSON
 * without its hash.
 */
export const hashInput = (previous: string, row: UnhashedRow): string =>
  `${previous}\n{"body":${row.body},"branch":${encodeBranch(row.branch)},"correlationId":${
    encodeId(row.correlationId)
  },"position":${row.position},"time":${row.time},"version":${row.version}}`

export const hashRow = (previous: string, row: UnhashedRow): string => sha256(hashInput(previous, row))

export const isChained = (previous: string, row: Row): boolean => hashRow(previous, row) === row.hash

export const chainRows = (head: Head, time: number, drafts: Iterable<EncodedDraft>): Array<Row> => {
  let { hash, position } = head
  const rows: Array<Row> = []
  for (const { body, branch, correlationId, tag, version } of drafts) {
    position++
    if (typeof body === "string") {
      hash = hashRow(hash, { position, time, branch, correlationId, tag, version, body })
      rows.push({ position, time, branch, correlationId, tag, version, hash, body })
    } else rows.push(new UnchainedRow({ position, time, branch, correlationId, tag, version }, body))
  }
  return rows
}
