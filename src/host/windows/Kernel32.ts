/**
 * Loads the functions of kernel32.dll that job objects need, through the foreign-function interface of Deno or Bun.
 *
 * Handles and pointers that are not buffers are 64-bit numbers; `0n` means none.
 *
 * Source: Microsoft, "Job Objects", "Process and Thread Functions", "Tool Help Library".
 */
import { bunFfi, denoFfi, type Ffi, hasFunctions } from "../ffi.ts"

type Out = Uint8Array<ArrayBuffer>

/** The functions by their own names. BOOLs are numbers, 0 for failure. */
export interface Kernel32 {
  readonly CreateJobObjectW: (attributes: bigint, name: bigint) => bigint
  readonly SetInformationJobObject: (job: bigint, kind: number, info: Out, length: number) => number
  readonly QueryInformationJobObject: (job: bigint, kind: number, info: Out, length: number, used: bigint) => number
  readonly AssignProcessToJobObject: (job: bigint, process: bigint) => number
  readonly TerminateJobObject: (job: bigint, exitCode: number) => number
  readonly TerminateProcess: (process: bigint, exitCode: number) => number
  readonly OpenProcess: (access: number, inherit: number, pid: number) => bigint
  readonly GetExitCodeProcess: (process: bigint, code: Out) => number
  readonly GetProcessTimes: (process: bigint, created: Out, exited: Out, kernel: Out, user: Out) => number
  readonly CreateToolhelp32Snapshot: (flags: number, pid: number) => bigint
  readonly Process32FirstW: (snapshot: bigint, entry: Out) => number
  readonly Process32NextW: (snapshot: bigint, entry: Out) => number
  readonly CloseHandle: (handle: bigint) => number
}

type Kind = "u64" | "u32" | "i32" | "buffer"

const signatures: Readonly<Record<keyof Kernel32, readonly [args: ReadonlyArray<Kind>, returns: Kind]>> = {
  CreateJobObjectW: [["u64", "u64"], "u64"],
  SetInformationJobObject: [["u64", "i32", "buffer", "u32"], "i32"],
  QueryInformationJobObject: [["u64", "i32", "buffer", "u32", "u64"], "i32"],
  AssignProcessToJobObject: [["u64", "u64"], "i32"],
  TerminateJobObject: [["u64", "u32"], "i32"],
  TerminateProcess: [["u64", "u32"], "i32"],
  OpenProcess: [["u32", "i32", "u32"], "u64"],
  GetExitCodeProcess: [["u64", "buffer"], "i32"],
  GetProcessTimes: [["u64", "buffer", "buffer", "buffer", "buffer"], "i32"],
  CreateToolhelp32Snapshot: [["u32", "u32"], "u64"],
  Process32FirstW: [["u64", "buffer"], "i32"],
  Process32NextW: [["u64", "buffer"], "i32"],
  CloseHandle: [["u64"], "i32"],
}

const isKernel32 = (u: unknown): u is Kernel32 => hasFunctions(u, Object.keys(signatures))

/** Loaded once for the whole program. */
let opened: Kernel32 | undefined

const open = (
  { dlopen }: Ffi,
  file: string,
  symbolOf: (args: ReadonlyArray<Kind>, returns: Kind) => unknown,
) => {
  if (opened !== undefined) return opened
  try {
    const symbols: Record<string, unknown> = {}
    for (const [name, [args, returns]] of Object.entries(signatures)) symbols[name] = symbolOf(args, returns)
    const { symbols: loaded } = dlopen(file, symbols)
    opened = isKernel32(loaded) ? loaded : undefined
    return opened
  } catch {
    // Not permitted or not available: `taskkill` ends the trees instead.
    return undefined
  }
}

// The full path: without all permissions Deno searches a bare name in the current directory, and prompts for it.
const fileIn = (systemRoot: string | undefined): string => `${systemRoot ?? "C:\\Windows"}\\System32\\kernel32.dll`

/** Loads the functions with `Deno.dlopen` if `--allow-ffi` is granted, without prompting. */
export const denoKernel32 = (systemRoot: string | undefined): Kernel32 | undefined => {
  const file = fileIn(systemRoot)
  const deno = denoFfi(file)
  if (deno === undefined) return undefined
  return open(deno, file, (parameters, result) => ({ parameters, result }))
}

export const bunKernel32 = (systemRoot: string | undefined): Kernel32 | undefined => {
  const ffi = bunFfi()
  if (ffi === undefined) return undefined
  const kind = (each: Kind): string => each === "buffer" ? "ptr" : each
  return open(ffi, fileIn(systemRoot), (args, returns) => ({ args: args.map(kind), returns: kind(returns) }))
}
