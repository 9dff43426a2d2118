/** Each option that a utility declares is read by its code: one without an effect is declared as such, with the reason. */
import { readFileSync } from "node:fs"
import { parseSync, Visitor } from "rolldown/utils"
import { expect, it } from "vitest"
import { root, sourceFiles, target } from "./sources.ts"

type Node = ReturnType<typeof parseSync>["program"]["body"][number] | object

interface Module {
  /** Declarations of the file's top level by name. */
  readonly declarations: ReadonlyMap<string, Node>
  /** The file that declares an imported name, and its name there. */
  readonly imported: ReadonlyMap<string, readonly [file: string, name: string]>
}

const isNode = (value: unknown): value is { readonly type: string } & Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const readModule = (file: string): Module => {
  const { program } = parseSync(file, readFileSync(new URL(file, root), "utf8"))
  const declarations = new Map<string, Node>()
  const imported = new Map<string, readonly [string, string]>()
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration" && statement.source.value.startsWith(".")) {
      for (const specifier of statement.specifiers) {
        if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier") continue
        imported.set(specifier.local.name, [target(file, statement.source.value), specifier.imported.name])
      }
    }
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    if (declared === null) continue
    if (declared.type === "VariableDeclaration") {
      for (const { id, init } of declared.declarations) {
        if (id.type === "Identifier" && init !== null) declarations.set(id.name, init)
      }
    } else if (
      (declared.type === "FunctionDeclaration" || declared.type === "ClassDeclaration") && declared.id !== null
    ) {
      declarations.set(declared.id.name, declared)
    }
  }
  return { declarations, imported }
}

const folder = "src/kernel/utilities/"
const modules = new Map(
  sourceFiles.filter((file) => file.startsWith(folder)).map((file) => [file, readModule(file)]),
)

/** Methods of UtilityIo whose arguments name options. Texts that other methods get, as `padStart(2, "0")`, are none. */
const readers = new Set(["count", "has", "lastOf", "printLine", "terminator", "value", "values"])

/** Whether code has the options: a parser of a language has letters of its own. */
const mentionsIo = (node: unknown): boolean =>
  Array.isArray(node)
    ? node.some(mentionsIo)
    : isNode(node) && (node.name === "io" || Object.values(node).some(mentionsIo))

/** Texts in the places where code names options, in a declaration and in all that it uses of the utilities. */
const namesIn = (file: string, node: unknown, found = new Set<string>(), seen = new Set<unknown>()): Set<string> => {
  if (Array.isArray(node)) { for (const each of node) namesIn(file, each, found, seen) }
  if (!isNode(node) || seen.has(node)) return found
  seen.add(node)
  if (node.type === "Literal" && typeof node.value === "string") found.add(node.value)
  if (node.type === "Identifier" && typeof node.name === "string") {
    const module = modules.get(file)
    const [other, name] = module?.imported.get(node.name) ?? [file, node.name]
    const declaration = modules.get(other)?.declarations.get(name)
    if (declaration !== undefined && name !== "defineUtility" && name !== "UtilityIo") {
      const isCode = isNode(declaration) && /Function|Class/.test(declaration.type)
      namesIn(other, declaration, isCode && !mentionsIo(declaration) ? new Set() : found, seen)
    }
  }
  // `lastOf(..."dghi")` names options of one letter.
  if (node.type === "SpreadElement" && isNode(node.argument) && typeof node.argument.value === "string") {
    for (const letter of node.argument.value) found.add(letter)
  }
  const callee = node.type === "CallExpression" && isNode(node.callee) ? node.callee : undefined
  const method = callee?.type === "MemberExpression" && isNode(callee.property) ? callee.property.name : undefined
  // Both read -z unless they are told another one.
  if (method === "terminator" || method === "printLine") found.add("z")
  const isOther = method !== undefined && !readers.has(String(method))
  for (const [key, value] of Object.entries(node)) {
    if (key === "arguments" && isOther && Array.isArray(value)) {
      for (const each of value) if (!isNode(each) || each.type !== "Literal") namesIn(file, each, found, seen)
    } else if (key !== "typeAnnotation" && key !== "property") namesIn(file, value, found, seen)
    else if (key === "property" && node.computed === true) namesIn(file, value, found, seen)
  }
  return found
}

/** Texts that are computed, of a list that the code reads or whose options it refuses one by one. */
const computed: ReadonlyArray<string> = ["formatSpec", "refusedSpec"]

/** The text of an expression of literals, `+`, templates and constants; `undefined` where it is computed. */
const textOf = (file: string, node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const [left, right] = [textOf(file, node.left), textOf(file, node.right)]
    return left === undefined || right === undefined ? undefined : left + right
  }
  if (node.type === "Identifier") {
    const [other, name] = modules.get(file)?.imported.get(String(node.name)) ?? [file, String(node.name)]
    return computed.includes(name) ? "" : textOf(other, modules.get(other)?.declarations.get(name))
  }
  if (node.type !== "TemplateLiteral" || !Array.isArray(node.quasis) || !Array.isArray(node.expressions)) {
    return undefined
  }
  const parts = node.expressions.map((part) => textOf(file, part))
  return parts.includes(undefined)
    ? undefined
    : node.quasis.map((quasi, at) => quasi.value.cooked + (parts[at] ?? "")).join("")
}

/** Hands its options to grep, which has them all. */
const passesOn = ["zgrep"]

const reportOf = (file: string, spec: unknown, code: unknown): ReadonlyArray<string> => {
  const declared = textOf(file, spec)
  if (declared === undefined) return ["options that this test cannot read"]
  const names = namesIn(file, code)
  const keys = declared.replace(/^[+=]/, "").split(/\s+/).map((word) => word.replace(/:+$/, "").split("|")[0] ?? "")
  return keys.filter((key) => key !== "" && !names.has(key))
}

it("an option that no code reads is declared in withoutEffect, with the reason", () => {
  const reports: Array<string> = []
  for (const file of modules.keys()) {
    const { program } = parseSync(file, readFileSync(new URL(file, root), "utf8"))
    new Visitor({
      CallExpression: ({ callee, arguments: [name, spec, ...code] }) => {
        if (callee.type !== "Identifier" || callee.name !== "defineUtility") return
        const title = textOf(file, name)
        if (title !== undefined && passesOn.includes(title)) return
        for (const key of reportOf(file, spec, code)) reports.push(`${title ?? file.slice(folder.length)}: ${key}`)
      },
    }).visit(program)
  }
  expect(reports).toEqual([])
})
