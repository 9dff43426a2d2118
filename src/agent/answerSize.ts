/** Measures the parts of an answer, so that an endless answer cannot exhaust memory. */

/** Maximum UTF-16 units of one answer. */
export const maxAnswerSize: number = 16 * 1024 * 1024

/** Counted for each part in addition to its texts, because parts without text take memory too. */
const partSize = 256

/** The size of a value's texts and bytes, deep enough for file contents and provider metadata. */
const sizeOf = (value: unknown, depth: number): number => {
  if (typeof value === "string") return value.length
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (depth === 0 || typeof value !== "object" || value === null) return 0
  return Object.values(value).reduce<number>((size, each) => size + sizeOf(each, depth - 1), 0)
}

export const partSizeOf = (part: object): number => partSize + sizeOf(part, 3)

export const tooLongText: string = `the answer is longer than ${maxAnswerSize} characters`
