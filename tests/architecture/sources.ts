/** The source files and what each of them imports, read from their syntax trees. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "rolldown/utils"

export const root: URL = new URL("../../", import.meta.url)

export interface Import {
  /** As it is written. */
  readonly specifier: string
  /** Whether it is loaded when it is asked for (`import(...)`), not with the file. */
  readonly dynamic: boolean
  /** Whether only types are meant: nothing is left of it in the JavaScript. */
  readonly type: boolean
}

/** Everything a text imports: values, types, and what it exports again. */
export const importsOf = (file: string, text: string): ReadonlyArray<Import> => {
  const { errors, program } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`)
  const found: Array<Import> = []
  const add = (specifier: string, kind: string) => found.push({ specifier, dynamic: false, type: kind === "type" })
  new Visitor({
    ImportDeclaration: (node) => void add(node.source.value, node.importKind ?? "value"),
    ExportAllDeclaration: (node) => void add(node.source.value, node.exportKind ?? "value"),
    ExportNamedDeclaration: (node) => {
      if (node.source !== null) add(node.source.value, node.exportKind ?? "value")
    },
    TSImportType: (node) => void add(node.source.value, "type"),
    ImportExpression: (node) => {
      if (node.source.type !== "Literal" || typeof node.source.value !== "string") return
      found.push({ specifier: node.source.value, dynamic: true, type: false })
    },
  }).visit(program)
  return found
}

/** Paths of all source files, relative to the checkout. */
export const sourceFiles: ReadonlyArray<string> = [
  "mod.ts",
  ...readdirSync(fileURLToPath(new URL("src", root)), { recursive: true, encoding: "utf8" })
    .map((file) => `src/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts"))
    .sort(),
]

/** What each source file imports. */
export const imports: ReadonlyMap<string, ReadonlyArray<Import>> = new Map(
  sourceFiles.map((file) => [file, importsOf(file, readFileSync(new URL(file, root), "utf8"))]),
)

/** The source file that a relative import means. */
export const target = (from: string, specifier: string): string =>
  fileURLToPath(new URL(specifier, new URL(from, root))).replaceAll("\\", "/")
    .slice(fileURLToPath(root).length)

/** The files that a file imports. */
export const neighbours = (file: string): ReadonlyArray<string> =>
  (imports.get(file) ?? [])
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier }) => target(file, specifier))
    .filter((other) => !other.startsWith("generated/"))
