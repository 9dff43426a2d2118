/** Encodes the first line of a journal file, which holds the format version, and checks it when a file is opened. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { JournalError } from "../../JournalError.ts"
import { corruptError } from "./fsError.ts"

const format = 1

export const maxHeaderBytes = 4_096

const Header = Schema.Struct({ sluice: Schema.Literal("journal"), format: Schema.Int })

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Header))

/** The first line of a new file, with its newline. `created` (milliseconds since 1970) is informative. */
export const headerLine = (created: number): string =>
  `${JSON.stringify({ sluice: "journal", format, created: new Date(created).toISOString() })}\n`

/** Checks the first line; returns its length with the newline. Throws `Corrupt` for another file, or `TooNew`. */
export const readHeader = (path: string, text: string): number => {
  const end = text.indexOf("\n")
  const header = end < 0 ? undefined : Option.getOrUndefined(decode(text.slice(0, end)))
  if (header === undefined || header.format < 1) {
    throw corruptError(path, "its first line is not the header of a journal")
  }
  if (header.format > format) {
    throw JournalError.because(
      { _tag: "TooNew", version: header.format, known: format },
      `journal: ${path} was not opened: its format is ${header.format}, and this version knows up to ${format}`,
    )
  }
  return end + 1
}
