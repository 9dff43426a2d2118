/** Declares the options and limits of a sandbox, and resolves the limits into settings with their defaults. */
import type * as Effect from "effect/Effect"
import type { DurationInput } from "../../base/duration.ts"
import { requireCounts } from "../../base/OptionError.ts"
import type { Volume } from "../fs/Node.ts"
import type { Extensions } from "../process/Extension.ts"
import type { Isolation, Preopens, ProgramSource } from "../process/Programs.ts"
import type { KernelClock } from "../process/KernelClock.ts"
import { kernelLimitNames, type KernelLimits, resolveKernelLimits } from "../process/KernelLimits.ts"
import type { MakeWorker } from "../worker/HostWorker.ts"
import type { SandboxError } from "./SandboxError.ts"
import type { NetworkPolicy } from "../network/NetworkPolicy.ts"

/** Limits of a sandbox: whole numbers, or `Infinity`. */
export interface SandboxLimits extends KernelLimits {
  /** Maximum bytes that one run may write to both outputs together. Default: 67,108,864. */
  readonly maxOutputBytes?: number | undefined
  /**
   * Maximum bytes of all files in memory; and separately, bytes by which the files of writable host folders may grow in
   * total. Removing files makes room. Beyond it writes fail with `ENOSPC`. Default: 1,073,741,824.
   */
  readonly maxTotalFileBytes?: number | undefined
  /** Maximum number of files, folders and links in memory. Beyond it creating fails with `ENOSPC`. Default: 262,144. */
  readonly maxFiles?: number | undefined
}

type CountName = Exclude<keyof SandboxLimits, keyof KernelLimits>

/** The limits of a sandbox with their defaults; the limits of its kernel are checked, but not filled in. */
export interface SandboxLimitSettings extends Readonly<Record<CountName, number>> {
  readonly kernel: KernelLimits
}

/** Default of each limit that a kernel does not have. */
const counts: Readonly<Record<CountName, number>> = {
  maxOutputBytes: 67_108_864,
  maxTotalFileBytes: 1_073_741_824,
  maxFiles: 262_144,
}

/** Fills in the defaults. Throws an `OptionError` for an unknown or invalid limit. */
export const resolveSandboxLimits = (where: string, limits: SandboxLimits = {}): SandboxLimitSettings => {
  resolveKernelLimits(where, limits, { ...kernelLimitNames, ...counts })
  const { maxFiles, maxOutputBytes, maxTotalFileBytes, ...kernel } = limits
  return { kernel, ...requireCounts(where, "limits.", { maxFiles, maxOutputBytes, maxTotalFileBytes }, counts) }
}

/**
 * A function that returns the content of a file when it is first read: text as UTF-8 or bytes, directly, as a promise
 * or as an Effect. It is called once for all readers and all forks of the sandbox.
 */
export type LazyFileContent = (
  /** Aborted when the sandbox and its forks are closed. */
  signal: AbortSignal,
) => string | Uint8Array | PromiseLike<string | Uint8Array> | Effect.Effect<string | Uint8Array, unknown>

/** An initial file of a sandbox. */
export interface SandboxFile {
  readonly content: string | Uint8Array | LazyFileContent
  /** Size in bytes that `stat` and `ls` show until lazy content is loaded. Default: 0, as in `/proc`. */
  readonly size?: number | undefined
  /** Time of the last change. Default: now. */
  readonly mtime?: Date | undefined
  /** Permission bits. Default: `0o644`. */
  readonly mode?: number | undefined
}

/** Options of a sandbox; every one has a default. */
export interface SandboxOptions {
  /**
   * Initial files by path, text as UTF-8; a relative path starts at `cwd`. Folders on the way are made. A function
   * returns the content of a file when it is first read: see {@link LazyFileContent}. Default: none.
   */
  readonly files?: Readonly<Record<string, string | Uint8Array | LazyFileContent | SandboxFile>> | undefined
  /**
   * Called with the reason when the content of a lazy file cannot be loaded; its reader gets `EIO`. Default: it is logged as
   * a warning.
   */
  readonly onLoadError?: ((error: SandboxError) => void) | undefined
  /**
   * Programs by name: a WASI program as bytes or as a module, or either as `{ source, isolate, preopens }`, or one in
   * TypeScript. They appear in `/bin` and `/usr/bin` and replace default programs of the same name. Default: none.
   */
  readonly programs?: Readonly<Record<string, ProgramSource>> | undefined
  /**
   * Functions of the host as commands, by name. Scripts and pipelines run them like any other command; programs that
   * import `host_extension_invoke` can call them. They run in the host, even with `isolate`, and take precedence over
   * programs of the same name. See {@link Extension}. Default: none.
   */
  readonly extensions?: Extensions | undefined
  /** Programs that may start: names, and absolute paths of program files. Default: all. */
  readonly allow?: Iterable<string> | undefined
  /** Volumes by the absolute path where they are mounted. Default: memory at `/`, and devices at `/dev`. */
  readonly mounts?: Readonly<Record<string, Volume>> | undefined
  /** Environment, added to `PATH`, `HOME`, `USER` and `TMPDIR`, which it may override. Default: empty. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Working directory of the first run; it is made if it does not exist. Default: `/home/user`. */
  readonly cwd?: string | undefined
  /** Limits; omitted ones have their defaults. */
  readonly limits?: SandboxLimits | undefined
  /**
   * The HTTP requests that programs may send: `curl`, `wget`, and WASI programs that import `host_network_fetch`. Default:
   * none.
   */
  readonly network?: NetworkPolicy | undefined
  /** Timeout of runs that name none. Default: no limit. */
  readonly timeout?: DurationInput | undefined
  /** Clock of the processes; see `Sandbox.programClock`. Default: that of the machine. */
  readonly clock?: KernelClock | undefined
  /** Fills an array with random bytes. Default: the host's generator. */
  readonly random?: ((into: Uint8Array) => void) | undefined
  /**
   * Makes runs repeatable: the same scripts give the same bytes on every runtime. The clock is then virtual, random
   * bytes depend only on the seed, and processes continue in an order that does not depend on the time of the host.
   * Cannot be combined with `clock` or `random`. Default: none.
   */
  readonly seed?: number | string | undefined
  /** With `seed`: the time at which the virtual clock starts. Default: 2026-01-01T00:00:00Z. */
  readonly startTime?: Date | number | string | undefined
  /**
   * Runs each WASM program without suspending it, once its input is complete. Default: only on runtimes without JSPI,
   * where it cannot be avoided.
   */
  readonly sequential?: boolean | undefined
  /**
   * The thread of WASM programs whose source names none. In a `"worker"`, a program that computes without making a call
   * can be ended and does not block others; it takes milliseconds to start. On a runtime without workers or shared
   * memory, making the sandbox fails with `NotIsolable`. Default: `"none"`, on the kernel's thread.
   */
  readonly isolate?: Isolation | undefined
  /** Preopens of WASM programs whose source names none. Default: the whole tree, `{ "/": "/" }`. */
  readonly preopens?: Preopens | undefined
  /** Makes workers. Default: `Worker`, or `node:worker_threads`. */
  readonly workers?: MakeWorker | undefined
}
