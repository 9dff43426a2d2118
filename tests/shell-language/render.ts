import { expect } from "@effect/vitest"
import type { Node, Script } from "../../src/shell-language/ShellLanguage.ts"
import { parse, parseArithmetic } from "../../src/shell-language/ShellLanguage.ts"

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "_tag" in value

const value = (value: unknown): string =>
  isNode(value) ? render(value) : Array.isArray(value) ? `[${value.map(render).join(" ")}]` : String(value)

/** Renders a node as `Tag{field:value …}`, without fields that are missing, false or empty. */
const fields = (node: Node): string => {
  const shown = Object.entries(node).filter(([name, value]) =>
    name !== "_tag" && name !== "span" && value !== undefined && value !== false &&
    !(Array.isArray(value) && value.length === 0)
  )
  return `${node._tag}{${shown.map(([name, content]) => `${name}:${value(content)}`).join(" ")}}`
}

/** Renders a tree on one line. Plain nodes look as in a script: `a·'b'` is a word of two parts, `cmd(a b)` a command. */
export const render = (node: Node): string => {
  switch (node._tag) {
    case "Literal":
      return JSON.stringify(node.value).slice(1, -1)
    case "Escaped":
      return `\\${node.value}`
    case "SingleQuoted":
      return `${node.ansi ? "$" : ""}'${JSON.stringify(node.value).slice(1, -1)}'`
    case "DoubleQuoted":
      return `${node.localized ? "$" : ""}"${node.parts.map(render).join("·")}"`
    case "Word":
      return node.assignment === undefined ? node.parts.map(render).join("·") || "∅" : `@${render(node.assignment)}`
    case "Script":
    case "List":
      return `[${node.statements.map(render).join("; ")}]`
    case "AndOr": {
      const text = node.pipelines.map((pipeline, i) => (i > 0 ? ` ${node.operators[i - 1]} ` : "") + render(pipeline))
      return text.join("") + (node.background ? " &" : "")
    }
    case "Pipeline": {
      const text = node.commands.map((command, i) => (i > 0 ? ` ${node.pipes[i - 1]} ` : "") + render(command))
      return `${node.negated ? "! " : ""}${node.time === undefined ? "" : `time:${node.time} `}${text.join("")}`
    }
    case "SimpleCommand":
      return `cmd(${[...node.assignments, ...node.words, ...node.redirects].map(render).join(" ")})`
    case "Parameter": {
      const { name, indirect, operation, subscript } = node
      const index = subscript === undefined ? "" : render(subscript)
      return `$${indirect ? "!" : ""}${name}${index}${operation === undefined ? "" : `{${render(operation)}}`}`
    }
    case "AllElements":
      return `[${node.mark}]`
    case "Index":
      return `[${render(node.word)}=${render(node.text)}]`
    case "ArithmeticText":
      return node.expression === undefined ? `?${node.parts.map(render).join("·")}?` : render(node.expression)
    case "ArithmeticNumber":
      return String(node.value)
    case "ArithmeticVariable":
      return `${node.name}${node.subscript === undefined ? "" : render(node.subscript)}`
    case "ArithmeticExpanded":
      return render(node.part)
    case "ArithmeticUnary":
      return `(${node.operator}${render(node.operand)})`
    case "ArithmeticUpdate":
      return node.prefix ? `(${node.operator}${render(node.target)})` : `(${render(node.target)}${node.operator})`
    case "ArithmeticBinary":
      return `(${render(node.left)} ${node.operator} ${render(node.right)})`
    case "ArithmeticChoice":
      return `(${render(node.test)} ? ${render(node.yes)} : ${render(node.no)})`
    case "ArithmeticAssignment":
      return `(${render(node.target)} ${node.operator ?? ""}= ${render(node.value)})`
    case "Assignment":
      return `${node.name}${node.subscript === undefined ? "" : render(node.subscript)}${node.append ? "+" : ""}=${
        render(node.value)
      }`
    case "ArrayLiteral":
      return `(${node.elements.map(render).join(" ")})`
    case "ArrayElement":
      return node.subscript === undefined
        ? render(node.value)
        : `${render(node.subscript)}${node.append ? "+" : ""}=${render(node.value)}`
    case "FileRedirect":
      return `${node.fd ?? (node.variable === undefined ? "" : `{${node.variable}}`)}${node.operator}${
        render(node.target)
      }`
    default:
      return fields(node)
  }
}

/** The tree of a script that must be valid. */
export const scriptOf = (text: string): Script => {
  const parsed = parse(text)
  if (parsed._tag === "Failure") throw new Error(`${JSON.stringify(text)}: ${parsed.failure.message}`)
  return parsed.success
}

/** The tree of a script on one line, or its syntax error. */
export const rendered = (text: string): string => {
  const parsed = parse(text)
  return parsed._tag === "Success" ? render(parsed.success) : parsed.failure.message
}

/** The tree of an arithmetic expression on one line, or its syntax error. */
export const calculated = (text: string): string => {
  const parsed = parseArithmetic(text)
  return parsed._tag === "Success" ? render(parsed.success) : parsed.failure.message
}

/** Expects the tree of each script. */
export const expectTrees = (trees: Readonly<Record<string, string>>): void => {
  expect(Object.fromEntries(Object.keys(trees).map((text) => [text, rendered(text)]))).toEqual(trees)
}
