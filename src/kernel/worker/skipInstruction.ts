/**
 * Skips over WASM instructions, and refuses those that are unknown or that wait for other threads.
 * Source: WebAssembly core specification 3.0, 5.4 "Instructions", without garbage collection; the threads proposal.
 */
import type { WasmReader } from "../process/wasmBinary.ts"
import { NotIsolable } from "./NotIsolable.ts"

/** Skips an alignment, a memory index if its bit 6 is set, and an offset. */
const memoryArgument = (reader: WasmReader): void => {
  if ((reader.number() & 64) !== 0) reader.number()
  reader.leb()
}

const numbers = (reader: WasmReader, count: number): void => {
  for (let left = count; left > 0; left--) reader.number()
}

/** Skips the labels of `br_table`: a list and a default. */
const table = (reader: WasmReader): void => numbers(reader, reader.number() + 1)

const types = (reader: WasmReader): void => {
  for (let left = reader.number(); left > 0; left--) reader.type()
}

/** Skips the catch clauses of `try_table`: each a label, some with a tag. */
const tryTable = (reader: WasmReader): void => {
  reader.type()
  for (let left = reader.number(); left > 0; left--) numbers(reader, reader.byte() < 2 ? 2 : 1)
}

/** Number of indexes after each opcode of 0xfc. */
const bulkIndexes: ReadonlyArray<number> = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1]

const vector = (reader: WasmReader): void => {
  const code = reader.number()
  if (code <= 11 || (code >= 84 && code <= 93)) memoryArgument(reader)
  if (code === 12 || code === 13) reader.at += 16
  else if ((code >= 21 && code <= 34) || (code >= 84 && code <= 91)) reader.at++
}

const atomic = (reader: WasmReader): void => {
  const code = reader.number()
  // No other thread would wake the program, and no stop check would run.
  if (code === 1 || code === 2) throw new NotIsolable("the program waits for other threads")
  if (code === 3) reader.at++
  else memoryArgument(reader)
}

/** Skips an instruction of 0xfc: saturating conversions, bulk memory and tables. */
const bulk = (reader: WasmReader): void => {
  const code = reader.number()
  const count = bulkIndexes[code]
  if (count === undefined) throw unknown(0xfc)
  numbers(reader, count)
}

const unknown = (opcode: number): NotIsolable =>
  new NotIsolable(`the program has an instruction that is not known (0x${opcode.toString(16)})`)

type SkipOperands = (reader: WasmReader) => void

const nothing: SkipOperands = () => {}
const oneIndex: SkipOperands = (reader) => void reader.number()
const twoIndexes: SkipOperands = (reader) => numbers(reader, 2)
const type: SkipOperands = (reader) => reader.type()
const constant: SkipOperands = (reader) => reader.leb()

const ranges: ReadonlyArray<readonly [from: number, to: number, skip: SkipOperands]> = [
  [0x00, 0x01, nothing], // unreachable, nop
  [0x02, 0x04, type], // block, loop, if
  [0x05, 0x05, nothing], // else
  [0x06, 0x06, type], // try
  [0x07, 0x09, oneIndex], // catch, throw, rethrow
  [0x0a, 0x0b, nothing], // throw_ref, end
  [0x0c, 0x0d, oneIndex], // br, br_if
  [0x0e, 0x0e, table], // br_table
  [0x0f, 0x0f, nothing], // return
  [0x10, 0x10, oneIndex], // call
  [0x11, 0x11, twoIndexes], // call_indirect
  [0x12, 0x12, oneIndex], // return_call
  [0x13, 0x13, twoIndexes], // return_call_indirect
  [0x14, 0x15, oneIndex], // call_ref, return_call_ref
  [0x18, 0x18, oneIndex], // delegate
  [0x19, 0x1b, nothing], // catch_all, drop, select
  [0x1c, 0x1c, types], // select with types
  [0x1f, 0x1f, tryTable], // try_table
  [0x20, 0x26, oneIndex], // locals, globals, tables
  [0x28, 0x3e, memoryArgument], // loads and stores
  [0x3f, 0x40, oneIndex], // memory.size, memory.grow
  [0x41, 0x42, constant], // i32.const, i64.const
  [0x43, 0x43, (reader) => void (reader.at += 4)], // f32.const
  [0x44, 0x44, (reader) => void (reader.at += 8)], // f64.const
  [0x45, 0xc4, nothing], // arithmetic
  [0xd0, 0xd0, type], // ref.null
  [0xd1, 0xd1, nothing], // ref.is_null
  [0xd2, 0xd2, oneIndex], // ref.func
  [0xd3, 0xd4, nothing], // ref.eq, ref.as_non_null
  [0xd5, 0xd6, oneIndex], // br_on_null, br_on_non_null
  [0xfc, 0xfc, bulk],
  [0xfd, 0xfd, vector],
  [0xfe, 0xfe, atomic],
]

const operands: ReadonlyArray<SkipOperands | undefined> = Array.from(
  { length: 256 },
  (_, opcode) => ranges.find(([from, to]) => from <= opcode && opcode <= to)?.[2],
)

export const skipInstruction = (reader: WasmReader, opcode: number): void => {
  const skip = operands[opcode]
  if (skip === undefined) throw unknown(opcode)
  skip(reader)
}
