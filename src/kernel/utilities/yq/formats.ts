/** Reads and writes the formats of `yq`: YAML, JSON, TOML, CSV, TSV and properties. */
import { Composer, Document, isScalar, Lexer, type Node, Parser, visit } from "yaml"
import { JqArray, JqObject, type Value } from "../jq/values.ts"
import { JsonError, JsonParser } from "../jq/JsonParser.ts"
import { TreeBuilder } from "../jq/ValueBuilder.ts"
import { formatJson } from "../jq/formatJson.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { FormatError } from "./FormatError.ts"
import { toPlain, YamlDocument } from "./YamlDocument.ts"
import { formatProperties, formatTable, parseProperties, parseTable } from "./tables.ts"

export type Format = "yaml" | "json" | "toml" | "csv" | "tsv" | "props"

/**
 * Maximum length of a file: a document is held in memory, and parts of the work on YAML and TOML cannot be interrupted.
 */
export const maxFileLength = (format: Format): number => format === "json" ? 64 * 1024 * 1024 : 256 * 1024

/** Number of lexemes between two reads of the clock. */
const lexemesPerStep = 500

const names: Readonly<Record<string, Format>> = {
  ...{
    y: "yaml",
    yaml: "yaml",
    yml: "yaml",
    j: "json",
    json: "json",
    ndjson: "json",
    toml: "toml",
    csv: "csv",
    c: "csv",
  },
  ...{ tsv: "tsv", t: "tsv", props: "props", p: "props", properties: "props" },
}

export const parseFormat = (io: UtilityIo, text: string): Format =>
  names[text] ?? io.fail(`Error: unknown format '${text}': this yq has yaml, json, toml, csv, tsv and props`)

export const formatOfPath = (path: string): Format =>
  names[/\.(yaml|yml|json|toml|csv|tsv|properties)$/.exec(path)?.[1] ?? ""] ?? "yaml"

/** A document of a file: its value, and for YAML the node tree with its comments and order. */
export interface InputDocument {
  readonly value: Value
  readonly yaml?: YamlDocument
}

const readYaml = async (io: UtilityIo, text: string): Promise<ReadonlyArray<InputDocument>> => {
  const parser = new Parser()
  const composer = new Composer({
    logLevel: "silent",
    merge: true,
    // The library compares each key with each other one; `YamlDocument` looks them up.
    uniqueKeys: false,
  })
  // The library gathers an error for each character, in one step of seconds; the first one is enough.
  let first: FormatError | undefined
  Reflect.set(composer, "onError", (_source: unknown, _code: unknown, message: unknown, isWarning?: boolean) => {
    // It catches some of its own errors, and reports them again.
    if (isWarning !== true) throw first ??= new FormatError(`yaml: ${String(message)}`)
  })
  const documents: Array<InputDocument> = []
  const add = (document: Document.Parsed): void => {
    const [error] = document.errors
    if (error !== undefined) throw new FormatError(`yaml: ${error.message.split("\n")[0] ?? ""}`)
    documents.push(documentOf(document))
  }
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) for (const document of composer.next(token)) add(document)
    if (++count % lexemesPerStep === 0) await io.flushAndYield()
  }
  for (const token of parser.end()) for (const document of composer.next(token)) add(document)
  for (const document of composer.end()) add(document)
  return documents
}

const documentOf = (document: Document<Node>): InputDocument => {
  const yaml = new YamlDocument(document)
  return { value: yaml.value, yaml }
}

const fromPlain = (value: unknown): Value => {
  if (Array.isArray(value)) return new JqArray(value.map(fromPlain))
  if (value instanceof Date) return "toISOString" in value ? String(value.toISOString()) : String(value)
  if (typeof value === "object" && value !== null) {
    return new JqObject(new Map(Object.entries(value).map(([key, item]) => [key, fromPlain(item)])))
  }
  if (typeof value === "bigint") return Number(value)
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
}

const readJson = async (io: UtilityIo, text: string): Promise<ReadonlyArray<InputDocument>> => {
  const parser = new JsonParser(new TreeBuilder())
  const documents: Array<InputDocument> = []
  parser.feed(text, true)
  try {
    for (;;) {
      const value = parser.next()
      if (value !== undefined) documents.push({ value })
      else if (!parser.isPaused) return documents
      await io.flushAndYield()
    }
  } catch (cause) {
    if (cause instanceof JsonError) throw new FormatError(`json: ${cause.message}`)
    throw cause
  }
}

/** The documents of a text. Throws `FormatError`. */
export const readDocuments = async (
  io: UtilityIo,
  text: string,
  format: Format,
): Promise<ReadonlyArray<InputDocument>> => {
  switch (format) {
    case "yaml":
      return await readYaml(io, text)
    case "json":
      return await readJson(io, text)
    case "csv":
    case "tsv":
      return [{ value: parseTable(text, format === "csv" ? "," : "\t") }]
    case "props":
      return [{ value: parseProperties(text) }]
    case "toml": {
      const { parse } = await import("smol-toml")
      try {
        return [{ value: fromPlain(parse(text)) }]
      } catch (cause) {
        throw new FormatError(cause instanceof Error ? cause.message.split("\n")[0] ?? "" : String(cause))
      }
    }
  }
}

/** Options of the output. */
export interface OutputLayout {
  readonly format: Format
  readonly indent: number
  /** Writes text as it is, not quoted. */
  readonly unwraps: boolean
  /** Writes block style throughout. */
  readonly isPretty: boolean
}

/** A result with the document that it comes from. */
export interface Result {
  readonly value: Value
  readonly yaml: YamlDocument | undefined
  /** Whether the expression changes the document: then the result is written with its comments. */
  readonly isUpdate: boolean
}

const yamlOptions = { flowCollectionPadding: false, lineWidth: 0 } as const

const yamlText = ({ isUpdate, value, yaml }: Result, { indent, isPretty, unwraps }: OutputLayout): string => {
  if (typeof value === "string" && unwraps) return `${value}\n`
  const options = { ...yamlOptions, indent: Math.max(1, Math.min(indent, 9)) }
  const node = yaml?.nodeOf(value)
  const root = yaml?.document
  const isRoot = node !== undefined && node === root?.contents
  if (yaml !== undefined && root !== undefined && (isRoot || isUpdate)) {
    if (!isRoot) yaml.update(value)
    return prettyText(root, isPretty, options)
  }
  const document = new Document<Node>(null)
  document.contents = node !== undefined && !hasAliases(node) ? node : document.createNode(toPlain(value))
  return prettyText(document, isPretty, options)
}

/** An alias cannot be written without the document that has its anchor. */
const hasAliases = (node: Node): boolean => {
  let found = false
  visit(node, { Alias: () => ((found = true), visit.BREAK) })
  return found
}

const prettyText = (
  document: Document<Node>,
  isPretty: boolean,
  options: { readonly flowCollectionPadding: boolean; readonly lineWidth: number; readonly indent: number },
): string => {
  if (isPretty) {
    visit(document, {
      Collection: (_, node) => void (node.flow = false),
      Scalar: (_, node) => {
        if (isScalar(node) && typeof node.value === "string" && /^QUOTE/.test(node.type ?? "")) node.type = "PLAIN"
      },
    })
  }
  const text = document.toString({ ...options, directives: false })
  return text.endsWith("\n") ? text : `${text}\n`
}

/** The text of a result. Throws `FormatError` where the format cannot hold it. */
export const formatResult = async (result: Result, layout: OutputLayout): Promise<string> => {
  const { value } = result
  const isScalarValue = !(value instanceof JqArray || value instanceof JqObject)
  switch (layout.format) {
    case "yaml":
      return yamlText(result, layout)
    case "json":
      return typeof value === "string" && layout.unwraps
        ? `${value}\n`
        : `${formatJson(value, { indent: layout.indent === 0 ? undefined : " ".repeat(layout.indent) })}\n`
    case "props":
      return formatProperties(value)
    case "csv":
    case "tsv":
      if (isScalarValue) return `${typeof value === "string" ? value : formatJson(value, {})}\n`
      return formatTable(value, layout.format === "csv" ? "," : "\t") ??
        failFormat(`${layout.format} encoding only works for arrays, got: !!map`)
    case "toml": {
      if (isScalarValue) return `${typeof value === "string" ? value : formatJson(value, {})}\n`
      if (!(value instanceof JqObject)) return failFormat("toml encoding only works for maps")
      const { stringify } = await import("smol-toml")
      return stringify(tomlOf(value))
    }
  }
}

const failFormat = (message: string): never => {
  throw new FormatError(message)
}

/** TOML has no null: a key without a value is left out. */
const tomlOf = (value: Value): unknown => {
  if (value instanceof JqObject) {
    const known = Array.from(value.entries).filter(([, item]) => item !== null)
    return Object.fromEntries(known.map(([key, item]) => [key, tomlOf(item)]))
  }
  return value instanceof JqArray ? value.items.map(tomlOf) : toPlain(value)
}
