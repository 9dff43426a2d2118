/**
 * Proves a range of rows of a SQLite journal: reads them in order, recomputes their hashes, and compares their marks.
 *
 * @module
 */
import type { ChainProof, ProofGap, ProofRange } from "../../ChainProof.ts"
import type { Cells } from "./nodeSqlite.ts"
import type { findLostMark } from "./sparseIndex.ts"

/**
 * The rows between two positions, both included; the first five columns are those of {@link findLostMark}. A long body
 * is left to the walk: a batch in memory is bounded. The last column is the number of bytes of all texts.
 */
export const provenRowsQuery = `SELECT position, marks, correlation_id, tag, branch, time, version, hash,
    iif(octet_length(body) <= 65536, body, NULL),
    octet_length(correlation_id) + octet_length(tag) + octet_length(branch) + octet_length(hash) + octet_length(body)
  FROM entries WHERE position >= ? AND position <= ? ORDER BY position`

/** The hash of a row. */
export const hashQuery = "SELECT hash FROM entries WHERE position = ?"

/** Functions and constants that {@link proveRows} uses. */
export interface ProofTools {
  /** The rows of a query. */
  readonly all: (sql: string, ...values: ReadonlyArray<number>) => ReadonlyArray<Cells>
  readonly sha256: (text: string) => string
  readonly findLostMark: typeof findLostMark
  readonly blockSize: number
  readonly rowsQuery: string
  readonly hashQuery: string
}

/**
 * Proves a range. It is sent to threads as text, so it may use only its parameters and globals, and must not declare
 * named functions: bundlers that keep names wrap those in a helper. The text of a hash is that of `hashInput`.
 */
export const proveRows = (
  { all, blockSize, findLostMark, hashQuery, rowsQuery, sha256 }: ProofTools,
  { from, skip, to }: ProofRange,
): ChainProof => {
  const gaps: Array<ProofGap> = []
  const before = all(hashQuery, from - 1)[0]?.[0]
  const previous = from === 1 ? "0".repeat(64) : String(before)
  // The marks of the block that `from` divides depend on the rows before it.
  const wholeFrom = Math.ceil(from / blockSize) * blockSize
  let checkedFrom = wholeFrom
  let hash = previous
  let next = from
  let isGap = false
  // They repeat from row to row.
  const encoded = new Map<unknown, string>()
  for (;;) {
    const blockEnd = next - next % blockSize + blockSize - 1
    const rows = next > to ? [] : all(rowsQuery, next, Math.min(to, blockEnd))
    if (rows.length === 0) return { previous, through: next - 1, hash, gaps, checkedFrom }
    if (next >= wholeFrom && findLostMark(rows, -1, blockSize) > 0) checkedFrom = Infinity
    for (const [position, , correlationId, tag, branch, time, version, stored, body, bytes] of rows) {
      if (position !== next || typeof stored !== "string") {
        return { previous, through: next - 1, hash, gaps, checkedFrom }
      }
      let isProven = false
      // A stripped body is empty, and the text of another one is in a file.
      if (typeof body === "string" && body.startsWith("{") && !skip.includes(next)) {
        if (encoded.size > 1_000) encoded.clear()
        for (const name of [branch, correlationId, tag]) {
          if (encoded.has(name)) continue
          encoded.set(name, JSON.stringify(name))
          if (String(name).includes("\0")) checkedFrom = Infinity
        }
        const text = `${hash}\n{"body":${body},"branch":${encoded.get(branch)},"correlationId":${
          encoded.get(correlationId)
        },"position":${next},"time":${String(time)},"version":${String(version)}}`
        try {
          isProven = sha256(text) === stored && JSON.parse(body)._tag === tag
        } catch {
          // The walk says what is wrong with it.
        }
      }
      // Deno's `node:sqlite` reads a text up to its first zero byte, so the hash does not cover what follows it.
      const texts = `${String(correlationId)}${String(tag)}${String(branch)}${stored}${String(body)}`
      if (
        texts.length !== bytes && new TextEncoder().encode(texts).length !== bytes || !isProven && texts.includes("\0")
      ) checkedFrom = Infinity
      if (!isProven) {
        const gap = isGap ? gaps.pop() : undefined
        gaps.push({ from: gap?.from ?? next, previous: gap?.previous ?? hash, through: next, hash: stored })
      }
      isGap = !isProven
      hash = stored
      next++
    }
  }
}
