/**
 * Measures the parts of an answer, so that one that never ends does not fill the memory.
 *
 * @module
 */

/** UTF-16 units that one answer may have. */
export const maxAnswerSize: number = 16 * 1024 * 1024

/** What is counted for a part beside its texts: also parts without any take memory. */
const partSize = 64

/** The size of a part: of its texts, and of itself. */
export const partSizeOf = (part: object): number => {
  let size = partSize
  for (const value of Object.values(part)) {
    if (typeof value === "string") size += value.length
  }
  return size
}

/** Why an answer was given up. */
export const tooLongText: string = `the answer is longer than ${maxAnswerSize} characters`
