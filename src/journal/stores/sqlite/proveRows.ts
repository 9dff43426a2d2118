/**
 * Proves a range of rows of a SQLite journal: reads them in order, recomputes their hashes, and compares their marks.
 *
 * @module
 */
import type { ChainProof, ProofGap, ProofRange } from "../../ChainProof.ts"
import type { Cells } from "../../../base/nodeSqlite.ts"
import type { findLostMark } from "./sparseIndex.ts"

/**
 * The rows between two positions, both included. A long body is left to the walk: a batch in memory is bounded. The
 * names are one text, and marks and number of bytes one number: each cell takes 0.1 us.
 */
export const provenRowsQuery = `SELECT position,
    correlation_id || char(10) || tag || char(10) || branch, time, version, hash,
    iif(octet_length(body) <= 65536, body, NULL),
    8 * (octet_length(correlation_id) + octet_length(tag) + octet_length(branch) + octet_length(hash) +
      octet_length(body)) + (marks & 7)
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
  let checkedFrom = Math.ceil(from / blockSize) * blockSize
  let hash = previous
  let next = from
  let isGap = false
  // By the names of a row, which repeat: their JSON, and the block in which they were seen last.
  const groups = new Map<unknown, { readonly parts: ReadonlyArray<string>; readonly json: string; block: number }>()
  for (;;) {
    const block = Math.floor(next / blockSize)
    const rows = next > to ? [] : all(rowsQuery, next, Math.min(to, (block + 1) * blockSize - 1))
    if (rows.length === 0) return { previous, through: next - 1, hash, gaps, checkedFrom }
    if (groups.size > 1_000) groups.clear()
    // The first row with each set of names: a further one needs no mark.
    const firsts: Array<Cells> = []
    for (const [position, names, time, version, stored, body, sum] of rows) {
      if (position !== next || typeof stored !== "string") {
        return { previous, through: next - 1, hash, gaps, checkedFrom }
      }
      let group = groups.get(names)
      if (group === undefined) {
        const parts = String(names).split("\n")
        const json = `,"branch":${JSON.stringify(parts[2])},"correlationId":${JSON.stringify(parts[0])},"position":`
        group = { parts, json, block: -1 }
        groups.set(names, group)
        if (parts.length !== 3 || String(names).includes("\0")) checkedFrom = Infinity
      }
      const marks = Number(sum) & 7
      if (group.block !== block) {
        group.block = block
        firsts.push([position, marks, ...group.parts])
      }
      let isProven = false
      // A stripped body is empty, and the text of another one is in a file.
      if (typeof body === "string" && body.startsWith("{") && !skip.includes(next)) {
        const text = `${hash}\n{"body":${body}${group.json}${next},"time":${String(time)},"version":${String(version)}}`
        try {
          isProven = sha256(text) === stored && JSON.parse(body)._tag === group.parts[1] && group.parts.length === 3
        } catch {
          // The walk says what is wrong with it.
        }
      }
      // Deno's `node:sqlite` reads a text up to its first zero byte, so the hash does not cover what follows it.
      const texts = `${String(names)}${stored}${String(body)}`
      const bytes = (Number(sum) - marks) / 8 + 2
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
    if (block * blockSize >= from && findLostMark(firsts, -1, blockSize) > 0) checkedFrom = Infinity
  }
}
