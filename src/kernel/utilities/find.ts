import type { Program } from "../System.ts"
import { parseExpression } from "./find/ExpressionParser.ts"
import { utility } from "./shared/utility.ts"
import { walk } from "./shared/walk.ts"

/** `find [-HLP] [PATH]... [EXPRESSION]`: what is in folders and below. Source: find(1). */
export const find: Program = utility("find", "=", async (io) => {
  let words = io.operands
  let follow = false
  while (/^-[HLP]$/.test(words[0] ?? "")) {
    follow = words[0] === "-L"
    words = words.slice(1)
  }
  const first = words.findIndex((word) => word[0] === "-" || word === "(" || word === "!")
  const paths = first < 0 ? words : words.slice(0, first)
  const expression = parseExpression(io, first < 0 ? [] : words.slice(first))
  for (const path of paths.length === 0 ? ["."] : paths) {
    for await (
      const found of walk(io, path, {
        depthFirst: expression.depthFirst,
        follow,
        maxDepth: expression.maxDepth,
        quote: true,
      })
    ) {
      if (found.depth < expression.minDepth) continue
      const result = expression.test(found)
      if (typeof result === "object") await result
      if (io.out.isFull) await io.out.flush()
    }
  }
  await expression.finish()
})
