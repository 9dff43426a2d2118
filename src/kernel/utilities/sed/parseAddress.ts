/** Parses an address of a command; the second of two may also be a number of lines. */
import { compilePattern, type PatternOptions } from "./compilePattern.ts"
import type { Address } from "./Script.ts"
import type { ScriptReader } from "./ScriptReader.ts"

export const parseAddress = (
  reader: ScriptReader,
  options: PatternOptions,
  isSecond: boolean,
): Address | undefined => {
  const letter = reader.peek()
  if (isSecond && (letter === "+" || letter === "~")) {
    reader.take()
    const count = reader.takeNumber() ?? 0
    return letter === "+" ? { _tag: "More", count } : { _tag: "Multiple", of: count }
  }
  if (letter === "$") {
    reader.take()
    return { _tag: "Last" }
  }
  if (letter === "/" || letter === "\\") {
    if (letter === "\\") reader.take()
    const pattern = reader.takePattern(reader.take(), options.extended, true)
    let flags = ""
    while (reader.peek() === "I" || reader.peek() === "M") flags += reader.take()
    return { _tag: "Match", pattern: compilePattern(reader, options, pattern, flags) }
  }
  const line = reader.takeNumber()
  if (line === undefined) return undefined
  reader.skipBlanks()
  if (reader.peek() !== "~") return { _tag: "Line", line }
  reader.take()
  return { _tag: "Step", first: line, step: reader.takeNumber() ?? 0 }
}
