/** Declares the options that the leaves of databases share: read-only, and the limits of requests. */
import { maxTimerMillis } from "../base/maxTimerMillis.ts"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { refuseUnknownOptions, requireBooleans, requireCount } from "../base/OptionError.ts"
import type { DatabaseRequest } from "./DatabaseEntry.ts"

/** Options of every leaf. */
export interface DatabaseLeafOptions {
  /** Whether only queries are allowed. The database enforces that they change no data. Default: `false`. */
  readonly readOnly?: boolean | undefined
  /** Maximum number of concurrent requests; others wait. Default: 4. */
  readonly maxConnections?: number | undefined
  /** Maximum number of rows of an answer; with more the request fails with `TooLarge`. Default: 10,000. */
  readonly maxRows?: number | undefined
  /** Bytes of an answer, as JSON. One row, and all rows of a change, have at most 4,194,304 bytes. Default: 4,194,304. */
  readonly maxBytes?: number | undefined
  /** Maximum time of a request, including the time of its reader. Default: 1 min. */
  readonly timeout?: DurationInput | undefined
}

export interface RequestLimits {
  readonly maxRows: number
  readonly maxBytes: number
  readonly timeoutMillis: number
}

export interface LeafSettings extends RequestLimits {
  readonly readOnly: boolean
  readonly maxConnections: number
}

const shared: Readonly<Record<keyof DatabaseLeafOptions, true>> = {
  readOnly: true,
  maxConnections: true,
  maxRows: true,
  maxBytes: true,
  timeout: true,
}

/** Maximum bytes of one row, and of the answer to a change, which is one entry of a journal. */
export const maxEntryBytes = 4_194_304

export const leafSettings = (
  where: string,
  options: DatabaseLeafOptions,
  others: Readonly<Record<string, true>>,
): LeafSettings => {
  refuseUnknownOptions(where, options, { ...shared, ...others })
  const count = (name: "maxConnections" | "maxRows" | "maxBytes", fallback: number) =>
    requireCount(where, name, options[name] ?? fallback, { min: 1 })
  const { readOnly } = requireBooleans(where, { readOnly: options.readOnly })
  return {
    readOnly: readOnly ?? false,
    maxConnections: count("maxConnections", 4),
    maxRows: count("maxRows", 10_000),
    maxBytes: count("maxBytes", maxEntryBytes),
    timeoutMillis: Math.min(positiveMillisOf("timeout", options.timeout ?? "1 minute"), maxTimerMillis),
  }
}

/** The limits of a request: the lower ones of the request's and the leaf's. */
export const limitsOf = (settings: LeafSettings, request: DatabaseRequest): RequestLimits => {
  const { maxBytes = Infinity, maxRows = Infinity, timeoutMillis = Infinity } = request
  return {
    maxRows: Math.min(maxRows, settings.maxRows),
    maxBytes: Math.min(
      maxBytes,
      settings.maxBytes,
      request._tag === "DatabaseQuery" ? Infinity : maxEntryBytes,
    ),
    timeoutMillis: Math.min(timeoutMillis, settings.timeoutMillis),
  }
}
