import {
  expandBraces,
  type HereDocument,
  type Node,
  type Word,
  type WordPart,
} from "../../src/shell-language/ShellLanguage.ts"

/** Characters that are special in a pattern, a regular expression or a field unless they are quoted. */
const active = /[*?[!^()|@+.-]/
const blank = /[ \t\n]/

/** Returns a text that differs for different trees. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => typeof inner === "bigint" ? String(inner) : inner)

/** Words and parts of a word as text: which characters are active, which expansions stand between them. */
const partsOf = (parts: ReadonlyArray<WordPart>, inQuotes: boolean, isSplit = false): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  const text = (value: string, isActive: boolean): void => {
    for (const c of value) {
      const isNamed = c === "-" ? found.length > 0 : active.test(c) || (isSplit && blank.test(c))
      found.push(isActive && isNamed ? `active ${c}` : c)
    }
  }
  for (const part of parts) {
    if (part._tag === "Literal") text(part.value, !inQuotes)
    else if (part._tag === "Escaped" || part._tag === "SingleQuoted") text(part.value, false)
    else if (part._tag === "DoubleQuoted") {
      const inner = partsOf(part.parts, true)
      found.push(
        ...(inner.every((one) => typeof one === "string") && !part.localized ? inner : [[part.localized, inner]]),
      )
    } else if (part._tag === "Parameter" && part.operation?._tag === "ParameterFallback") {
      const { operation } = part
      found.push({
        ...fieldsOf({ ...part, operation: undefined }),
        operation: { ...fieldsOf({ ...operation }), word: partsOf(operation.word.parts, inQuotes, true) },
      })
    } else found.push(fieldsOf(part, true))
  }
  return found
}

const hereString = ({ body, fd, quoted, variable }: HereDocument): unknown => {
  const empty = body.parts.length === 0
  const parts = partsOf(body.parts, true)
  return {
    operator: empty ? "<" : "<<<",
    fd,
    variable,
    target: empty
      ? [..."/dev/null"]
      : quoted || parts.every((one) => typeof one === "string")
      ? parts.slice(0, -1)
      : [[false, parts.slice(0, -1)]],
  }
}

const wordsOf = (word: Word): ReadonlyArray<unknown> => {
  if (word.assignment !== undefined) return [canonical(word.assignment)]
  const words = word.braces ? expandBraces(word, 64) : [word]
  return words === undefined
    ? [partsOf(word.parts, false)]
    : words.filter(({ parts }) => parts.length > 0 || !word.braces).map(({ parts }) => partsOf(parts, false))
}

const fieldsOf = (node: Node, inQuotes = false): Readonly<Record<string, unknown>> => {
  if (node._tag === "Script" && node.statements.length === 0) return { statements: [] }
  const fields = Object.entries(node).filter(([name, value]) =>
    !["span", "backquoted", "braces"].includes(name) && value !== undefined
  )
  return Object.fromEntries(fields.map(([name, value]) => [name, valueOf(value, inQuotes)]))
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "_tag" in value

const valueOf = (value: unknown, inQuotes = false): unknown =>
  Array.isArray(value)
    ? value.flatMap((one) => isNode(one) && one._tag === "Word" ? wordsOf(one) : [valueOf(one, inQuotes)])
    : isNode(value)
    ? canonical(value)
    : value

/** A tree without the differences that printing makes: see `print`. */
export const canonical = (node: Node): unknown => {
  switch (node._tag) {
    case "Word":
      return node.parts.length === 0 ? [] : wordsOf({ ...node, braces: false })[0]
    case "HereDocument":
      return hereString(node)
    case "FileRedirect":
      return {
        operator: node.operator,
        fd: node.fd,
        variable: node.variable,
        target: partsOf(node.target.parts, false),
      }
    case "ArrayLiteral":
      return node.elements.flatMap((element) =>
        element.subscript === undefined ? wordsOf(element.value) : [canonical(element)]
      )
    case "CaseClause":
      return {
        patterns: node.patterns.map(canonical),
        body: canonical(node.body),
        terminator: node.terminator,
      }
    case "ConditionWord":
      return { _tag: "ConditionUnary", operator: "-n", operand: canonical(node.word) }
    case "ArithmeticText":
      // Its text says all; blanks around it do not matter, and those of an offset are made anew.
      return textOf(partsOf(node.parts, true)).replace(/"(?: |\\n|\\t)",?/g, "")
    default:
      return fieldsOf(node)
  }
}
