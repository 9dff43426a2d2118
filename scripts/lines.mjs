/**
 * Puts each statement of a minified module on a line of its own.
 *
 * Node and Bun print the line of an error that nothing catches before its message. In a file of one line that is the
 * whole file, and the message is lost in it.
 *
 * @module
 */
import { parseAst } from "rolldown/parseAst"

/**
 * Children of a node that may begin a line: a line break before them ends no statement early.
 *
 * @param {Record<string, any>} node
 * @returns {ReadonlyArray<{ start: number }>}
 */
const membersOf = (node) => {
  switch (node["type"]) {
    case "Program":
    case "BlockStatement":
    case "StaticBlock":
    case "ClassBody":
      return node["body"]
    case "VariableDeclaration":
      return node["declarations"].slice(1)
    case "SwitchStatement":
      return node["cases"]
    case "SwitchCase":
      return node["consequent"]
    default:
      return []
  }
}

/** @param {string} code */
export const breakLines = (code) => {
  /** @type {Set<number>} */
  const starts = new Set()
  /** @param {unknown} node */
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return
    for (const { start } of membersOf(node)) starts.add(start)
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(code))
  let broken = ""
  let from = 0
  for (const start of [...starts].sort((a, b) => a - b)) {
    if (start === 0 || code[start - 1] === "\n") continue
    broken += `${code.slice(from, start)}\n`
    from = start
  }
  return broken + code.slice(from)
}
