/**
 * Rewrites a WASM module so that each loop counts down and calls an import when the count is used up: then native loops of the
 * engine (`join` of a sparse array, a search in a long text) can be suspended and ended, which its own interrupt handler does not
 * reach. A second import, which may suspend the stack, is called if the first one asks for it, since a suspending import can only be
 * called within a promising export. `makeStoppable` is for programs in workers, whose memory another thread can write to.
 * Source: WebAssembly 2.0, chapter 5, binary format.
 */
import { concatBytes } from "../../../base/bytes.ts"
import {
  encodeLeb128,
  ImportKind,
  readSections,
  Section,
  UnknownBinaryError,
  WasmReader,
} from "../../process/wasmBinary.ts"
import { NotIsolable } from "../../worker/NotIsolable.ts"
import { skipInstruction } from "../../worker/skipInstruction.ts"

/** Iterations of loops between two calls of the import, well under a millisecond. */
const iterationsPerCall = 30_000
/** A copy or fill costs an iteration for each 256 bytes. */
const bytesShift = 8

const Opcode = { loop: 0x03, if: 0x04, end: 0x0b, call: 0x10, drop: 0x1a, bulk: 0xfc } as const
const [globalGet, globalSet, i32Const, leSigned, subtract, shiftRight] = [0x23, 0x24, 0x41, 0x4c, 0x6b, 0x76]
const [memoryCopy, memoryFill] = [10, 11]

/** Not in it: tail calls, by which functions loop without a loop, exceptions, vectors and atomic instructions. */
const counted: ReadonlyArray<readonly [from: number, to: number]> = [
  [0x00, 0x05],
  [0x0b, 0x11],
  [0x1a, 0x1c],
  [0x20, 0x26],
  [0x28, 0xc4],
  [0xd0, 0xd2],
  [Opcode.bulk, Opcode.bulk],
]

/** A module that this rewriter cannot read. */
export class MeterError extends Error {}

/** Encodes a number of `i32.const`. */
const signed = (value: number): ReadonlyArray<number> =>
  value >= -64 && value < 64 ? [value & 127] : [value & 127 | 128, ...signed(value >> 7)]

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
  const [left, length] = [encodeLeb128(firstGlobal), encodeLeb128(firstGlobal + 1)]
  // deno-fmt-ignore
  return {
    loop: [
      globalGet, ...left, i32Const, 1, subtract, globalSet, ...left,
      globalGet, ...left, i32Const, 0, leSigned, Opcode.if, 0x40,
      i32Const, ...signed(iterationsPerCall), globalSet, ...left,
      Opcode.call, ...encodeLeb128(check), Opcode.if, 0x40,
      i32Const, 0, Opcode.call, ...encodeLeb128(wait), Opcode.drop, Opcode.end, Opcode.end,
    ],
    bulk: [
      globalSet, ...length,
      globalGet, ...left, globalGet, ...length, i32Const, bytesShift, shiftRight, subtract, globalSet, ...left,
      globalGet, ...length,
    ],
  }
}

/** Rewrites a function: its size, its locals and its instructions. `start` is the offset of its locals. */
const meterFunction = (bytes: Uint8Array, start: number, end: number, { bulk, loop }: Insertions): Uint8Array => {
  const reader = new WasmReader(bytes, start)
  for (let groups = reader.number(); groups > 0; groups--) {
    reader.number()
    reader.type()
  }
  const parts: Array<ArrayLike<number>> = []
  let copied = start
  const insert = (at: number, instructions: ReadonlyArray<number>): void => {
    parts.push(bytes.subarray(copied, at), instructions)
    copied = at
  }
  while (reader.at < end) {
    const at = reader.at
    const opcode = reader.byte()
    if (!counted.some(([from, to]) => from <= opcode && opcode <= to)) {
      throw new MeterError(`the instruction 0x${opcode.toString(16)} is unknown`)
    }
    skipInstruction(reader, opcode)
    if (opcode === Opcode.loop) insert(reader.at, loop)
    else if (opcode === Opcode.bulk) {
      const operation = new WasmReader(bytes, at + 1).number()
      if (operation === memoryCopy || operation === memoryFill) insert(at, bulk)
    }
  }
  parts.push(bytes.subarray(copied, end))
  const body = concatBytes(parts)
  return concatBytes([encodeLeb128(body.length), body])
}

const readImports = (reader: WasmReader, { check, wait }: MeterImports): Imports => {
  let [functions, globals] = [0, 0]
  const indexes = new Map<string, number>()
  for (let left = reader.number(); left > 0; left--) {
    reader.name()
    const name = reader.name()
    const kind = reader.byte()
    if (kind === ImportKind.function) indexes.set(name, functions++)
    else if (kind === ImportKind.global) globals++
    if (!reader.skipImport(kind)) throw new MeterError(`the import ${name} is a memory, or of an unknown kind`)
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

const rewrite = (module: Uint8Array, names: MeterImports): Uint8Array<ArrayBuffer> => {
  const parts: Array<ArrayLike<number>> = [module.subarray(0, 8)]
  let imports: Imports | undefined
  let insertions: Insertions | undefined
  for (const { body, end, id, start } of readSections(module)) {
    if (end > module.length) throw new UnknownBinaryError()
    const reader = new WasmReader(module, body)
    let content: ReadonlyArray<ArrayLike<number>> | undefined
    if (id === Section.import) imports = readImports(reader, names)
    else if (id === Section.global && imports !== undefined) {
      const count = reader.number()
      insertions = makeInsertions(imports.globals + count, imports)
      const counter = [0x7f, 1, i32Const, ...signed(iterationsPerCall), Opcode.end]
      content = [encodeLeb128(count + 2), module.subarray(reader.at, end), counter, counter]
    } else if (id === Section.code) {
      if (insertions === undefined) throw new MeterError("the module has no imports or no globals")
      const functions: Array<ArrayLike<number>> = []
      const count = reader.number()
      for (let left = count; left > 0; left--) {
        const size = reader.number()
        functions.push(meterFunction(module, reader.at, reader.at + size, insertions))
        reader.at += size
      }
      content = [encodeLeb128(count), ...functions]
    }
    // Custom sections hold code offsets that have changed.
    if (id === Section.custom) continue
    if (content === undefined) parts.push(module.subarray(start, end))
    else {
      const bytes = concatBytes(content)
      parts.push([id], encodeLeb128(bytes.length), bytes)
    }
  }
  return concatBytes(parts)
}

/** Returns the module with counted loops. Throws a `MeterError` for a module with instructions that it does not know. */
export const meterWasm = (module: Uint8Array, names: MeterImports): Uint8Array<ArrayBuffer> => {
  try {
    return rewrite(module, names)
  } catch (cause) {
    if (cause instanceof UnknownBinaryError) throw new MeterError("the module ends too early")
    if (cause instanceof NotIsolable) throw new MeterError(cause.message)
    throw cause
  }
}
