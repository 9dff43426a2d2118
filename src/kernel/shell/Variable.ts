/**
 * A variable: its value, and what it is marked as.
 *
 * @module
 */

/** An indexed array: only the elements that are set, by number. */
export type IndexedArray = Map<number, string>

/** What a name or an element takes besides its text. */
const perElement = 64

/** The numbers of an array's elements in order. */
export const indexesOf = (array: IndexedArray): ReadonlyArray<number> => {
  const indexes = [...array.keys()]
  for (let at = 1; at < indexes.length; at++) {
    if ((indexes[at] ?? 0) < (indexes[at - 1] ?? 0)) return indexes.sort((a, b) => a - b)
  }
  return indexes
}

/** The largest number of an array's elements; -1 when it has none. */
export const lastIndex = (array: IndexedArray | undefined): number => {
  let last = -1
  for (const index of array?.keys() ?? []) if (index > last) last = index
  return last
}

/** One variable. A variable may be declared without a value. */
export class Variable {
  /** Of a plain variable. */
  value: string | undefined
  /** Of an indexed array. To change it, take it from {@link toArray}: subshells may share it. */
  array: IndexedArray | undefined
  /** Of an associative array. To change it, take it from {@link toTable}. */
  table: Map<string, string> | undefined
  exported = false
  readonly = false
  /** Values are evaluated as arithmetic. */
  integer = false
  /** Its value is the name of the variable that is meant: `declare -n`. */
  reference = false
  /** Values become lower or upper case. */
  case: "lower" | "upper" | undefined
  /** The array or table that a copy of this variable has too: it is copied before it is changed. */
  #shared: IndexedArray | Map<string, string> | undefined

  constructor(value?: string) {
    this.value = value
  }

  clone(): Variable {
    const copy = new Variable(this.value)
    copy.array = this.array
    copy.table = this.table
    copy.#shared = this.#shared = this.array ?? this.table
    copy.exported = this.exported
    copy.readonly = this.readonly
    copy.integer = this.integer
    copy.reference = this.reference
    copy.case = this.case
    return copy
  }

  /** Characters that it holds; a name or an element counts for some more. */
  get size(): number {
    let size = perElement + (this.value?.length ?? 0)
    for (const [, value] of this.array ?? []) size += perElement + value.length
    for (const [key, value] of this.table ?? []) size += perElement + key.length + value.length
    return size
  }

  /** The value, or the element `0` of an array. */
  get scalar(): string | undefined {
    return this.array !== undefined ? this.array.get(0) : this.table !== undefined ? this.table.get("0") : this.value
  }

  get isSet(): boolean {
    return this.array !== undefined
      ? this.array.size > 0
      : this.table !== undefined
      ? this.table.size > 0
      : this.value !== undefined
  }

  /** All values: an array's elements in order, or the value alone. */
  get values(): ReadonlyArray<string> {
    const array = this.array
    if (array !== undefined) return indexesOf(array).map((index) => array.get(index) ?? "")
    if (this.table !== undefined) return [...this.table.values()]
    return this.value === undefined ? [] : [this.value]
  }

  /** All keys, in the order of the values. */
  get keys(): ReadonlyArray<string> {
    if (this.array !== undefined) return indexesOf(this.array).map(String)
    if (this.table !== undefined) return [...this.table.keys()]
    return this.value === undefined ? [] : ["0"]
  }

  /** Becomes an indexed array; a plain value becomes its first element. */
  toArray(): IndexedArray {
    this.array ??= new Map(this.value === undefined ? [] : [[0, this.value]])
    if (this.array === this.#shared) this.array = new Map(this.array)
    this.#shared = undefined
    this.value = undefined
    return this.array
  }

  /** Becomes an associative array. */
  toTable(): Map<string, string> {
    this.table ??= new Map(this.value === undefined ? [] : [["0", this.value]])
    if (this.table === this.#shared) this.table = new Map(this.table)
    this.#shared = undefined
    this.value = undefined
    return this.table
  }

  /** Its marks as `declare` writes them, without the dash: `ax`. */
  get letters(): string {
    return (this.array !== undefined ? "a" : "") + (this.table !== undefined ? "A" : "") + (this.integer ? "i" : "") +
      (this.case === "lower" ? "l" : "") + (this.reference ? "n" : "") + (this.readonly ? "r" : "") +
      (this.case === "upper" ? "u" : "") + (this.exported ? "x" : "")
  }
}
