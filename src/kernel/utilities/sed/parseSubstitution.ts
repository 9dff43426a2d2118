/** Parses the arguments of the `sed` command `s`. */
import { binaryToText } from "../../binaryString.ts"
import { compilePattern, type PatternOptions } from "./compilePattern.ts"
import { parseReplacement } from "./parseReplacement.ts"
import type { Action } from "./Script.ts"
import type { ScriptReader } from "./ScriptReader.ts"

export const parseSubstitution = (reader: ScriptReader, options: PatternOptions): Action => {
  const delimiter = reader.peek()
  if (delimiter === "" || delimiter === "\n" || delimiter === "\\") reader.fail("unterminated `s' command")
  reader.take()
  const source = reader.takePattern(delimiter, options.extended)
  const replacement = reader.takeReplacement(delimiter)
  let flags = ""
  let nth: number | undefined
  let file: string | undefined
  for (;;) {
    const number = reader.takeNumber()
    if (number === 0) reader.fail("number option to `s' command may not be zero")
    nth = number ?? nth
    if (/^[gpiImM]$/.test(reader.peek())) flags += reader.take()
    else if (number === undefined) break
  }
  if (reader.peek() === "w") {
    reader.take()
    file = binaryToText(reader.takeWord(/[^\n]/))
  } else if (reader.peek() === "e") reader.fail("the e flag is not built in")
  reader.expectEnd("unknown option to `s'")
  const pattern = compilePattern(reader, options, source, flags)
  const parts = parseReplacement(replacement)
  const maxGroup = parts.reduce((max, part) => part._tag === "Group" ? Math.max(max, part.index) : max, 0)
  if (pattern !== undefined && maxGroup > pattern.groups) {
    reader.fail(`invalid reference \\${maxGroup} on \`s' command's RHS`)
  }
  const [global, print] = [flags.includes("g"), flags.includes("p")]
  return { _tag: "Substitute", file, global, nth: nth ?? 1, parts, pattern, print }
}
