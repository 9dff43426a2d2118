/** Finds the variables and parameters of an awk program that are arrays, because awk has no declarations. */
import type { AwkProgram } from "./Syntax.ts"

/** Positions of the arguments of built-in functions that are arrays. */
const tableArguments: Readonly<Record<string, ReadonlyArray<number>>> = {
  ...{ split: [1, 3], patsplit: [1, 3], asort: [0, 1], asorti: [0, 1], match: [2] },
}

export const isTableArgument = (builtin: string, position: number): boolean =>
  tableArguments[builtin]?.includes(position) === true

/** The name of a variable in a function or of the whole program. */
export const scopedName = (scope: string | undefined, params: ReadonlyArray<string>, name: string): string =>
  scope !== undefined && params.includes(name) ? `${scope}:${name}` : name

/** Calls `visit` with each node of a tree. */
const walk = (node: unknown, visit: (node: Readonly<Record<string, unknown>>) => void): void => {
  if (Array.isArray(node)) {
    for (const part of node) walk(part, visit)
  } else if (typeof node === "object" && node !== null) {
    const fields: Readonly<Record<string, unknown>> = { ...node }
    visit(fields)
    for (const value of Object.values(fields)) walk(value, visit)
  }
}

const isVariable = (u: unknown): u is { readonly _tag: "Variable"; readonly name: string } =>
  typeof u === "object" && u !== null && "_tag" in u && u._tag === "Variable"

const namesArray = (u: unknown): ReadonlyArray<unknown> => Array.isArray(u) ? u : []

/** The scoped names of all arrays. A parameter is an array if its function uses it as one, or passes it on as one. */
export const inferTables = ({ begin, end, functions, rules }: AwkProgram): ReadonlySet<string> => {
  const tables = new Set(["ENVIRON", "ARGV", "PROCINFO"])
  /** Pairs of an argument and its parameter: either is an array if the other is. */
  const links: Array<readonly [argument: string, parameter: string]> = []
  const look = (scope: string | undefined, params: ReadonlyArray<string>, root: unknown): void => {
    const add = (u: unknown): void => {
      if (isVariable(u)) tables.add(scopedName(scope, params, u.name))
    }
    walk(root, (node) => {
      if (node["_tag"] === "Element" || node["_tag"] === "In" || node["_tag"] === "ForIn") add(node["table"])
      if (node["_tag"] === "Delete") add(node["table"])
      const name = node["name"]
      if (typeof name !== "string") return
      const args = namesArray(node["args"])
      if (node["_tag"] === "Builtin") args.forEach((arg, at) => isTableArgument(name, at) && add(arg))
      if (node["_tag"] !== "Call") return
      const called = functions.get(name)
      args.forEach((arg, at) => {
        const param = called?.params[at]
        if (param !== undefined && isVariable(arg)) {
          links.push([scopedName(scope, params, arg.name), `${name}:${param}`])
        }
      })
    })
  }
  look(undefined, [], [begin, rules, end])
  for (const { body, name, params } of functions.values()) look(name, params, body)
  for (let size = -1; size !== tables.size;) {
    size = tables.size
    for (const link of links) {
      if (link.some((name) => tables.has(name))) { for (const name of link) tables.add(name) }
    }
  }
  return tables
}
