/** Cuts text without splitting a surrogate pair. */

/** Whether a UTF-16 code unit is the first half of a surrogate pair. */
export const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

/** Whether a UTF-16 code unit is the second half of a surrogate pair. */
export const isLowSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xdc00

/** Whether a cut at `index` would split a surrogate pair. */
export const splitsPair = (text: string, index: number): boolean =>
  index > 0 && isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))

/** The largest index at or before `index` where a cut splits no surrogate pair. */
export const cutBefore = (text: string, index: number): number => splitsPair(text, index) ? index - 1 : index

/** The smallest index at or after `index` where a cut splits no surrogate pair. */
export const cutAfter = (text: string, index: number): number => splitsPair(text, index) ? index + 1 : index
