/** Shapes a long output for a model: its first and its last lines within a budget, and where to read the rest. */
import { cutAfter, cutBefore } from "../base/text.ts"

export interface ShapedOutput {
  readonly text: string
  /** UTF-16 units that were left out. */
  readonly omitted: number
}

/**
 * The first and the last part of a text, cut at line ends where these are near. In the gap, `describe` gives the number
 * of missing UTF-16 units and the position at which they begin.
 */
export const shapeOutput = (
  text: string,
  maxLength: number,
  describe: (omitted: number, position: number) => string,
): ShapedOutput => {
  if (text.length <= maxLength) return { text, omitted: 0 }
  const half = Math.floor(maxLength / 2)
  const lineEnd = text.lastIndexOf("\n", half - 1) + 1
  // A line end in the first half of the part would waste most of the budget.
  const head = lineEnd > half / 2 ? lineEnd : cutBefore(text, half)
  const from = text.length - half
  const lineStart = text.indexOf("\n", from - 1) + 1
  const tail = lineStart > 0 && lineStart < from + half / 2 ? lineStart : cutAfter(text, from)
  const omitted = tail - head
  const before = text.slice(0, head)
  const gap = `${before.endsWith("\n") ? "" : "\n"}… ${describe(omitted, head)} …\n`
  return { text: `${before}${gap}${text.slice(tail)}`, omitted }
}
