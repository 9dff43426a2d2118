/**
 * Rewrites a WASM module so that each loop counts down and calls an import when the count is used up: then native loops of the
 * engine (`join` of a sparse array, a search in a long text) can be suspended and ended, which its own interrupt handler does not
 * reach. A second import, which may suspend the stack, is called if the first one asks for it, since a suspending import can only be
 * called within a promising export. Source: WebAssembly 2.0, chapter 5, binary format.
 */

/** Iterations of loops between two calls of the import, well under a millisecond. */
const iterationsPerCall = 30_000
/** A copy or fill costs an iteration for each 256 bytes. */
const bytesShift = 8

const Section = { import: 2, global: 6, code: 10 } as const
const Opcode = { block: 0x02, loop: 0x03, if: 0x04, else: 0x05, end: 0x0b, call: 0x10, drop: 0x1a } as const
const [globalGet, globalSet, i32Const, leSigned, subtract, shiftRight] = [0x23, 0x24, 0x41, 0x4c, 0x6b, 0x76]
const [memoryCopy, memoryFill] = [10, 11]

const unsigned = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [value & 127 | 128, ...unsigned(value >>> 7)]

const signed = (value: number): ReadonlyArray<number> =>
  value >= -64 && value < 64 ? [value & 127] : [value & 127 | 128, ...signed(value >> 7)]

/** A module that this rewriter cannot read. */
export class MeterError extends Error {}

class Reader {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  byte(): number {
    const value = this.bytes[this.at++]
    if (value === undefined) throw new MeterError("the module ends too early")
    return value
  }

  /** Reads a LEB128 number; of a signed one or one of 64 bits only the length is right. */
  number(): number {
    let value = 0
    for (let shift = 0;; shift += 7) {
      const byte = this.byte()
      if (shift < 32) value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
  }

  skip(count: number): void {
    this.at += count
    if (this.at > this.bytes.length) throw new MeterError("the module ends too early")
  }

  text(): string {
    const length = this.number()
    const from = this.at
    this.skip(length)
    return new TextDecoder().decode(this.bytes.subarray(from, this.at))
  }
}

class Writer {
  #bytes: Uint8Array<ArrayBuffer>
  #used = 0

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  put(bytes: ArrayLike<number>): void {
    if (this.#used + bytes.length > this.#bytes.length) {
      const grown = new Uint8Array((this.#used + bytes.length) * 2)
      grown.set(this.#bytes.subarray(0, this.#used))
      this.#bytes = grown
    }
    this.#bytes.set(bytes, this.#used)
    this.#used += bytes.length
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#used)
  }
}

/** Moves the reader behind the immediates of an instruction with the prefix 0xfc; returns its number. */
const skipPrefixed = (reader: Reader): number => {
  const operation = reader.number()
  if (operation > 17) throw new MeterError(`the instruction 0xfc ${operation} is unknown`)
  const immediates = operation < 8 ? 0 : [8, memoryCopy, 12, 14].includes(operation) ? 2 : 1
  for (let index = 0; index < immediates; index++) reader.number()
  return operation
}

/** Moves the reader behind the immediates of an instruction. */
const skipImmediates = (reader: Reader, opcode: number): void => {
  if (opcode >= Opcode.block && opcode <= Opcode.if) reader.number()
  else if (opcode === 0x0c || opcode === 0x0d || opcode === Opcode.call) reader.number()
  else if (opcode === 0x0e) { for (let left = reader.number() + 1; left > 0; left--) reader.number() }
  else if (opcode === 0x11) { for (let left = 2; left > 0; left--) reader.number() }
  else if (opcode === 0x1c) reader.skip(reader.number())
  else if (opcode >= 0x20 && opcode <= 0x26) reader.number()
  else if (opcode >= 0x28 && opcode <= 0x3e) {
    if ((reader.number() & 64) !== 0) throw new MeterError("several memories are unknown")
    reader.number()
  } else if (opcode === 0x3f || opcode === 0x40 || opcode === i32Const || opcode === 0x42) reader.number()
  else if (opcode === 0x43) reader.skip(4)
  else if (opcode === 0x44) reader.skip(8)
  else if (opcode === 0xd0 || opcode === 0xd2) reader.number()
  // Tail calls (0x12, 0x13) among them, by which functions loop without a loop.
  else if (
    opcode > 0xc4 && opcode !== 0xd1 || opcode > 0x05 && opcode < 0x0b || opcode > 0x11 && opcode < 0x1a ||
    opcode > 0x1c && opcode < 0x20 || opcode === 0x27
  ) {
    throw new MeterError(`the instruction 0x${opcode.toString(16)} is unknown`)
  }
}

interface Imports {
  readonly globals: number
  /** Indexes of functions. */
  readonly check: number
  readonly wait: number
}

interface Insertions {
  /** Put at the start of each loop: counts, and calls the imports when nothing is left. */
  readonly loop: ReadonlyArray<number>
  /** Put before a copy or a fill, whose length is on the stack. */
  readonly bulk: ReadonlyArray<number>
}

const makeInsertions = (firstGlobal: number, { check, wait }: Imports): Insertions => {
  const [left, length] = [unsigned(firstGlobal), unsigned(firstGlobal + 1)]
  // deno-fmt-ignore
  return {
    loop: [
      globalGet, ...left, i32Const, 1, subtract, globalSet, ...left,
      globalGet, ...left, i32Const, 0, leSigned, Opcode.if, 0x40,
      i32Const, ...signed(iterationsPerCall), globalSet, ...left,
      Opcode.call, ...unsigned(check), Opcode.if, 0x40,
      i32Const, 0, Opcode.call, ...unsigned(wait), Opcode.drop, Opcode.end, Opcode.end,
    ],
    bulk: [
      globalSet, ...length,
      globalGet, ...left, globalGet, ...length, i32Const, bytesShift, shiftRight, subtract, globalSet, ...left,
      globalGet, ...length,
    ],
  }
}

/** Rewrites the body of a function, locals included. */
const rewriteBody = (body: Uint8Array, { bulk, loop }: Insertions): Uint8Array => {
  const reader = new Reader(body)
  const writer = new Writer(body.length * 2)
  for (let groups = reader.number(); groups > 0; groups--) {
    reader.number()
    reader.byte()
  }
  let copied = 0
  const insert = (at: number, instructions: ReadonlyArray<number>): void => {
    writer.put(body.subarray(copied, at))
    writer.put(instructions)
    copied = at
  }
  while (reader.at < body.length) {
    const start = reader.at
    const opcode = reader.byte()
    if (opcode === 0xfc) {
      const operation = skipPrefixed(reader)
      if (operation === memoryCopy || operation === memoryFill) insert(start, bulk)
      continue
    }
    skipImmediates(reader, opcode)
    if (opcode === Opcode.loop) insert(reader.at, loop)
  }
  writer.put(body.subarray(copied))
  return writer.finish()
}

const readImports = (reader: Reader, { check, wait }: MeterImports): Imports => {
  let [functions, globals] = [0, 0]
  const indexes = new Map<string, number>()
  for (let left = reader.number(); left > 0; left--) {
    reader.text()
    const name = reader.text()
    const kind = reader.byte()
    if (kind === 0) {
      indexes.set(name, functions++)
      reader.number()
    } else if (kind === 3) {
      globals++
      reader.skip(2)
    } else throw new MeterError(`the import ${name} is neither a function nor a global`)
  }
  const find = (name: string): number => {
    const index = indexes.get(name)
    if (index === undefined) throw new MeterError(`the import ${name} is missing`)
    return index
  }
  return { globals, check: find(check), wait: find(wait) }
}

/** Names of imported functions that counted loops call. */
export interface MeterImports {
  /** `[] -> [i32]`; returns whether to call `wait`. */
  readonly check: string
  /** `[i32] -> [i32]`. */
  readonly wait: string
}

/** Returns the module with counted loops. Throws a `MeterError` for a module with instructions that it does not know. */
export const meterWasm = (module: Uint8Array, names: MeterImports): Uint8Array<ArrayBuffer> => {
  const reader = new Reader(module, 8)
  const writer = new Writer(module.length * 1.25)
  writer.put(module.subarray(0, 8))
  const section = (id: number, ...parts: ReadonlyArray<ArrayLike<number>>): void => {
    writer.put([id, ...unsigned(parts.reduce((sum, part) => sum + part.length, 0))])
    for (const part of parts) writer.put(part)
  }
  let imports: Imports | undefined
  let insertions: Insertions | undefined
  while (reader.at < module.length) {
    const id = reader.byte()
    const length = reader.number()
    const content = new Reader(module.subarray(reader.at, reader.at + length))
    reader.skip(length)
    if (id === Section.import) imports = readImports(new Reader(content.bytes), names)
    if (id === Section.global && imports !== undefined) {
      const count = content.number()
      insertions = makeInsertions(imports.globals + count, imports)
      const counter = [0x7f, 1, i32Const, ...signed(iterationsPerCall), Opcode.end]
      section(id, unsigned(count + 2), content.bytes.subarray(content.at), counter, counter)
    } else if (id === Section.code) {
      if (insertions === undefined) throw new MeterError("the module has no imports or no globals")
      const bodies: Array<ArrayLike<number>> = []
      const count = content.number()
      for (let left = count; left > 0; left--) {
        const size = content.number()
        const from = content.at
        content.skip(size)
        const body = rewriteBody(content.bytes.subarray(from, content.at), insertions)
        bodies.push(unsigned(body.length), body)
      }
      section(id, unsigned(count), ...bodies)
    } else if (id !== 0) section(id, content.bytes)
  }
  return writer.finish()
}
