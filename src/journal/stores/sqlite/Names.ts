/**
 * The small numbers that stand for correlation ids and kinds (branch, tag and version).
 *
 * @module
 */
import type { Filter } from "../../Entry.ts"
import { BoundedMap } from "./BoundedMap.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"

/** What entries of one kind have in common. */
export interface Kind {
  readonly branch: string
  readonly tag: string
  readonly version: number
}

const remembered = 4_096

/**
 * Finds and makes numbers, and remembers those of late. What one transaction adds is remembered before it is kept, so
 * whoever rolls back clears; numbers are never given twice, so what they stand for is true for ever, while a number for
 * a correlation id may be removed by another process: {@link Names.clear} when `generation` has changed.
 */
export class Names {
  readonly #connection: Connection
  readonly #correlationIds = new BoundedMap<number, string>(remembered)
  readonly #correlations = new BoundedMap<string, number>(remembered)
  readonly #kinds = new BoundedMap<number, Kind>(remembered)
  readonly #kindNumbers = new BoundedMap<string, number>(remembered)

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Forgets everything. */
  clear(): void {
    this.#correlationIds.clear()
    this.#correlations.clear()
    this.#kinds.clear()
    this.#kindNumbers.clear()
  }

  /** The number of a correlation id, if it has one. Not from memory: it may have been removed, and made again. */
  findCorrelation(text: string): number | undefined {
    const found = this.#connection.row("SELECT id FROM correlations WHERE text = ?", text)
    return found === undefined ? undefined : numberAt(found, 0)
  }

  /** The number of a correlation id, made when it has none. In a transaction. */
  correlation(text: string): number {
    const known = this.#correlations.get(text)
    if (known !== undefined) return known
    const id = this.findCorrelation(text) ??
      this.#connection.number("INSERT INTO correlations (text) VALUES (?) RETURNING id", text)
    this.#correlations.set(text, id)
    return id
  }

  /** What a number of a correlation id stands for. */
  correlationId(id: number): string | undefined {
    const known = this.#correlationIds.get(id)
    if (known !== undefined) return known
    const found = this.#connection.row("SELECT text FROM correlations WHERE id = ?", id)
    if (found === undefined) return undefined
    const text = textAt(found, 0)
    this.#correlationIds.set(id, text)
    return text
  }

  /** The number of a kind, made when it has none. In a transaction. */
  kind({ branch, tag, version }: Kind): number {
    const key = `${version}\n${tag}\n${branch}`
    const known = this.#kindNumbers.get(key)
    if (known !== undefined) return known
    const found = this.#connection.row(
      "SELECT id FROM kinds WHERE tag = ? AND branch = ? AND version = ?",
      tag,
      branch,
      version,
    )
    const id = found === undefined
      ? this.#connection.number(
        "INSERT INTO kinds (tag, branch, version) VALUES (?, ?, ?) RETURNING id",
        tag,
        branch,
        version,
      )
      : numberAt(found, 0)
    this.#kindNumbers.set(key, id)
    return id
  }

  /** What a number of a kind stands for. */
  kindOf(id: number): Kind | undefined {
    const known = this.#kinds.get(id)
    if (known !== undefined) return known
    const found = this.#connection.row("SELECT branch, tag, version FROM kinds WHERE id = ?", id)
    if (found === undefined) return undefined
    const kind = { branch: textAt(found, 0), tag: textAt(found, 1), version: numberAt(found, 2) }
    this.#kinds.set(id, kind)
    return kind
  }

  /** The numbers of the kinds that a filter means; `undefined` when it means them all. */
  kindsOf({ branch, tags }: Filter): ReadonlyArray<number> | undefined {
    if (branch === undefined && tags === undefined) return undefined
    const rows = this.#connection.rows(
      `SELECT id FROM kinds WHERE (?1 IS NULL OR branch = ?1)
        AND (?2 IS NULL OR tag IN (SELECT value FROM json_each(?2)))`,
      branch ?? null,
      tags === undefined ? null : JSON.stringify(tags),
    )
    return rows.map((row) => numberAt(row, 0))
  }
}
