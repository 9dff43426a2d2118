/** Builds the values of parsed JSON: whole ones, or events of `--stream`. Messages are those of jq 1.7.1. */
import { emptyArray, emptyObject, JqArray, JqObject, type Value, weigh } from "./values.ts"
import { checkWeight, effort } from "./limits.ts"

/** Maximum depth of input; a key counts as a level, too. */
const maxDepth = 10_000

/** Takes tokens; each call returns a problem, if there is one. */
export interface ValueBuilder {
  /** Whether the next string may be a key. */
  readonly expectsKey: boolean
  /** Whether nothing is unfinished. */
  readonly isEmpty: boolean
  readonly token: (letter: string) => string | undefined
  readonly value: (value: Value) => string | undefined
  /** Takes a value that is finished. */
  readonly take: () => Value | undefined
  readonly reset: () => void
  /** Approximate bytes of unfinished values. */
  readonly weight: number
}

/** An array or an object that is being parsed. */
interface Building {
  readonly items: Array<Value> | undefined
  readonly entries: Map<string, Value> | undefined
  key: string | undefined
  weight: number
}

export class TreeBuilder implements ValueBuilder {
  #stack: Array<Building> = []
  #top: Building | undefined
  #next: Value | undefined
  #depth = 0
  /** Weight of the unfinished containers below the top. */
  #below = 0

  /** Weight of all unfinished values. */
  get weight(): number {
    return this.#below + (this.#top?.weight ?? 0)
  }

  get expectsKey(): boolean {
    return this.#top !== undefined && this.#top.entries !== undefined && this.#top.key === undefined
  }

  get isEmpty(): boolean {
    return this.#top === undefined && this.#next === undefined
  }

  reset(): void {
    this.#stack = []
    this.#top = this.#next = undefined
    this.#depth = this.#below = 0
  }

  take(): Value | undefined {
    if (this.#next === undefined || this.#top !== undefined) return undefined
    const done = this.#next
    this.#next = undefined
    return done
  }

  value(value: Value): string | undefined {
    if (this.#next !== undefined) return "Expected separator between values"
    this.#next = value
    return undefined
  }

  #open(building: Building): string | undefined {
    if (this.#depth >= maxDepth) return "Exceeds depth limit for parsing"
    if (this.#next !== undefined) return "Expected separator between values"
    if (this.#top !== undefined) {
      this.#stack.push(this.#top)
      this.#below += this.#top.weight
    }
    this.#top = building
    this.#depth++
    return undefined
  }

  /** Adds the value that was read to the container. */
  #add(top: Building, value: Value): string | undefined {
    const weight = weigh(value)
    top.weight += weight + 8
    effort.made += 8 + (typeof value === "object" ? 0 : weight)
    if (top.items !== undefined) top.items.push(value)
    else if (top.key === undefined) return "Objects must consist of key:value pairs"
    else {
      top.weight += 40 + top.key.length
      effort.made += 40 + top.key.length
      top.entries?.set(top.key, value)
      top.key = undefined
      this.#depth--
    }
    checkWeight(this.#below + top.weight)
    this.#next = undefined
    return undefined
  }

  #close(value: Value): undefined {
    this.#next = value
    this.#top = this.#stack.pop()
    this.#below -= this.#top?.weight ?? 0
    this.#depth--
    return undefined
  }

  token(letter: string): string | undefined {
    const top = this.#top
    const next = this.#next
    switch (letter) {
      case "[":
        return this.#open({ items: [], entries: undefined, key: undefined, weight: 32 })
      case "{":
        return this.#open({ items: undefined, entries: new Map(), key: undefined, weight: 64 })
      case ":":
        if (next === undefined) return "Expected string key before ':'"
        if (top?.entries === undefined || top.key !== undefined) return "':' not as part of an object"
        if (typeof next !== "string") return "Object keys must be strings"
        top.key = next
        this.#depth++
        this.#next = undefined
        return undefined
      case ",":
        if (next === undefined) return "Expected value before ','"
        return top === undefined ? "',' not as part of an object or array" : this.#add(top, next)
      case "]": {
        if (top?.items === undefined) return "Unmatched ']'"
        if (next !== undefined) this.#add(top, next)
        else if (top.items.length > 0) return "Expected another array element"
        return this.#close(new JqArray(top.items, top.weight))
      }
      default: {
        if (top === undefined) return "Unmatched '}'"
        if (next !== undefined) {
          const problem = top.key === undefined ? "Objects must consist of key:value pairs" : this.#add(top, next)
          if (problem !== undefined) return problem
        } else if (top.entries === undefined || top.key !== undefined) return "Unmatched '}'"
        else if (top.entries.size > 0) return "Expected another key-value pair"
        return this.#close(new JqObject(top.entries ?? new Map(), top.weight))
      }
    }
  }
}

type Seen = "none" | "array" | "object" | "colon" | "comma" | "value"

/** Builds `[PATH, LEAF]` for each leaf, and `[PATH]` at the end of each container that is not empty. */
export class StreamBuilder implements ValueBuilder {
  #path: Array<Value> = []
  #next: Value | undefined
  #last: Seen = "none"
  readonly #done: Array<Value> = []
  #taken = 0
  readonly weight = 0

  get expectsKey(): boolean {
    return this.#path.at(-1) === null && this.#last !== "colon"
  }

  get isEmpty(): boolean {
    return this.#path.length === 0 && this.#next === undefined
  }

  reset(): void {
    this.#path = []
    this.#next = undefined
    this.#last = "none"
    this.#done.length = this.#taken = 0
  }

  take(): Value | undefined {
    if (this.#taken < this.#done.length) return this.#done[this.#taken++]
    if (this.#taken > 0) this.#done.length = this.#taken = 0
    if (this.#path.length > 0 || this.#next === undefined) return undefined
    const done = new JqArray([emptyArray(), this.#next])
    this.#next = undefined
    return done
  }

  value(value: Value): string | undefined {
    if (this.#next !== undefined || this.#last === "value") return "Expected separator between values"
    this.#last = this.#path.length > 0 ? "value" : "none"
    this.#next = value
    return undefined
  }

  #emit(...leaf: ReadonlyArray<Value>): void {
    this.#done.push(new JqArray([new JqArray([...this.#path]), ...leaf]))
  }

  #leaf(): void {
    if (this.#next === undefined) return
    this.#emit(this.#next)
    this.#next = undefined
  }

  #open(letter: "[" | "{"): string | undefined {
    if (this.#next !== undefined || this.#last === "value") return "Expected a separator between values"
    if (this.#last === "object") return `Expected string key after '{', not '${letter}'`
    const inObject = this.#path.length > 0 && typeof this.#path.at(-1) !== "number"
    if (this.#last === "comma" && inObject) return `Expected string key after ',' in object, not '${letter}'`
    if (this.#path.length >= maxDepth) return "Exceeds depth limit for parsing"
    this.#path.push(letter === "[" ? 0 : null)
    this.#last = letter === "[" ? "array" : "object"
    return undefined
  }

  #close(empty: Value, isEmpty: boolean): undefined {
    if (this.#next !== undefined) {
      this.#leaf()
      this.#emit()
    } else if (!isEmpty) this.#emit()
    this.#path.pop()
    if (isEmpty) this.#emit(empty)
    this.#last = this.#path.length === 0 ? "none" : "value"
    return undefined
  }

  token(letter: string): string | undefined {
    const key = this.#path.at(-1)
    switch (letter) {
      case "[":
      case "{":
        return this.#open(letter)
      case ":":
        if (key === undefined || typeof key === "number") return "':' not as part of an object"
        if (this.#next === undefined || this.#last === "none") return "Expected string key before ':'"
        if (typeof this.#next !== "string") return "Object keys must be strings"
        if (this.#last !== "value") return "':' should follow a key"
        this.#last = "colon"
        this.#path[this.#path.length - 1] = this.#next
        this.#next = undefined
        return undefined
      case ",":
        if (this.#last !== "value") return "Expected value before ','"
        if (key === undefined) return "',' not as part of an object or array"
        if (key === null) return "Objects must consist of key:value pairs"
        this.#leaf()
        this.#path[this.#path.length - 1] = typeof key === "number" ? key + 1 : null
        this.#last = "comma"
        return undefined
      case "]":
        if (key === undefined) return "Unmatched ']' at the top-level"
        if (this.#last === "comma") return "Expected another array element"
        if (typeof key !== "number") return "Unmatched ']' in the middle of an object"
        return this.#close(emptyArray(), this.#last === "array")
      default:
        if (key === undefined) return "Unmatched '}' at the top-level"
        if (this.#last === "comma") return "Expected another key:value pair"
        if (typeof key === "number") return "Unmatched '}' in the middle of an array"
        if (this.#next !== undefined && key === null) return "Objects must consist of key:value pairs"
        if (this.#last === "colon") return "Missing value in key:value pair"
        return this.#close(emptyObject(), this.#last === "object")
    }
  }
}
