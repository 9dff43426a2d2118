/**
 * Rewrites a WASM binary so that another thread can stop it and see its memory: adds stop checks to its loops and
 * functions, makes its memory a shared import, and refuses binaries that do not permit this.
 *
 * `Worker.terminate()` does not end a WASM computation on Bun 1.4 and Deno 2.9 (on Deno no computation at all), so the
 * program has to check by itself: each loop, and each function that calls others, starts with a check of a word in a
 * second memory that the program cannot reach. Once it is not 0, the program traps; no exception handler catches a
 * trap.
 * Source: WebAssembly core specification 3.0, 5.4 "Instructions" and 5.5 "Modules".
 */
import { concatBytes } from "../../base/bytes.ts"
import {
  encodeLeb128,
  encodeName,
  ImportKind,
  importMemory,
  type PreparedBinary,
  readSections,
  Section,
  WasmReader,
} from "../process/wasmBinary.ts"
import { skipInstruction } from "./skipInstruction.ts"
import { NotIsolable } from "./NotIsolable.ts"

const Opcode = { loop: 0x03, end: 0x0b, call: 0x10, returnCallRef: 0x15 } as const

/** Maximum pages of a memory with 32-bit addresses. */
const maxPages = 65_536

/** The memory import with the word that stops the program. */
export const stopMemory = { module: "sluice", name: "stop" } as const

/**
 * The check: `(if (i32.atomic.load 1 (i32.const 0)) (then unreachable))`. Atomic, so that no engine moves the read out of the
 * loop.
 */
const stopCheck = Uint8Array.of(0x41, 0, 0xfe, 0x10, 0x42, 1, 0, 0x04, 0x40, 0x00, 0x0b)

/** Rewrites the imports: the program's memory becomes shared, and the stop memory follows. */
const sharedImports = (bytes: Uint8Array, start: number, end: number): ReadonlyArray<ArrayLike<number>> => {
  const reader = new WasmReader(bytes, start)
  const count = reader.number()
  const parts: Array<ArrayLike<number>> = [encodeLeb128(count + 1)]
  let from = reader.at
  for (let index = 0; index < count; index++) {
    reader.name()
    reader.name()
    if (reader.skipImport(reader.byte())) continue
    parts.push(bytes.subarray(from, reader.at))
    const { maximum = maxPages, minimum } = reader.limits()
    parts.push([3, ...encodeLeb128(minimum), ...encodeLeb128(maximum)])
    from = reader.at
  }
  const stop = [...encodeName(stopMemory.module), ...encodeName(stopMemory.name), ImportKind.memory, 3, 1, 1]
  return [...parts, bytes.subarray(from, end), stop]
}

/** Adds stop checks to a function. `start` is the offset of its local declarations. */
const addStopChecks = (bytes: Uint8Array, start: number, end: number): ReadonlyArray<ArrayLike<number>> => {
  const reader = new WasmReader(bytes, start)
  for (let groups = reader.number(); groups > 0; groups--) {
    reader.number()
    reader.type()
  }
  const entry = reader.at
  const places: Array<number> = []
  let calls = false
  while (reader.at < end) {
    const opcode = reader.byte()
    skipInstruction(reader, opcode)
    if (opcode === Opcode.loop) places.push(reader.at)
    else if (opcode >= Opcode.call && opcode <= Opcode.returnCallRef) calls = true
  }
  if (reader.at !== end) throw new NotIsolable("the program has a function that does not end at its stated size")
  if (calls) places.unshift(entry)
  const parts: Array<ArrayLike<number>> = []
  let from = start
  for (const place of places) {
    parts.push(bytes.subarray(from, place), stopCheck)
    from = place
  }
  return [encodeLeb128(end - start + places.length * stopCheck.length), ...parts, bytes.subarray(from, end)]
}

const addStopChecksToCode = (bytes: Uint8Array, start: number, end: number): ReadonlyArray<ArrayLike<number>> => {
  const reader = new WasmReader(bytes, start)
  const count = reader.number()
  const parts: Array<ArrayLike<number>> = [encodeLeb128(count)]
  for (let index = 0; index < count; index++) {
    const size = reader.number()
    for (const part of addStopChecks(bytes, reader.at, reader.at + size)) parts.push(part)
    reader.at += size
  }
  if (reader.at !== end) throw new NotIsolable("the program's code does not end at its stated size")
  return parts
}

/** Makes a program stoppable. Its memory becomes a shared one, which the kernel supplies. */
export const makeStoppable = (source: Uint8Array<ArrayBuffer>): PreparedBinary => {
  const { bytes, memory } = importMemory(source)
  // Invalid programs are reported when they are compiled.
  if (!WebAssembly.validate(bytes)) return { bytes, memory }
  if (memory === undefined) {
    throw new NotIsolable("the program has no memory of its own that can be shared between threads")
  }
  if (memory.module === stopMemory.module && memory.name === stopMemory.name) {
    throw new NotIsolable("the program imports the memory that stops it")
  }
  const parts: Array<ArrayLike<number>> = [bytes.subarray(0, 8)]
  for (const { body, end, id, start } of readSections(bytes)) {
    const changed = id === Section.import
      ? concatBytes(sharedImports(bytes, body, end))
      : id === Section.code
      ? concatBytes(addStopChecksToCode(bytes, body, end))
      : undefined
    if (changed !== undefined) parts.push([id], encodeLeb128(changed.length), changed)
    // Custom sections hold code offsets that have changed.
    else if (id !== Section.custom) parts.push(bytes.subarray(start, end))
  }
  return { bytes: concatBytes(parts), memory }
}
