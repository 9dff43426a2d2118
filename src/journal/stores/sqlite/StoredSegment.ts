/**
 * A segment, from the file.
 *
 * @module
 */
import type { Position, Row } from "../../Entry.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import { corrupt, spoilt } from "./corrupt.ts"
import type { Cells } from "./driver.ts"
import type { Names } from "./Names.ts"
import { contentsQuery } from "./queries.ts"
import { bodyOf, hashAt, splitBodies, splitNumbers } from "./segmentText.ts"
import { isCorrupt } from "./sqliteError.ts"

interface Contents {
  readonly hashes: string
  readonly bodies: ReadonlyArray<string>
}

type Numbers = (index: number) => string | undefined

/** One row of `segmentsQuery`. What is not in it is read when it is wanted. */
export class StoredSegment {
  readonly first: Position
  readonly last: Position
  /** Bytes of its bodies. */
  readonly bytes: number
  readonly #connection: Connection
  readonly #names: Names
  readonly #cells: Cells
  readonly #correlation: Numbers
  readonly #kind: Numbers
  #contents: Contents | undefined

  constructor(connection: Connection, names: Names, cells: Cells) {
    this.last = numberAt(cells, 0)
    this.first = this.last - numberAt(cells, 1) + 1
    this.bytes = numberAt(cells, 6)
    this.#connection = connection
    this.#names = names
    this.#cells = cells
    this.#correlation = splitNumbers(textAt(cells, 3))
    this.#kind = splitNumbers(textAt(cells, 4))
  }

  /** Entries in it. */
  get count(): number {
    return this.last - this.first + 1
  }

  /** Whether the entry at a position has a correlation, and one of some kinds; what is not given is not asked. */
  has(position: Position, correlation: string | undefined, kinds: ReadonlySet<string> | undefined): boolean {
    const index = position - this.first
    return (correlation === undefined || this.#correlation(index) === correlation) &&
      (kinds === undefined || kinds.has(this.#kind(index) ?? ""))
  }

  /** The row of the entry at a position, with its body or without. */
  row(position: Position, withBody: boolean): Row {
    const index = position - this.first
    const correlationId = this.#names.correlationId(Number(this.#correlation(index)))
    const kind = this.#names.kindOf(Number(this.#kind(index)))
    if (correlationId === undefined) throw corrupt(position, "its correlation id is not there")
    if (kind === undefined) throw corrupt(position, "its branch and tag are not there")
    const { bodies, hashes } = this.#contents ??= this.#read(position, withBody)
    const hash = hashAt(hashes, textAt(this.#cells, 5), index, this.count)
    const body = withBody ? bodies[index] : ""
    if (hash === "" || body === undefined) throw corrupt(position, "its place in the file is empty")
    const { branch, tag, version } = kind
    const time = numberAt(this.#cells, 2)
    return { position, time, branch, correlationId, tag, version, hash, body: bodyOf(body) }
  }

  #read(position: Position, withBodies: boolean): Contents {
    const cells = this.#cells[7] === null ? this.#readMore(position, withBodies) : this.#cells.slice(7)
    return {
      hashes: textAt(cells, 0),
      bodies: withBodies ? splitBodies(textAt(cells, 1), this.count) : [],
    }
  }

  #readMore(position: Position, withBodies: boolean): Cells {
    try {
      return this.#connection.row(contentsQuery(withBodies), this.last) ?? []
    } catch (error) {
      throw isCorrupt(error) ? spoilt(position, error) : error
    }
  }
}
