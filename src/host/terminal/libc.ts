/** Loads functions of the C library through the foreign-function interface of Deno or Bun. */
import { bunFfi, denoFfi, type Ffi, hasFunctions } from "../ffi.ts"

/** Names of the C library: glibc, musl, macOS. */
const files = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"]

const open = ({ dlopen }: Ffi, symbols: Readonly<Record<string, unknown>>): unknown => {
  for (const file of files) {
    try {
      return dlopen(file, symbols).symbols
    } catch {
      // Another C library, or not permitted.
    }
  }
  return undefined
}

type Call<Name extends string, Args extends ReadonlyArray<unknown>> = Readonly<Record<Name, (...args: Args) => unknown>>

type FdCalls =
  & Call<"ioctl", [fd: number, request: bigint]>
  & Call<"write", [fd: number, bytes: Uint8Array, length: bigint]>

const isFdCalls = (u: unknown): u is FdCalls => hasFunctions(u, ["ioctl", "write"])

/** Operations on a descriptor that is not owned by a file of Deno. */
export interface DescriptorCalls {
  /** Keeps the descriptor out of processes that are started later (FD_CLOEXEC). */
  readonly closeOnExec: (fd: number) => boolean
  /** Writes without waiting; returns the number of bytes written, or -1 for none. */
  readonly write: (fd: number, bytes: Uint8Array) => number
}

let denoCalls: DescriptorCalls | undefined | null = null

/** The operations, on Deno with `--allow-ffi` on Linux and macOS; loaded once. */
export const denoDescriptors = (): DescriptorCalls | undefined => denoCalls === null ? denoCalls = load() : denoCalls

/** FIOCLEX of ioctl(2). Not fcntl(2), whose last argument is passed differently on macOS. */
const closeOnExec: Readonly<Record<string, bigint>> = { linux: 0x5451n, darwin: 0x2000_6601n }

const load = (): DescriptorCalls | undefined => {
  const deno = denoFfi()
  const request = deno === undefined ? undefined : closeOnExec[deno.build.os]
  if (deno === undefined || request === undefined) return undefined
  const calls = open(deno, {
    ioctl: { parameters: ["i32", "u64"], result: "i32" },
    write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  })
  if (!isFdCalls(calls)) return undefined
  return {
    closeOnExec: (fd) => calls.ioctl(fd, request) === 0,
    write: (fd, bytes) => Number(calls.write(fd, bytes, BigInt(bytes.length))),
  }
}

type FlowCall = Call<"tcflow", [fd: number, action: number]>

const isFlowCall = (u: unknown): u is FlowCall => hasFunctions(u, ["tcflow"])

/** Suspends or resumes the output of the programs on a terminal, tcflow(3). */
export type SetFlow = (fd: number, flows: boolean) => void

let bunFlow: SetFlow | undefined | null = null

/** tcflow(3), on Bun on Linux; loaded once. */
export const bunTerminalFlow = (): SetFlow | undefined => bunFlow === null ? bunFlow = loadFlow() : bunFlow

const loadFlow = (): SetFlow | undefined => {
  const ffi = bunFfi()
  if (ffi === undefined) return undefined
  const calls = open(ffi, { tcflow: { args: ["i32", "i32"], returns: "i32" } })
  if (!isFlowCall(calls)) return undefined
  const [TCOOFF, TCOON] = [0, 1]
  return (fd, flows) => void calls.tcflow(fd, flows ? TCOON : TCOOFF)
}
