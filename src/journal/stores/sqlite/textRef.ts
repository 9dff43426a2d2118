/**
 * The place of a long body in the text files of a SQLite journal, as the column `body` names it.
 *
 * @module
 */

/** A body that is as long (in UTF-16 units) goes into a text file: SQLite writes each byte twice, and syncs both. */
export const minTextLength = 32_768

/** Place of a body. */
export interface TextRef {
  /** The number of its file, from 1. */
  readonly file: number
  /** The offset of its first byte. */
  readonly at: number
  /** Its length in UTF-8. */
  readonly bytes: number
}

const digits = { file: 8, at: 12, bytes: 10 }

const pattern = /^@(\d{8}):(\d{12}):(\d{10})$/

/** Formats a place. Padded: places sort as texts in the order of files and offsets. */
export const formatTextRef = ({ at, bytes, file }: TextRef): string =>
  `@${String(file).padStart(digits.file, "0")}:${String(at).padStart(digits.at, "0")}:${
    String(bytes).padStart(digits.bytes, "0")
  }`

/** Parses a place; `undefined` for a body itself, which begins with a brace, and for a stripped one, which is empty. */
export const parseTextRef = (body: string): TextRef | undefined => {
  if (!body.startsWith("@")) return undefined
  const [, file, at, bytes] = pattern.exec(body) ?? []
  return file === undefined ? undefined : { file: Number(file), at: Number(at), bytes: Number(bytes) }
}

/** The condition of the index over places: a query has to repeat it word by word. */
export const isTextRef = "body >= '@' AND body < 'A'"

/** The places in a file are between these two texts. */
export const refsOf = (file: number): readonly [from: string, before: string] => {
  const prefix = `@${String(file).padStart(digits.file, "0")}`
  return [`${prefix}:`, `${prefix};`]
}
