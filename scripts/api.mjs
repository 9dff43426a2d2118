/**
 * Lists the public names, as `architecture/api.txt` has them.
 *
 * One line a name: subpath, name (members of namespaces as `Namespace.member`), kind, stability. The list is read from the
 * sources by `deno doc`, and committed, so that a change of the public API is seen in the change that makes it.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import { findRuntime } from "./runtimes.mjs"

/**
 * @typedef {{ kind: string, value?: string, doc?: string }} Tag
 * @typedef {{ filename: string, line: number, col: number }} Location
 * @typedef {{ kind: string, declarationKind?: string, location: Location, jsDoc?: { doc?: string, tags?: ReadonlyArray<Tag> },
 *   def?: { elements?: ReadonlyArray<DocSymbol>, target?: Location } }} Declaration
 * @typedef {{ name: string, declarations: ReadonlyArray<Declaration> }} DocSymbol
 */

/**
 * @typedef {object} PublicName
 * @property {string} subpath
 * @property {string} name
 * @property {string} kind
 * @property {string} stability `stable`, or `experimental`: without a tag
 * @property {string} doc
 * @property {ReadonlyArray<Tag>} tags
 * @property {Location} location of the declaration
 * @property {boolean} member whether it is a member of a namespace
 */

const root = fileURLToPath(new URL("..", import.meta.url))

/** The files whose exports are the members of a namespace: `export * as Name from "file"`. @param {string} file */
const namespacesOf = (file) =>
  new Map(
    Array.from(
      readFileSync(new URL(file), "utf8").matchAll(/^export (?:type )?\* as (\w+) from "(\.[^"]+)"$/gm),
      ([, name = "", specifier = ""]) => [name, new URL(specifier, file).href],
    ),
  )

/** The stability of the names of a subpath that have no tag of their own: the tag of its module. @param {string} file */
const stabilityOf = (file) => /^\/\*\*(?:(?!\*\/)[^])*@stability (\w+)/.exec(readFileSync(new URL(file), "utf8"))?.[1]

/** @typedef {(file: string) => ReadonlyArray<DocSymbol>} SymbolsOf */

/**
 * The names of a symbol and of its members.
 *
 * @param {SymbolsOf} symbolsOf @param {string} subpath @param {string} file which exports it @param {DocSymbol} symbol
 * @param {string} stability of names without a tag @param {string} prefix @returns {ReadonlyArray<PublicName>}
 */
const namesOf = (symbolsOf, subpath, file, { declarations, name }, stability, prefix = "") => {
  const documented = declarations.find(({ jsDoc }) => jsDoc !== undefined) ?? declarations[0]
  if (documented === undefined) return []
  const { jsDoc, kind, location } = documented
  const tags = jsDoc?.tags ?? []
  const tag = tags.map(({ value }) => /^@stability (\w+)/.exec(value ?? "")?.[1]).find((found) => found !== undefined)
  // deno doc leaves out what a namespace's file exports from other files.
  const source = namespacesOf(file).get(name)
  const members = source === undefined
    ? declarations.flatMap(({ def, kind }) => kind === "namespace" ? def?.elements ?? [] : [])
    : symbolsOf(source)
  return [
    {
      subpath,
      name: prefix + name,
      kind,
      stability: kind === "namespace" ? "" : tag ?? stability,
      doc: jsDoc?.doc ?? "",
      tags,
      location,
      member: prefix !== "",
    },
    ...members.flatMap((member) => namesOf(symbolsOf, subpath, source ?? file, member, stability, `${prefix}${name}.`)),
  ]
}

/** Every public name, in the order of the subpaths, sorted within each. @returns {ReadonlyArray<PublicName>} */
export const publicNames = () => {
  const deno = findRuntime("deno", root)
  if (deno === undefined) throw new Error("deno is not installed")
  /** @type {Record<string, string>} */
  const subpaths = JSON.parse(readFileSync(`${root}/deno.json`, "utf8")).exports
  /** @param {string} file */
  const url = (file) => new URL(file, pathToFileURL(`${root}/`)).href
  const files = new Set(Object.values(subpaths).map(url))
  for (const file of files) for (const source of namespacesOf(file).values()) files.add(source)
  const { error, status, stderr, stdout } = spawnSync(deno, ["doc", "--json", "--quiet", ...files], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 29,
  })
  if (status !== 0) throw new Error(`deno doc: ${error?.message ?? stderr}`)
  /** @type {{ nodes: Record<string, { symbols: ReadonlyArray<DocSymbol> }> }} */
  const { nodes } = JSON.parse(stdout)

  // A symbol that several of the files export is declared for the first and a reference to it for the others.
  /** @type {Map<string, DocSymbol>} */
  const declared = new Map()
  /** @param {Location} location */
  const keyOf = ({ col, filename, line }) => `${filename}:${line}:${col}`
  /** @param {DocSymbol} symbol */
  const note = (symbol) => {
    for (const { def, kind, location } of symbol.declarations) {
      if (kind !== "reference") declared.set(keyOf(location), symbol)
      def?.elements?.forEach(note)
    }
  }
  for (const { symbols } of Object.values(nodes)) symbols.forEach(note)
  /** @param {DocSymbol} symbol */
  const resolve = (symbol) => {
    const target = symbol.declarations.find(({ kind }) => kind === "reference")?.def?.target
    const found = target && declared.get(keyOf(target))
    return found === undefined ? symbol : { ...found, name: symbol.name }
  }
  /** @type {SymbolsOf} */
  const symbolsOf = (file) =>
    (nodes[file]?.symbols ?? [])
      .filter(({ declarations }) => declarations.some(({ declarationKind }) => declarationKind !== "private"))
      .map(resolve)
  return Object.entries(subpaths).flatMap(([subpath, file]) => {
    const stability = stabilityOf(url(file)) ?? "experimental"
    return symbolsOf(url(file))
      .flatMap((symbol) => namesOf(symbolsOf, subpath, url(file), symbol, stability))
      .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  })
}

/** The text of `architecture/api.txt`. @param {ReadonlyArray<PublicName>} names */
export const listOf = (names) => {
  const exported = names.filter(({ member }) => !member).length
  const lines = names.map(({ kind, name, stability, subpath }) => `${subpath} ${name} ${kind} ${stability}`.trim())
  return [`# ${exported} exports; npm run generate writes this file`, ...lines, ""].join("\n")
}
