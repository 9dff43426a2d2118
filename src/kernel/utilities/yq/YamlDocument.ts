/**
 * Converts YAML documents to values of jq, and changes of the values to changes of the documents, with their comments.
 */
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml"
import { quote } from "../../../base/quote.ts"
import { JqArray, JqObject, NumberLiteral, type Value } from "../jq/values.ts"
import { equals } from "../jq/compare.ts"
import { failLimit } from "../jq/limits.ts"
import { FormatError } from "./FormatError.ts"

/** Maximum number of nodes that aliases and merge keys make: a few lines can expand to billions. */
const maxAliasNodes = 100_000
const maxDepth = 512

/** Maximum nodes of a document that is made of a value: the library makes and writes it in one step. */
const maxMadeNodes = 250_000

/** The value of a node to be made. */
export const toPlain = (value: Value): unknown => {
  let left = maxMadeNodes
  return plainOf(value, () => {
    if (--left < 0) failLimit(`a document to write has more than ${maxMadeNodes} nodes`)
  })
}

const plainOf = (value: Value, count: () => void): unknown => {
  count()
  if (value instanceof NumberLiteral) {
    if (/^-?\d+$/.test(value.text)) return BigInt(value.text)
    const scalar = new Scalar(value.value)
    scalar.minFractionDigits = /\.(\d+)$/.exec(value.text)?.[1]?.length ?? 0
    return scalar
  }
  if (value instanceof JqArray) return value.items.map((item) => plainOf(item, count))
  if (value instanceof JqObject) {
    return new Map(Array.from(value.entries, ([key, item]) => [key, plainOf(item, count)]))
  }
  return value
}

const keyOf = ({ key }: Pair): string => isScalar(key) ? String(key.value) : String(key)

/** The library gives a merge key a symbol of its own as value. */
const isMerge = ({ key }: Pair): boolean =>
  isScalar(key) && (typeof key.value === "symbol" || (key.value === "<<" && key.type === "PLAIN"))

const scalarValue = ({ source, value }: Scalar): Value => {
  if (typeof value === "number") {
    const text = source ?? ""
    const isWritten = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) && text !== String(value)
    return isWritten ? new NumberLiteral(value, text) : value
  }
  if (typeof value === "bigint") return new NumberLiteral(Number(value), String(value))
  return typeof value === "string" || typeof value === "boolean"
    ? value
    : value === null || value === undefined
    ? null
    : String(value)
}

export class YamlDocument {
  readonly document: Document<Node>
  readonly value: Value
  /** Values of nodes, and the nodes of containers. */
  readonly #values = new Map<Node, Value>()
  readonly #nodes = new WeakMap<object, Node>()
  /** The last node of each anchor so far, and the nodes of aliases: the library looks through the document for each. */
  readonly #anchors = new Map<string, Node>()
  readonly #targets = new Map<Alias, Node | undefined>()
  #aliasNodes = 0

  constructor(document: Document<Node>) {
    this.document = document
    this.value = this.#valueOf(document.contents, false, 0)
  }

  #valueOf(node: unknown, isAliased: boolean, depth: number): Value {
    if (isAliased && ++this.#aliasNodes > maxAliasNodes) failLimit(`aliases stand for more than ${maxAliasNodes} nodes`)
    if (depth > maxDepth) failLimit(`a document is deeper than ${maxDepth}`)
    if (isAlias(node)) {
      if (!this.#targets.has(node)) this.#targets.set(node, this.#anchors.get(node.source))
      return this.#valueOf(this.#targets.get(node), true, depth + 1)
    }
    if (!isAliased) this.#addAnchor(node)
    if (isScalar(node)) {
      const value = scalarValue(node)
      this.#values.set(node, value)
      return value
    }
    if (isSeq(node)) {
      const array = new JqArray(node.items.map((item) => this.#valueOf(item, isAliased, depth + 1)))
      this.#values.set(node, array)
      if (!isAliased) this.#nodes.set(array, node)
      return array
    }
    if (!isMap(node)) return null
    const object = new JqObject(this.#entriesOf(node, isAliased, depth))
    this.#values.set(node, object)
    if (!isAliased) this.#nodes.set(object, node)
    return object
  }

  #addAnchor(node: unknown): void {
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) this.#anchors.set(node.anchor, node)
  }

  #addAnchorsOfKey(key: unknown): void {
    if (isCollection(key)) visit(key, (_, node) => this.#addAnchor(node))
    else this.#addAnchor(key)
  }

  #entriesOf(node: YAMLMap, isAliased: boolean, depth: number): Map<string, Value> {
    const entries = new Map<string, Value>()
    const own = new Set(node.items.filter((pair) => !isMerge(pair)).map(keyOf))
    const seen = new Set<string>()
    for (const pair of node.items) {
      if (!isAliased) this.#addAnchorsOfKey(pair.key)
      if (!isMerge(pair)) {
        const key = keyOf(pair)
        if (seen.has(key)) throw new FormatError(`yaml: Map keys must be unique: ${quote(key)} is there twice`)
        seen.add(key)
        entries.set(key, this.#valueOf(pair.value, isAliased, depth + 1))
      } else {
        const merged = this.#valueOf(pair.value, true, depth + 1)
        for (const part of merged instanceof JqArray ? merged.items : [merged]) {
          if (!(part instanceof JqObject)) continue
          for (const [key, value] of part.entries) if (!own.has(key) && !entries.has(key)) entries.set(key, value)
        }
      }
    }
    return entries
  }

  /** The node of a result, if it belongs to the document. */
  nodeOf(value: Value): Node | undefined {
    return typeof value === "object" && value !== null ? this.#nodes.get(value) : undefined
  }

  /** Changes the document so that it has another value. */
  update(value: Value): void {
    this.document.contents = this.#updated(this.document.contents, value)
  }

  #updated(node: Node | null, value: Value): Node {
    const old = node === null ? undefined : isAlias(node) ? this.#valueOf(node, true, 0) : this.#values.get(node)
    if (node !== null && old !== undefined && equals(old, value)) {
      // Numbers in two notations are equal; keys may have another order.
      if (!(value instanceof JqObject && isMap(node) && old instanceof JqObject)) return node
      if ([...old.entries.keys()].join("\0") === [...value.entries.keys()].join("\0")) return node
    }
    if (isMap(node) && value instanceof JqObject) return this.#updateMap(node, value, old)
    if (isSeq(node) && value instanceof JqArray) return this.#updateSequence(node, value)
    const made = this.document.createNode(toPlain(value))
    if (node === null) return made
    if (isScalar(node) && isScalar(made)) {
      if (typeof node.value === "string" && typeof made.value === "string" && node.type !== undefined) {
        made.type = node.type
      }
      if (node.anchor !== undefined) made.anchor = node.anchor
    }
    made.comment = node.comment ?? null
    made.commentBefore = node.commentBefore ?? null
    made.spaceBefore = node.spaceBefore ?? false
    return made
  }

  #updateMap(node: YAMLMap, value: JqObject, old: Value | undefined): Node {
    const { entries } = value
    const own = new Map(node.items.filter((pair) => !isMerge(pair)).map((pair) => [keyOf(pair), pair]))
    const before = old instanceof JqObject ? old.entries : new Map<string, Value>()
    const merged = node.items.filter(isMerge)
    const pairs: Array<Pair> = []
    const late: Array<Pair> = []
    for (const [key, item] of entries) {
      const pair = own.get(key)
      if (pair !== undefined) {
        const { value: child } = pair
        pair.value = this.#updated(isNode(child) ? child : null, item)
        pairs.push(pair)
      } else {
        const inherited = before.get(key)
        // A value from a merge key needs no key of its own.
        if (merged.length === 0 || inherited === undefined || !equals(inherited, item)) {
          const made = this.document.createPair(key, toPlain(item))
          ;(inherited === undefined ? pairs : late).push(made)
        }
      }
    }
    const place = node.items.findIndex(isMerge)
    if (place >= 0) pairs.splice(Math.min(place, pairs.length), 0, ...merged)
    node.items = [...pairs, ...late]
    return node
  }

  #updateSequence(node: YAMLSeq, value: JqArray): Node {
    const before = node.items.map((item) => isNode(item) ? item : null)
    const used = new Set<number>()
    const { items } = value
    const isSameLength = items.length === before.length
    // An item keeps its node, at the same index or at that of an equal item.
    const places = items.map((item, at) => {
      const isEqual = (candidate: Node | null): boolean => {
        const known = candidate === null ? null : this.#values.get(candidate)
        return known !== undefined && equals(known, item)
      }
      let found = isEqual(before[at] ?? null) && at < before.length && !used.has(at) ? at : -1
      if (found < 0 && before.length <= 2_000) {
        found = before.findIndex((candidate, index) => !used.has(index) && isEqual(candidate))
      }
      if (found >= 0) used.add(found)
      return found
    })
    node.items = items.map((item, at) => {
      const found = places[at] ?? -1
      const kept = found >= 0 ? before[found] : isSameLength && !used.has(at) ? before[at] : undefined
      return this.#updated(kept ?? null, item)
    })
    return node
  }
}

const isNode = (value: unknown): value is Node => isAlias(value) || isScalar(value) || isMap(value) || isSeq(value)
