/** Reads and writes CSV, TSV and properties for `yq`. Source: RFC 4180. */
import { emptyArray, emptyObject, JqArray, JqObject, NumberLiteral, type Value } from "../jq/values.ts"
import { formatJson } from "../jq/formatJson.ts"
import { failLimit } from "../jq/limits.ts"

/** The value that a cell stands for: numbers, booleans and null as in YAML, else text. */
const parseScalar = (text: string): Value => {
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) {
    const value = Number(text)
    return String(value) === text ? value : new NumberLiteral(value, text)
  }
  return text === "true"
    ? true
    : text === "false"
    ? false
    : text === "null" || text === "~" || text === ""
    ? null
    : text
}

const parseRows = (text: string, separator: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  for (let at = 0; at < text.length;) {
    let cell = ""
    if (text[at] === '"') {
      for (at++; at < text.length; at++) {
        if (text[at] !== '"') cell += text[at] ?? ""
        else if (text[at + 1] === '"') cell += text[at++] ?? ""
        else break
      }
      at++
    } else {
      const start = at
      while (at < text.length && text[at] !== separator && text[at] !== "\n") at++
      cell = text.slice(start, at).replace(/\r$/, "")
    }
    if (text[at] === "\r") at++
    row.push(cell)
    if (text[at] === separator) {
      at++
      if (at === text.length || text[at] === "\n") row.push("")
      if (text[at] !== "\n") continue
    }
    at++
    rows.push(row)
    row = []
  }
  return row.length > 0 ? [...rows, row] : rows
}

/** Maximum cells of a table: rows have all the names of the first line, so that their number is a product. */
const maxCells = 1_000_000
/** Maximum characters of a result, in which each leaf repeats its path. */
const maxOutputLength = 64 * 1024 * 1024
const maxDepth = 512

const checkCells = (names: number, rows: number): void => {
  if (names * rows > maxCells) failLimit(`a table has more than ${maxCells} cells`)
}

/** Rows under a line of names, as objects. */
export const parseTable = (text: string, separator: string): Value => {
  const [names = [], ...rows] = parseRows(text.replace(/^\ufeff/, ""), separator)
  checkCells(names.length, rows.length)
  return new JqArray(
    rows.map((row) => new JqObject(new Map(names.map((name, at) => [name, parseScalar(row[at] ?? "")])))),
  )
}

const cellText = (value: Value | undefined): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : formatJson(value, {})

/** Writes a list of objects, whose names come from the first one, or a list of lists; `undefined` for other values. */
export const formatTable = (value: Value, separator: string): string | undefined => {
  if (!(value instanceof JqArray)) return undefined
  const quote = (text: string): string =>
    text.includes(separator) || /["\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const line = (cells: ReadonlyArray<string>): string => `${cells.map(quote).join(separator)}\n`
  const [first] = value.items
  if (first instanceof JqObject) {
    const names = [...first.entries.keys()]
    checkCells(names.length, value.items.length)
    const rows = value.items.map((item) =>
      names.map((name) => item instanceof JqObject ? cellText(item.entries.get(name)) : "")
    )
    return [names, ...rows].map(line).join("")
  }
  if (first instanceof JqArray) {
    return value.items.map((item) => line(item instanceof JqArray ? item.items.map(cellText) : [cellText(item)])).join(
      "",
    )
  }
  return line(value.items.map(cellText))
}

/** Reads `a.b = c` into nested objects. */
export const parseProperties = (text: string): Value => {
  let root: Value = emptyObject()
  const set = (value: Value, path: ReadonlyArray<string>, leaf: Value, depth = 0): Value => {
    const key = path[depth]
    if (key === undefined) return leaf
    if (/^\d{1,4}$/.test(key)) {
      const array = value instanceof JqArray ? value : emptyArray()
      return array.with(Number(key), set(array.items[Number(key)] ?? null, path, leaf, depth + 1))
    }
    const object = value instanceof JqObject ? value : emptyObject()
    return object.with(key, set(object.entries.get(key) ?? null, path, leaf, depth + 1))
  }
  for (const line of text.split(/\r?\n/)) {
    // By index: an expression with white space on both sides takes time by the square of its length, or more.
    const at = line.search(/[=:]/)
    const name = line.slice(0, at).trim()
    if (at < 0 || name === "" || /^[#!]/.test(name)) continue
    const path = name.split(".")
    if (path.length > maxDepth) failLimit(`a property is deeper than ${maxDepth}`)
    root = set(root, path, parseScalar(line.slice(at + 1).trim()))
  }
  return root
}

/** Writes `a.b = c` for each leaf. */
export const formatProperties = (value: Value): string => {
  let text = ""
  const write = (value: Value, path: string): void => {
    const under = path === "" ? "" : `${path}.`
    if (value instanceof JqObject) {
      for (const [key, item] of value.entries) write(item, under + key)
    } else if (value instanceof JqArray) value.items.forEach((item, at) => write(item, `${under}${at}`))
    else text += path === "" ? `${cellText(value)}\n` : `${path} = ${cellText(value)}\n`
    if (text.length > maxOutputLength) failLimit(`the properties are longer than ${maxOutputLength} characters`)
  }
  write(value, "")
  return text
}
