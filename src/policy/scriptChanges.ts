/** Finds the folders and variables that nodes of a script change for later commands. */
import {
  type Assignment,
  declarations,
  type Node,
  type SimpleCommand,
  type Span,
  staticText,
} from "../shell-language/ShellLanguage.ts"

/** The words of a command; `undefined` for a word that is known only at run time. */
export type PartlyKnown = ReadonlyArray<string | undefined>

/** A change that a command makes for the commands in a range of the script. */
export type ScriptChange =
  & { readonly range: Span }
  & (
    /** `path` is `undefined` for the home folder. */
    | { readonly _tag: "Directory"; readonly path: string | undefined }
    /** `value` is `undefined` if it is known only at run time. */
    | { readonly _tag: "Set"; readonly name: string; readonly value: string | undefined }
    | { readonly _tag: "Unset"; readonly name: string }
  )

/** The variables that a command exports without assigning them: their names, or all. */
export const exportedBy = ([name, ...words]: PartlyKnown): ReadonlyArray<string> | "all" => {
  if (name === "set") return words.some((word) => /^(?:-\w*a|allexport$)/.test(word ?? "")) ? "all" : []
  const isExport = name === "export" ||
    (name !== undefined && declarations.has(name) && words.some((word) => /^-\w*x/.test(word ?? "")))
  if (!isExport) return []
  const names = words.filter((word) => word !== undefined).map((word) => word.replace(/=.*/s, ""))
  return names.length < words.length ? "all" : names
}

const setsWords: ReadonlySet<string> = new Set([...declarations, "read", "mapfile", "readarray", "getopts"])

const valueOf = ({ append, value }: Assignment): string | undefined =>
  append || value._tag === "ArrayLiteral" ? undefined : staticText(value)

/** The words of a command. The value of an assignment, as in `export A=$x`, is one of its changes. */
export const wordsOf = (node: SimpleCommand): PartlyKnown =>
  node.words.map((word) => word.assignment === undefined ? staticText(word) : `${word.assignment.name}=`)

/** Matches a variable before an arithmetic assignment, or beside `++` or `--`. */
const assigned = /([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:(?:[-+*/%&^|]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g

const inArithmetic = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(assigned)].flatMap(([, before, behind]) => before ?? behind ?? [])

const ofCommand = (node: SimpleCommand, text: string, range: Span): ReadonlyArray<ScriptChange> => {
  const set = (name: string, value?: string): ScriptChange => ({ _tag: "Set", range, name, value })
  if (node.words.length === 0) return node.assignments.map((each) => set(each.name, valueOf(each)))
  const [name = "", ...rest] = wordsOf(node)
  const operands = rest.flatMap((word) => word === undefined || word.startsWith("-") ? [] : [word])
  switch (name) {
    case "cd":
    case "pushd": {
      const isHome = name === "cd" && operands.length === 0 && !rest.includes("-")
      return (isHome ? [undefined] : operands).map((path) => ({ _tag: "Directory", range, path }))
    }
    case "unset":
      return operands.map((each) => ({ _tag: "Unset", range, name: each }))
    case "let":
      return inArithmetic(text.slice(node.span.start, node.span.end)).map((each) => set(each))
    case "printf":
      return rest[0] === "-v" && rest[1] !== undefined ? [set(rest[1])] : []
  }
  if (!setsWords.has(name)) return []
  const given = node.words.flatMap(({ assignment }) =>
    assignment === undefined ? [] : [set(assignment.name, valueOf(assignment))]
  )
  // `export A` exports the current value; `export 'A=1'` sets it.
  const named = declarations.has(name)
    ? node.words.flatMap((word) =>
      word.assignment === undefined ? /^(\w+)\+?=/.exec(staticText(word) ?? "")?.[1] ?? [] : []
    )
    : operands
  return [...given, ...named.map((each) => set(each))]
}

export const changesOf = (node: Node, text: string, range: Span): ReadonlyArray<ScriptChange> => {
  const set = (name: string): ScriptChange => ({ _tag: "Set", range, name, value: undefined })
  switch (node._tag) {
    case "SimpleCommand":
      return ofCommand(node, text, range)
    case "For":
    case "Select":
      return [set(node.name)]
    case "Parameter":
      return node.operation?._tag === "ParameterFallback" && node.operation.operator === "=" ? [set(node.name)] : []
    case "ArithmeticText":
    case "Conditional":
      return inArithmetic(text.slice(node.span.start, node.span.end)).map(set)
    default:
      return []
  }
}
