/**
 * Proves a range of rows of a SQLite journal: reads them in order and recomputes their hashes.
 *
 * @module
 */
import type { ChainProof, ProofGap, ProofRange } from "../../ChainProof.ts"

/** The next rows of a range, in order. A long body is left to the walk: a batch in memory is bounded. */
export const provenRowsQuery = `SELECT position, time, branch, correlation_id, tag, version, hash,
    iif(octet_length(body) <= 65536, body, NULL)
  FROM entries WHERE position >= ? AND position <= ? ORDER BY position LIMIT 256`

/** The hash of a row. */
export const hashQuery = "SELECT hash FROM entries WHERE position = ?"

/** Functions that {@link proveRows} uses. */
export interface ProofTools {
  /** The rows of a query. */
  readonly all: (sql: string, ...values: ReadonlyArray<number>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly sha256: (text: string) => string
  readonly rowsQuery: string
  readonly hashQuery: string
}

/**
 * Proves a range. It is sent to threads as text, so it may use only its parameters and globals, and must not declare
 * named functions: bundlers that keep names wrap those in a helper. The text of a hash is that of `hashInput`.
 */
export const proveRows = (
  { all, hashQuery, rowsQuery, sha256 }: ProofTools,
  { from, skip, to }: ProofRange,
): ChainProof => {
  const gaps: Array<ProofGap> = []
  const before = all(hashQuery, from - 1)[0]?.[0]
  const first = from === 1 ? "0".repeat(64) : String(before)
  let hash = first
  let next = from
  let isGap = false
  // They repeat from row to row.
  const encoded = new Map<unknown, string>()
  for (;;) {
    const rows = next > to ? [] : all(rowsQuery, next, to)
    if (rows.length === 0) return { previous: first, through: next - 1, hash, gaps }
    for (const [position, time, branch, correlationId, tag, version, stored, body] of rows) {
      if (position !== next || typeof stored !== "string") return { previous: first, through: next - 1, hash, gaps }
      let isProven = false
      // A stripped body is empty, and the text of another one is in a file.
      if (typeof body === "string" && body.startsWith("{") && !skip.includes(next)) {
        if (encoded.size > 1_000) encoded.clear()
        for (const name of [branch, correlationId]) if (!encoded.has(name)) encoded.set(name, JSON.stringify(name))
        const text = `${hash}\n{"body":${body},"branch":${encoded.get(branch)},"correlationId":${
          encoded.get(correlationId)
        },"position":${next},"time":${String(time)},"version":${String(version)}}`
        try {
          isProven = sha256(text) === stored && JSON.parse(body)._tag === tag
        } catch {
          // The walk says what is wrong with it.
        }
      }
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
