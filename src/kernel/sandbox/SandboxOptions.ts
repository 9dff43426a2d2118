/**
 * What a sandbox is made of.
 *
 * @module
 */
import type { DurationInput } from "../../base/duration.ts"
import type { Volume } from "../fs/Node.ts"
import type {
  Extensions,
  Isolation,
  KernelClock,
  KernelLimits,
  MakeWorker,
  NetworkPolicy,
  Preopens,
  ProgramSource,
} from "../Kernel.ts"

/** Limits of a sandbox: those of its kernel, and some of its own. */
export interface SandboxLimits extends KernelLimits {
  /** Bytes that one run may write on both outputs together. Default: 67,108,864. */
  readonly outputBytes: number
  /**
   * Bytes of all files in memory, and, counted apart, what the files of writable host folders may grow by together: what
   * is removed makes room. More is `-ENOSPC`. Default: 1,073,741,824.
   */
  readonly fileBytes: number
  /** Files, folders and links in memory. More is `-ENOSPC`. Default: 262,144. */
  readonly files: number
}

/** A file that a sandbox starts with. */
export interface SandboxFile {
  readonly content: string | Uint8Array
  /** Permission bits. Default: `0o644`. */
  readonly mode?: number | undefined
}

/** What a sandbox is made of. Everything has a default. */
export interface SandboxOptions {
  /** Files by path, text as UTF-8; a relative path starts at `cwd`. Folders on the way are made. */
  readonly files?: Readonly<Record<string, string | Uint8Array | SandboxFile>> | undefined
  /**
   * Programs by name: a WASI program as bytes or as a module, or either as `{ source, isolate, preopens }`, or one in
   * TypeScript.
   * They seem to be in `/bin` and `/usr/bin`, and come before those of the same name that the sandbox brings along.
   */
  readonly programs?: Readonly<Record<string, ProgramSource>> | undefined
  /**
   * Functions of the host as commands, by name: they are run by scripts, pipelines and programs like any other
   * command, and called by programs that import `host_extension_invoke`. They run in the host, also with `isolate`, and
   * come before programs of the same name. See {@link Extension}. Default: none.
   */
  readonly extensions?: Extensions | undefined
  /** Names of programs, and absolute paths of program files, that may start. Default: all. */
  readonly allow?: Iterable<string> | undefined
  /** Volumes by the absolute path where they are seen. Default: memory everywhere, and devices at `/dev`. */
  readonly mounts?: Readonly<Record<string, Volume>> | undefined
  /** The environment, beside `PATH`, `HOME`, `USER` and `TMPDIR`, which it may replace. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** The working directory of the first run; it is made when it is not there. Default: `/home/user`. */
  readonly cwd?: string | undefined
  /** Those that are left out have their defaults. */
  readonly limits?: Partial<SandboxLimits> | undefined
  /** Which origins programs may ask that import `host_network_fetch`. Default: none. */
  readonly network?: NetworkPolicy | undefined
  /** Longest run of those that name none. Default: no limit. */
  readonly timeout?: DurationInput | undefined
  /** The time that processes see; `programClock` gives that of the program. Default: that of the machine. */
  readonly clock?: KernelClock | undefined
  /** Fills with random bytes. Default: the host's generator. */
  readonly random?: ((into: Uint8Array) => void) | undefined
  /**
   * Runs every WASM program in one go, once what it reads is complete, as it must be where the runtime cannot suspend
   * WASM (JSPI). Default: only there.
   */
  readonly sequential?: boolean | undefined
  /**
   * Where WASM programs run that do not say so themselves: `"none"` is in place. In a `"worker"`, a program that computes
   * and makes no call can be ended, and keeps nobody from running; it takes milliseconds to start. Where there are no
   * workers or no memory to share with them, the sandbox is not made: `NotIsolable`. Default: `"none"`.
   */
  readonly isolate?: Isolation | undefined
  /** Folders that WASM programs are given that do not say so themselves. Default: the whole tree, `{ "/": "/" }`. */
  readonly preopens?: Preopens | undefined
  /** Who makes workers. Default: the host: `Worker`, or `node:worker_threads`. */
  readonly workers?: MakeWorker | undefined
}
