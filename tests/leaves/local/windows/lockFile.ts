/**
 * Opens a file as another program on Windows would, with what it lets others do meanwhile.
 *
 * Source: Microsoft, "CreateFileW", "Creating and Opening Files".
 */
import { type Signature, systemLibrary, wideText } from "./systemLibrary.ts"

interface Functions {
  readonly CreateFileW: (
    path: Uint8Array<ArrayBuffer>,
    access: number,
    share: number,
    security: bigint,
    disposition: number,
    flags: number,
    template: bigint,
  ) => bigint
  readonly CloseHandle: (handle: bigint) => number
}

const signatures: Readonly<Record<string, Signature>> = {
  CreateFileW: [["buffer", "u32", "u32", "u64", "u32", "u32", "u64"], "u64"],
  CloseHandle: [["u64"], "i32"],
}

const isFunctions = (u: unknown): u is Functions => typeof u === "object" && u !== null && "CreateFileW" in u

const GENERIC_READ = 0x8000_0000
const OPEN_EXISTING = 3
const shares = { nothing: 0, read: 1, write: 2, delete: 4 } as const

/** What others may do with a file meanwhile. */
export type Share = keyof typeof shares

const functions = systemLibrary("kernel32.dll", signatures)

/** Opens a file; the result closes it. `undefined` where that cannot be done. */
export const lockFile: ((path: string, ...share: ReadonlyArray<Share>) => () => void) | undefined =
  isFunctions(functions)
    ? (path, ...share) => {
      const mode = share.reduce((sum, each) => sum | shares[each], 0)
      const handle = functions.CreateFileW(wideText(path), GENERIC_READ, mode, 0n, OPEN_EXISTING, 0, 0n)
      if (BigInt.asIntN(64, handle) === -1n) throw new Error(`${path} cannot be opened`)
      return () => void functions.CloseHandle(handle)
    }
    : undefined
