/**
 * Stores the variables of a shell, with dynamic scope, attributes, name references, computed values and a limit on their size.
 * One map holds the current variable of each name, and a function that declares a local restores the previous one on return: a
 * lookup takes one step.
 */
import { IndexedArray } from "./IndexedArray.ts"
import { ShellError } from "./ShellError.ts"
import { Variable } from "./Variable.ts"

export interface SubscriptedName {
  readonly name: string
  readonly subscript: string | undefined
}

/** A variable whose value is computed on each read: `RANDOM`, `SECONDS`. */
export interface DynamicVariable {
  readonly get: () => string | ReadonlyArray<string>
  /** Default: an assignment is ignored. */
  readonly set?: (value: string) => void
  /** The attributes as `declare` prints them: `i` and `r`. */
  readonly letters?: string
}

const maxReferences = 16

/** Characters of values that a shell may hold without counting them. */
const uncounted = 1_048_576

/** The variables that a function hides with its locals, or `a=1 command` with its assignments (`temporary`). */
interface Frame {
  readonly temporary: boolean
  readonly before: Map<string, Variable | undefined>
}

export class Variables {
  readonly #variables: Map<string, Variable>
  readonly #frames: Array<Frame>
  readonly dynamic: Map<string, DynamicVariable> = new Map()
  /** Evaluates a value that is assigned to an integer variable. */
  evaluate: (text: string) => bigint = () => 0n
  keyOf: (name: string, subscript: string) => string = (_, subscript) => subscript
  /** Maximum number of characters of all values together. */
  limit: number = Infinity
  /** Whether the value of `a=1 command` is being expanded: assignments of that expansion stay after the command. */
  isExpandingPrefix = false
  /** Reports the bytes of all values to the kernel; negative if the total of all processes exceeds its limit. */
  hold: (bytes: number) => number = () => 0
  /** Number of characters at the last count of all values, and of those added since. */
  #counted: number
  #added = 0

  constructor(variables: Map<string, Variable> = new Map(), frames: Array<Frame> = [], counted = 0) {
    this.#variables = variables
    this.#frames = frames
    this.#counted = counted
  }

  clone(): Variables {
    const copies = new Map<Variable, Variable>()
    const copyOf = (variable: Variable): Variable => {
      const known = copies.get(variable) ?? variable.clone()
      copies.set(variable, known)
      return known
    }
    return new Variables(
      new Map([...this.#variables].map(([name, variable]) => [name, copyOf(variable)])),
      this.#frames.map(({ before, temporary }) => ({
        temporary,
        before: new Map([...before].map(([name, variable]) => [name, variable && copyOf(variable)])),
      })),
      this.#counted + this.#added,
    )
  }

  /** Follows name references and returns the final name, which may be an element (`a[1]`). */
  resolve(name: string): string {
    let at = name
    for (let steps = 0; steps < maxReferences; steps++) {
      const variable = this.#variables.get(at)
      if (variable?.reference !== true || variable.value === undefined || variable.value === "") return at
      at = variable.value
    }
    throw new ShellError(`${name}: circular name reference`)
  }

  #target(name: string): readonly [name: string, subscript: string | undefined] {
    if (this.#variables.get(name)?.reference !== true) return [name, undefined]
    const target = this.resolve(name)
    const bracket = target.indexOf("[")
    return bracket < 0 ? [target, undefined] : [target.slice(0, bracket), target.slice(bracket + 1, -1)]
  }

  /** Returns the variable of a name, following name references by default. A reference to an element gives a copy of it. */
  find(name: string, follow = true): Variable | undefined {
    const dynamic = this.dynamic.get(name)
    if (dynamic !== undefined) return variableOf(dynamic)
    const found = this.#variables.get(name)
    if (!follow || found?.reference !== true) return found
    const [target, subscript] = this.#target(name)
    const variable = target === name ? found : this.find(target)
    if (subscript === undefined || variable === undefined) return variable
    return new Variable(elementOf(variable, this.keyOf(target, subscript)))
  }

  need(name: string, follow = true): Variable {
    const [target] = follow ? this.#target(name) : [name]
    const found = this.#hiddenByPrefix(target) ?? this.#variables.get(target)
    if (found !== undefined) return found
    const made = new Variable()
    this.#variables.set(target, made)
    return made
  }

  /** The variable that an assignment before a command hides, while the value of another one is expanded. */
  #hiddenByPrefix(name: string): Variable | undefined {
    const frame = this.#frames.at(-1)
    if (!this.isExpandingPrefix || frame?.temporary !== true || !frame.before.has(name)) return undefined
    const hidden = frame.before.get(name) ?? new Variable()
    frame.before.set(name, hidden)
    return hidden
  }

  /** Returns the value of a name; for an array, its first element. */
  get(name: string): string | undefined {
    const dynamic = this.dynamic.get(name)
    if (dynamic !== undefined) {
      const value = dynamic.get()
      return typeof value === "string" ? value : value[0]
    }
    return this.find(name)?.scalar
  }

  /** Assigns to a name, or with a key to an element of an array. */
  set(name: string, value: string, key?: string, append = false): void {
    const dynamic = this.dynamic.get(name)
    if (dynamic?.letters?.includes("r") === true) throw new ShellError(`${name}: readonly variable`, "line")
    if (dynamic !== undefined) return dynamic.set?.(value)
    const [target, subscript] = this.#target(name)
    const element = key ?? (subscript === undefined ? undefined : this.keyOf(target, subscript))
    this.assign(this.need(target, target !== name), name, value, element, append)
  }

  assign(variable: Variable, name: string, value: string, key?: string, append = false): void {
    if (variable.readonly) throw new ShellError(`${name}: readonly variable`, "line")
    const before = append ? elementOf(variable, key) ?? "" : ""
    const made = variable.integer
      ? String((append && before !== "" ? this.evaluate(before) : 0n) + this.evaluate(value))
      : before + value
    this.grew(made.length)
    const final = variable.case === "lower" ? made.toLowerCase() : variable.case === "upper" ? made.toUpperCase() : made
    if (variable.table !== undefined) variable.toTable().set(key ?? "0", final)
    else if (key !== undefined || variable.array !== undefined) {
      variable.toArray().set(this.#index(variable, name, key), final)
    } else variable.value = final
  }

  /** Notes that values grew. Counts all of them from time to time and fails above the limit. */
  grew(characters: number): void {
    this.#added += characters + 64
    if (this.#added < Math.min(this.limit / 8, Math.max(uncounted, this.#counted / 8))) return
    this.#added = 0
    const all = new Set(this.#variables.values())
    for (const { before } of this.#frames) {
      for (const variable of before.values()) if (variable !== undefined) all.add(variable)
    }
    let size = 0
    for (const variable of all) size += variable.size
    if (size > this.limit) throw new ShellError(`variables: more than ${this.limit} characters`, "shell")
    // The new value is not counted yet.
    this.#counted = size + characters
    this.holdAll()
  }

  /** Counts all values, plus a number of new characters, against the limit of all processes. */
  holdAll(coming = 0): void {
    const size = this.#counted + coming
    if (this.hold(size < uncounted ? 0 : size) >= 0) return
    throw new ShellError(
      "variables: the programs of the sandbox hold too much; unset variables, or raise limits.maxValueBytes",
      "shell",
    )
  }

  #index(variable: Variable, name: string, key: string | undefined): number {
    if (key === undefined) return 0
    const index = Number(key)
    if (index >= 0) return index
    const last = variable.array?.last ?? -1
    if (last + 1 + index < 0) throw new ShellError(`${name}[${key}]: bad array subscript`, "line")
    return last + 1 + index
  }

  /** Unsets a name. A local variable of the running function stays local, without a value. */
  unset(name: string): void {
    const variable = this.#variables.get(name)
    if (variable?.readonly === true) throw new ShellError(`${name}: cannot unset: readonly variable`)
    this.dynamic.delete(name)
    const local = this.#frames.findLast(({ before }) => before.has(name))
    if (local === undefined) this.#variables.delete(name)
    else if (!local.temporary && this.isLocal(name)) this.#variables.set(name, new Variable())
    else {
      // Unsetting a caller's local makes the variable that it hid visible again.
      const hidden = local.before.get(name)
      local.before.delete(name)
      if (hidden === undefined) this.#variables.delete(name)
      else this.#variables.set(name, hidden)
    }
  }

  /** Starts the scope of a function or of `a=1 command` (`temporary`): variables declared from now on belong to it. */
  enter(temporary = false): void {
    this.#frames.push({ temporary, before: new Map() })
  }

  /** Ends the innermost scope and restores the variables that it hid. */
  leave(): void {
    for (const [name, variable] of this.#frames.pop()?.before ?? []) {
      if (variable === undefined) this.#variables.delete(name)
      else this.#variables.set(name, variable)
    }
  }

  /** Returns the local variable of a name in the running function and creates it if necessary. */
  local(name: string, temporary = false): Variable {
    const frame = this.#frames.findLast((candidate) => candidate.temporary === temporary)?.before
    const current = this.#variables.get(name)
    if (frame?.has(name) === true && current !== undefined) return current
    if (frame === undefined) return this.need(name, false)
    if (current?.readonly === true) throw new ShellError(`${name}: readonly variable`)
    if (!frame.has(name)) frame.set(name, current)
    const made = new Variable()
    this.#variables.set(name, made)
    return made
  }

  isLocal(name: string): boolean {
    return this.#frames.findLast(({ temporary }) => !temporary)?.before.has(name) === true
  }

  global(name: string): Variable {
    for (const { before } of this.#frames) {
      if (!before.has(name)) continue
      const found = before.get(name) ?? new Variable()
      before.set(name, found)
      return found
    }
    return this.need(name)
  }

  unexport(): void {
    for (const variable of this.#variables.values()) variable.exported = false
  }

  get names(): ReadonlyArray<string> {
    return [...this.#variables.keys()].sort()
  }

  get scalars(): Readonly<Record<string, string>> {
    const found = Array.from(this.#variables, ([name, { scalar }]) => [name, scalar] as const)
    return Object.fromEntries(found.filter((each): each is [string, string] => each[1] !== undefined))
  }

  get exported(): ReadonlyArray<readonly [string, string]> {
    const found: Array<readonly [string, string]> = []
    for (const [name, variable] of this.#variables) {
      const value = variable.exported ? this.dynamic.get(name)?.get() ?? variable.value : undefined
      if (typeof value === "string") found.push([name, value])
    }
    return found
  }
}

const variableOf = ({ get, letters = "" }: DynamicVariable): Variable => {
  const value = get()
  const made = new Variable(typeof value === "string" ? value : undefined)
  if (typeof value !== "string") made.array = new IndexedArray(value)
  made.readonly = letters.includes("r")
  made.integer = letters.includes("i")
  return made
}

/** Returns the element of a key; a negative index counts from the end. */
export const elementOf = (variable: Variable, key: string | undefined): string | undefined => {
  if (key === undefined) return variable.scalar
  if (variable.table !== undefined) return variable.table.get(key)
  if (variable.array === undefined) return Number(key) === 0 ? variable.value : undefined
  return variable.array.get(Number(key))
}
