/** Counts the rows of an answer and their bytes as JSON, and refuses those over the limits of the request. */
import { utf8Length } from "../base/utf8.ts"
import type { DatabaseValue } from "./DatabaseValue.ts"
import { DriverError } from "./DriverError.ts"
import { maxEntryBytes, type RequestLimits } from "./leafOptions.ts"

/** The cells of a row, in the order of the columns. */
export type Row = ReadonlyArray<DatabaseValue>

/** Bytes of a value as JSON, or a few more. */
const sizeOf = (value: DatabaseValue): number => {
  if (value instanceof Uint8Array) return Math.ceil(value.length / 3) * 4 + 13
  if (typeof value === "bigint") return String(value).length + 15
  if (typeof value === "number") return String(value).length + 13
  return utf8Length(JSON.stringify(value)) + 1
}

export class RowMeter {
  readonly #limits: RequestLimits
  #rows = 0
  #bytes = 0

  constructor(limits: RequestLimits) {
    this.#limits = limits
  }

  /** Counts a row; returns its bytes. Throws a `DriverError` for one over a limit. */
  add(row: Row): number {
    const { maxBytes, maxRows } = this.#limits
    const bytes = row.reduce<number>((sum, value) => sum + sizeOf(value), 2)
    this.#bytes += bytes
    if (++this.#rows > maxRows) throw new DriverError("TooLarge", `there are more than ${maxRows} rows`)
    if (this.#bytes > maxBytes) throw new DriverError("TooLarge", `the rows are larger than ${maxBytes} bytes`)
    if (bytes > maxEntryBytes) throw new DriverError("TooLarge", `a row is larger than ${maxEntryBytes} bytes`)
    return bytes
  }
}
