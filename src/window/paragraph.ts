/** Declares the window policy that ends windows at blank lines. */
import { makePolicy, type Policy, type Scan, type WindowStart } from "./Policy.ts"

const space = 0x20
const newline = 0x0a
const isBlank = (unit: number): boolean => unit === space || unit === 0x09 || unit === 0x0d

const paragraphScan = (start: WindowStart): Scan => {
  // Whether the line is blank so far, and whether the window has a line that is not blank.
  let isBlankLine = start.startsLine
  let hasText = !start.startsLine
  return (text, from) => {
    let at = from
    while (at < text.length) {
      if (isBlankLine) {
        while (isBlank(text.charCodeAt(at))) at++
        if (at === text.length) return -1
        if (text.charCodeAt(at) === newline) {
          at++
          if (hasText) return at
          continue
        }
        isBlankLine = false
        hasText = true
      }
      const end = text.indexOf("\n", at)
      if (end < 0) return -1
      at = end + 1
      isBlankLine = true
    }
    return -1
  }
}

/**
 * Ends a window after a blank line (nothing, or only spaces, tabs and `\r`). Further blank lines go before the next
 * paragraph, so every window but the last has text.
 *
 * @example
 * ```ts
 * import { ShellOutputChunk, Window } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const chunk = ShellOutputChunk.make({ commandId: "c", stream: "stdout", content: "a\nb\n\nc\n", timestamp: 0, seq: 0 })
 * const windows = await Effect.runPromise(
 *   Stream.make(chunk).pipe(Window.apply(Window.paragraph), Stream.runCollect),
 * )
 * console.log(windows.map((window) => window.content).join("|") === "a\nb\n\n|c\n") // true
 * ```
 */
export const paragraph: Policy = makePolicy({ name: "paragraph", open: paragraphScan })
