/** Visits the nodes of a syntax tree, parents before children. */
import type { Node } from "./SyntaxTree.ts"

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "_tag" in value

/** The child nodes of a node, in the order of its fields. */
export const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

/** Visits a node and its descendants, also within substitutions and here-documents. `visit` returns `false` to skip some. */
export const walk = (node: Node, visit: (node: Node) => boolean | void): void => {
  const seen = new Set<Node>()
  const waiting: Array<Node> = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (visit(next) === false) continue
    for (const child of childrenOf(next).toReversed()) waiting.push(child)
  }
}
