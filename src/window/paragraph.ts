/**
 * Window policy that ends windows at blank lines.
 *
 * @module
 */
import { make, type Policy, type Scan, type WindowStart } from "./Policy.ts"

const space = 0x20
const newline = 0x0a
const isBlank = (unit: number): boolean => unit === space || unit === 0x09 || unit === 0x0d

const paragraphScan = (start: WindowStart): Scan => {
  // Whether the line has been blank so far, and whether the window has a line that is not.
  let blank = start.startsLine
  let worded = !start.startsLine
  return (text, from) => {
    let at = from
    while (at < text.length) {
      if (blank) {
        while (isBlank(text.charCodeAt(at))) at++
        if (at === text.length) return -1
        if (text.charCodeAt(at) === newline) {
          at++
          if (worded) return at
          continue
        }
        blank = false
        worded = true
      }
      const end = text.indexOf("\n", at)
      if (end < 0) return -1
      at = end + 1
      blank = true
    }
    return -1
  }
}

/**
 * A window ends after a blank line (nothing, or only spaces, tabs and `\r`). Further blank lines go before the next
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
 * console.assert(windows.map((window) => window.content).join("|") === "a\nb\n\n|c\n")
 * ```
 */
export const paragraph: Policy = make({ name: "paragraph", open: paragraphScan })
