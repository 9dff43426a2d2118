/** Encodes journal entries as lines of NDJSON, in the form of the NDJSON store. */
import { canonicalJson } from "../../base/canonicalJson.ts"
import type { Entry } from "../../journal/Entry.ts"
import { LineEncoder } from "../../journal/stores/ndjson/encodeLine.ts"

/** Encodes entries as lines, each with its newline. */
export const entryLines = (entries: ReadonlyArray<Entry>): string => {
  const writer = new LineEncoder()
  return entries.map(({ body, ...entry }) =>
    writer.line({ ...entry, body: body === undefined ? "" : canonicalJson(body) }, false)
  ).join("")
}
