/**
 * Parses command lines by CommandLineToArgvW of the system itself.
 *
 * Source: Microsoft, "CommandLineToArgvW".
 */
import { type Signature, systemLibrary, wideText } from "./systemLibrary.ts"

type Bytes = Uint8Array<ArrayBuffer>

interface Functions {
  readonly CommandLineToArgvW: (line: Bytes, count: Bytes) => bigint
  readonly LocalFree: (memory: bigint) => bigint
  readonly RtlMoveMemory: (to: Bytes, from: bigint, length: bigint) => void
  readonly lstrlenW: (text: bigint) => number
}

const shell32: Readonly<Record<string, Signature>> = { CommandLineToArgvW: [["buffer", "buffer"], "u64"] }

const kernel32: Readonly<Record<string, Signature>> = {
  LocalFree: [["u64"], "u64"],
  RtlMoveMemory: [["buffer", "u64", "usize"], "void"],
  lstrlenW: [["u64"], "i32"],
}

const isFunctions = (u: object): u is Functions => "CommandLineToArgvW" in u && "lstrlenW" in u

const functions = Object.assign({}, systemLibrary("shell32.dll", shell32), systemLibrary("kernel32.dll", kernel32))

const parseWith = (calls: Functions, line: string): ReadonlyArray<string> => {
  const count = new Uint8Array(4)
  const list = calls.CommandLineToArgvW(wideText(line), count)
  if (list === 0n) throw new Error(`CommandLineToArgvW refuses ${line}`)
  const read = (from: bigint, length: number): DataView => {
    const bytes = new Uint8Array(length)
    if (length > 0) calls.RtlMoveMemory(bytes, from, BigInt(length))
    return new DataView(bytes.buffer)
  }
  const length = new DataView(count.buffer).getInt32(0, true)
  const pointers = read(list, 8 * length)
  const words = Array.from({ length }, (_, at) => {
    const from = pointers.getBigUint64(8 * at, true)
    return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(read(from, 2 * calls.lstrlenW(from)))
  })
  calls.LocalFree(list)
  return words
}

/** Parses a command line to its arguments, program name first; `undefined` where the function cannot be called. */
export const parseArgv: ((line: string) => ReadonlyArray<string>) | undefined = isFunctions(functions)
  ? (line) => parseWith(functions, line)
  : undefined
