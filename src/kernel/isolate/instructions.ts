/**
 * Skips over WASM instructions in a binary, by their length.
 *
 * Source: WebAssembly core specification 3.0, 5.4 "Instructions", without garbage collection; the threads proposal.
 *
 * @module
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
const bulk: ReadonlyArray<number> = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1]

/** Skips an instruction of 0xfd: vectors. */
const vector = (reader: WasmReader): void => {
  const code = reader.number()
  if (code <= 11 || (code >= 84 && code <= 93)) memoryArgument(reader)
  if (code === 12 || code === 13) reader.at += 16
  else if ((code >= 21 && code <= 34) || (code >= 84 && code <= 91)) reader.at++
}

/** Skips an instruction of 0xfe: threads. */
const atomic = (reader: WasmReader): void => {
  const code = reader.number()
  // No other thread would wake it, and no stop check would run.
  if (code === 1 || code === 2) throw new NotIsolable("the program waits for other threads")
  if (code === 3) reader.at++
  else memoryArgument(reader)
}

/** Skips the rest of an instruction after its opcode. */
export const skipInstruction = (reader: WasmReader, opcode: number): void => {
  if (opcode >= 0x28 && opcode <= 0x3e) memoryArgument(reader)
  else if ((opcode >= 0x45 && opcode <= 0xc4) || (opcode >= 0x20 && opcode <= 0x26)) {
    if (opcode <= 0x26) reader.number()
  } else {
    switch (opcode) {
      case 0x02: // block
      case 0x03: // loop
      case 0x04: // if
      case 0x06: // try
      case 0xd0: // ref.null
        return reader.type()
      case 0x07: // catch
      case 0x08: // throw
      case 0x09: // rethrow
      case 0x0c: // br
      case 0x0d: // br_if
      case 0x10: // call
      case 0x12: // return_call
      case 0x14: // call_ref
      case 0x15: // return_call_ref
      case 0x18: // delegate
      case 0x3f: // memory.size
      case 0x40: // memory.grow
      case 0xd2: // ref.func
      case 0xd5: // br_on_null
      case 0xd6: // br_on_non_null
        return numbers(reader, 1)
      case 0x11: // call_indirect
      case 0x13: // return_call_indirect
        return numbers(reader, 2)
      case 0x0e:
        return table(reader)
      case 0x1c: // select with types
        return types(reader)
      case 0x1f:
        return tryTable(reader)
      case 0x41: // i32.const
      case 0x42: // i64.const
        return reader.leb()
      case 0x43: // f32.const
        return void (reader.at += 4)
      case 0x44: // f64.const
        return void (reader.at += 8)
      case 0xfc: {
        const count = bulk[reader.number()]
        if (count !== undefined) return numbers(reader, count)
        break
      }
      case 0xfd:
        return vector(reader)
      case 0xfe:
        return atomic(reader)
      case 0x00: // unreachable
      case 0x01: // nop
      case 0x05: // else
      case 0x0a: // throw_ref
      case 0x0b: // end
      case 0x0f: // return
      case 0x19: // catch_all
      case 0x1a: // drop
      case 0x1b: // select
      case 0xd1: // ref.is_null
      case 0xd3: // ref.eq
      case 0xd4: // ref.as_non_null
        return
    }
    throw new NotIsolable(`the program has an instruction that is not known (0x${opcode.toString(16)})`)
  }
}
