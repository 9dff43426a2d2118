/**
 * Going through a tree, whatever it is made of.
 *
 * @module
 */
import type { Node } from "./SyntaxTree.ts"

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "_tag" in value

/** The nodes right below one, in the order of its fields. */
export const children = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

/**
 * Visits a node and all below it, each once, parents before children: also what stands within substitutions,
 * here-documents, arithmetic and subscripts. What is below a node is left out when `visit` answers `false`.
 */
export const walk = (node: Node, visit: (node: Node) => boolean | void): void => {
  const seen = new Set<Node>()
  const waiting: Array<Node> = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (visit(next) === false) continue
    for (const child of children(next).toReversed()) waiting.push(child)
  }
}
