/**
 * Replaces SQLite's `instr`, `replace` and `trim` functions, whose time is the product of two lengths: one call of them held the
 * host for hours, since nothing interrupts a function. Results are the same, but `replace` of an empty pattern is text. Source: func.c of SQLite.
 */
import { ColumnType, type Engine, type Pointer } from "./Engine.ts"
import { makeFinder } from "./makeFinder.ts"

/** Bytes of a text to look for. */
const maxNeedleBytes = 4_194_304
/** SQLITE_UTF8, SQLITE_DETERMINISTIC and SQLITE_INNOCUOUS. */
const flags = 1 | 0x800 | 0x200000
const transient = -1

type WasmFunction = (...args: ReadonlyArray<number>) => number
const isFunction = (value: unknown): value is WasmFunction => typeof value === "function"

const none = new Uint8Array()

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** The arguments of one call, in the memory of the engine. */
class Call {
  readonly #engine: Engine
  readonly #context: Pointer
  readonly #values: ReadonlyArray<Pointer>

  constructor(engine: Engine, context: Pointer, count: number, values: Pointer) {
    this.#engine = engine
    this.#context = context
    this.#values = Array.from({ length: count }, (_, at) => engine.wasm.peek32(values + at * 4))
  }

  #call(name: string, ...args: ReadonlyArray<number>): number {
    const found = this.#engine.wasm.exports[name]
    if (!isFunction(found)) throw new Error(`the engine has no ${name}`)
    return found(...args)
  }

  type(at: number): number {
    return this.#call("sqlite3_value_type", this.#values[at] ?? 0)
  }

  /** The bytes of all arguments; `undefined` if one is null. Views of memory: valid until the next call of the engine. */
  bytes(areBlobs = false): ReadonlyArray<Uint8Array> | undefined {
    const pointers: Array<readonly [pointer: Pointer, length: number]> = []
    for (const [at, value] of this.#values.entries()) {
      if (this.type(at) === ColumnType.null) return undefined
      const pointer = this.#call(areBlobs ? "sqlite3_value_blob" : "sqlite3_value_text", value)
      pointers.push([pointer, this.#call("sqlite3_value_bytes", value)])
    }
    const heap = this.#engine.wasm.heap8u()
    return pointers.map(([pointer, length]) => heap.subarray(pointer, pointer + length))
  }

  setNumber(value: number): void {
    this.#call("sqlite3_result_int", this.#context, value)
  }

  /** Text that is in the memory of the engine already. */
  setView(text: Uint8Array): void {
    this.#call("sqlite3_result_text", this.#context, text.byteOffset, text.length, transient)
  }

  /** Makes a text of the bytes of arguments, whose views change where memory grows. */
  setText(
    length: number,
    parts: ReadonlyArray<Uint8Array>,
    fill: (target: Uint8Array, parts: ReadonlyArray<Uint8Array>) => void,
  ): void {
    const { wasm } = this.#engine
    const places = parts.map((part) => [part.byteOffset, part.byteOffset + part.length] as const)
    const pointer = this.#call("sqlite3_malloc", Math.max(1, length))
    if (pointer === 0) return void this.#call("sqlite3_result_error_nomem", this.#context)
    const heap = wasm.heap8u()
    fill(heap.subarray(pointer, pointer + length), places.map(([start, end]) => heap.subarray(start, end)))
    this.#call("sqlite3_result_text", this.#context, pointer, length, transient)
    this.#call("sqlite3_free", pointer)
  }

  setTooBig(): void {
    this.#call("sqlite3_result_error_toobig", this.#context)
  }
}

const instr = (call: Call): void => {
  if (call.type(0) === ColumnType.null || call.type(1) === ColumnType.null) return
  const areBlobs = call.type(0) === ColumnType.blob && call.type(1) === ColumnType.blob
  const [text, needle] = call.bytes(areBlobs) ?? []
  if (text === undefined || needle === undefined) return
  if (needle.length === 0) return call.setNumber(1)
  if (needle.length > maxNeedleBytes) return call.setTooBig()
  const find = makeFinder(needle)
  let found = find(text, 0)
  // Text is compared from the start of a character on.
  while (!areBlobs && found > 0 && isContinuation(text[found])) found = find(text, found + 1)
  if (found < 0 || areBlobs) return call.setNumber(found + 1)
  let characters = found === 0 ? 1 : 2
  for (let at = 1; at < found; at++) if (!isContinuation(text[at])) characters++
  call.setNumber(characters)
}

const replace = (maxBytes: number) => (call: Call): void => {
  const [text, needle, by] = call.bytes() ?? []
  if (text === undefined || needle === undefined || by === undefined) return
  if (needle.length === 0 || needle[0] === 0) return call.setView(text)
  if (needle.length > maxNeedleBytes) return call.setTooBig()
  // A copy: the finder outlives the memory's growth.
  const find = makeFinder(needle.slice())
  let count = 0
  for (let at = find(text, 0); at >= 0; at = find(text, at + needle.length)) count++
  // The view of `needle` may be gone when its length is read next.
  const { length } = needle
  const size = text.length + count * (by.length - length)
  if (size > maxBytes) return call.setTooBig()
  call.setText(size, [text, by], (target, [text = none, by = none]) => {
    // Byte by byte: pieces are short as a rule, and a view of each takes longer.
    let [from, to] = [0, 0]
    for (let at = find(text, 0); at >= 0; at = find(text, from)) {
      while (from < at) target[to++] = text[from++] ?? 0
      for (let i = 0; i < by.length; i++) target[to++] = by[i] ?? 0
      from += length
    }
    target.set(text.subarray(from), to)
  })
}

/** Returns the end of the character that starts at an index, as SQLite cuts text: also where it is not UTF-8. */
const characterEnd = (text: Uint8Array, start: number): number => {
  let end = start + 1
  if ((text[start] ?? 0) >= 0xc0) { while (isContinuation(text[end])) end++ }
  return end
}

const trim = (atStart: boolean, atEnd: boolean) => (call: Call): void => {
  const [text, characters] = call.bytes() ?? []
  if (text === undefined || characters === undefined) return
  const set = new Set<string>()
  const ascii = new Uint8Array(128)
  for (let at = 0; at < characters.length;) {
    const end = characterEnd(characters, at)
    const first = characters[at] ?? 0
    if (first < 128) ascii[first] = 1
    else set.add(characters.subarray(at, end).join())
    at = end
  }
  const has = (start: number, end: number): boolean => {
    const first = text[start] ?? 0
    return end === start + 1 && first < 128 ? ascii[first] === 1 : set.has(text.subarray(start, end).join())
  }
  let [start, end] = [0, text.length]
  while (atStart && start < end) {
    const next = characterEnd(text, start)
    if (!has(start, next)) break
    start = next
  }
  while (atEnd && start < end) {
    let last = end - 1
    while (last > start && isContinuation(text[last])) last--
    if (!has(last, end)) break
    end = last
  }
  call.setView(text.subarray(start, end))
}

/** Replaces the functions in a database. `maxBytes`: the limit of one value. */
export const installLinearFunctions = (engine: Engine, db: Pointer, maxBytes: number): void => {
  const functions = [
    ["instr", 2, instr],
    ["replace", 3, replace(maxBytes)],
    ["trim", 2, trim(true, true)],
    ["ltrim", 2, trim(true, false)],
    ["rtrim", 2, trim(false, true)],
  ] as const
  for (const [name, count, run] of functions) {
    const pointer = engine.wasm.installFunction(
      (context: Pointer, given: number, values: Pointer) => run(new Call(engine, context, given, values)),
      "viii",
    )
    engine.capi.sqlite3_create_function(db, name, count, flags, 0, pointer, 0, 0)
  }
}
