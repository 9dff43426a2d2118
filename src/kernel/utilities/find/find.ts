/** Implements the `find` utility. */
import { binaryToText } from "../../binaryString.ts"
import type { Program } from "../../System.ts"
import { parseExpression } from "./parseExpression.ts"
import { defineUtility } from "../shared/defineUtility.ts"
import { versionText } from "../shared/versionText.ts"
import { walk } from "../shared/walk.ts"

/** `find [-HLP] [PATH]... [EXPRESSION]`: finds files below directories. Source: find(1). */
export const find: Program = defineUtility("find", "=", async (io) => {
  let words = io.operands
  if (/^--?version$/.test(words[0] ?? "")) return io.print(versionText("find"))
  if (/^--?help$/.test(words[0] ?? "")) return io.print("Usage: find [-H] [-L] [-P] [PATH]... [EXPRESSION]\n")
  let follow = false
  while (/^-[HLP]$/.test(words[0] ?? "")) {
    follow = words[0] === "-L"
    words = words.slice(1)
  }
  const first = words.findIndex((word) => word[0] === "-" || word === "(" || word === "!")
  const paths = first < 0 ? [...words] : words.slice(0, first)
  const rest = first < 0 ? [] : words.slice(first)
  const listed = rest.indexOf("-files0-from")
  if (listed >= 0) {
    if (paths.length > 0) io.fail("extra operand: file operands cannot be combined with -files0-from")
    const [, list] = rest.splice(listed, 2)
    const input = io.openInput(list ?? io.fail("missing argument to `-files0-from'"), 0)
    if (input === undefined) return 1
    await io.forEachLine([input], (line) => void paths.push(binaryToText(line)))
    input.close()
    if (paths.length === 0) return io.exitCode
  }
  const expression = parseExpression(io, rest)
  const { depthFirst, isOneVolume, maxDepth, minDepth } = expression
  follow ||= expression.follow
  for (const path of paths.length === 0 ? ["."] : paths) {
    for await (const entry of walk(io, path, { depthFirst, follow, isOneVolume, maxDepth, quote: true })) {
      if (entry.depth < minDepth) continue
      await expression.test(entry)
      if (io.out.isFull) await io.out.flush()
    }
  }
  await expression.finish()
  return io.exitCode
})
