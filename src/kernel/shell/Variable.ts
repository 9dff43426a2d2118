/** Holds the value of one shell variable and its attributes. */
import { IndexedArray } from "./IndexedArray.ts"
import { inTableOrder } from "./inTableOrder.ts"

/** Memory for which a name or an element counts, in addition to its text. */
const perElement = 64

/** A variable, which may be declared without a value. */
export class Variable {
  value: string | undefined
  /** The elements of an indexed array, possibly shared with subshells: change only the result of {@link toArray}. */
  array: IndexedArray | undefined
  /** The elements of an associative array: change only the result of {@link toTable}. */
  table: Map<string, string> | undefined
  exported = false
  readonly = false
  /** Whether assigned values are evaluated as arithmetic. */
  integer = false
  /** Whether the value is the name of another variable: `declare -n`. */
  reference = false
  /** The case that assigned values are converted to. */
  case: "lower" | "upper" | undefined
  /** The array or table that is shared with a copy of this variable, and copied before it changes. */
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

  /** Number of characters, with a surcharge for each name and element. */
  get size(): number {
    let size = perElement + (this.value?.length ?? 0)
    for (const value of this.array?.values ?? []) size += perElement + value.length
    for (const [key, value] of this.table ?? []) size += perElement + key.length + value.length
    return size
  }

  /** The value, or element `0` of an array. */
  get scalar(): string | undefined {
    return this.array !== undefined ? this.array.get(0) : this.table !== undefined ? this.table.get("0") : this.value
  }

  get isSet(): boolean {
    return this.count > 0
  }

  get count(): number {
    return this.array?.size ?? this.table?.size ?? (this.value === undefined ? 0 : 1)
  }

  get values(): ReadonlyArray<string> {
    if (this.array !== undefined) return this.array.values
    if (this.table !== undefined) return inTableOrder(this.table).map(([, value]) => value)
    return this.value === undefined ? [] : [this.value]
  }

  get entries(): ReadonlyArray<readonly [key: string, value: string]> {
    if (this.table !== undefined) return inTableOrder(this.table)
    const { values } = this
    return this.keys.map((key, index) => [key, values[index] ?? ""])
  }

  /** The keys in the order of the values. */
  get keys(): ReadonlyArray<string> {
    if (this.array !== undefined) return this.array.indexes.map(String)
    if (this.table !== undefined) return inTableOrder(this.table).map(([key]) => key)
    return this.value === undefined ? [] : ["0"]
  }

  /** Converts to an indexed array; a plain value becomes its first element. */
  toArray(): IndexedArray {
    this.array ??= new IndexedArray(this.value === undefined ? [] : [this.value])
    if (this.array === this.#shared) this.array = this.array.clone()
    this.#shared = undefined
    this.value = undefined
    return this.array
  }

  toTable(): Map<string, string> {
    this.table ??= new Map(this.value === undefined ? [] : [["0", this.value]])
    if (this.table === this.#shared) this.table = new Map(this.table)
    this.#shared = undefined
    this.value = undefined
    return this.table
  }

  /** The attributes as `declare` prints them, without the dash: `ax`. */
  get letters(): string {
    return (this.array !== undefined ? "a" : "") + (this.table !== undefined ? "A" : "") + (this.integer ? "i" : "") +
      (this.case === "lower" ? "l" : "") + (this.reference ? "n" : "") + (this.readonly ? "r" : "") +
      (this.case === "upper" ? "u" : "") + (this.exported ? "x" : "")
  }
}

/** The variable of an assignment, if its name now refers to another variable. */
export interface AssignmentTarget {
  readonly isTable: boolean
  /** Creates the variable once the value is known, because the value may use the old variable. */
  readonly make: () => Variable
}
