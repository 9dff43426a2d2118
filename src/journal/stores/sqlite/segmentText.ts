/**
 * A segment: consecutive entries that were written together, as one row of the file.
 *
 * SQLite takes about as long for a row of a hundred bytes as for one of ten thousand, so entries that are appended
 * together lie together, what they say of one kind in one text. One that comes alone is a segment of one.
 *
 * @module
 */
import type { Row } from "../../Entry.ts"

/** The most entries of one segment. */
export const mostEntries = 128

/** Characters of all bodies of a segment, at most; a body that is longer is a segment of its own. */
export const mostText = 65_536

/** How a body is written that was pruned. No entry has it: a body is an object. */
const pruned = "null"

/** Characters of a hash. */
const hashLength = 64

/** Whether an entry is a segment of its own: JSON has no newline that is not escaped, but a body may be any text. */
export const standsAlone = ({ body, hash }: Pick<Row, "body" | "hash">): boolean =>
  hash.length !== hashLength || body.includes("\n")

/** Bodies as they lie in a segment: each is a line. */
export const joinBodies = (bodies: ReadonlyArray<string>): string =>
  bodies.includes("") ? bodies.map((body) => body === "" ? pruned : body).join("\n") : bodies.join("\n")

/** The texts of so many bodies; {@link bodyOf} each. */
export const splitBodies = (text: string, count: number): ReadonlyArray<string> =>
  count === 1 ? [text] : text.split("\n")

/** A body, from how it lies there. */
export const bodyOf = (text: string): string => text === pruned ? "" : text

/** Numbers as they lie in a segment: with commas; only one when all are the same. */
export const joinNumbers = (numbers: ReadonlyArray<number | string>): string => {
  const [first = ""] = numbers
  for (const number of numbers) if (number !== first) return numbers.join(",")
  return String(first)
}

/** The number of each entry. */
export const splitNumbers = (text: string): (index: number) => string | undefined => {
  if (!text.includes(",")) return () => text
  const numbers = text.split(",")
  return (index) => numbers[index]
}

/** Hashes as they lie in a segment: those of all but the last, which stands for itself. */
export const joinHashes = (hashes: ReadonlyArray<string>): string => hashes.slice(0, -1).join(",")

/** The hash of an entry, from those of all but the last, and that of the last. */
export const hashAt = (hashes: string, hash: string, index: number, count: number): string =>
  index === count - 1 ? hash : hashes.slice(index * (hashLength + 1), index * (hashLength + 1) + hashLength)
