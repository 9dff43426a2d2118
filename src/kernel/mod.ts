/**
 * Makes kernels, which run programs as POSIX-like processes without processes of the host: starts, signals, times out
 * and ends them, finds programs, makes pipes, and exports the kernel's public modules. Programs, volumes and WASI hosts
 * of your own are written against it.
 *
 * No library fits, because ports of operating systems to JavaScript need workers, shared memory or a service worker,
 * which an edge isolate lacks.
 *
 * @module
 */
import { type DurationInput, millisOf } from "../base/duration.ts"
import type { FileSystem } from "./FileSystem.ts"
import type { MakeWorker } from "./worker/HostWorker.ts"
import type { Directory, OpenFile, StopWaiting } from "./OpenFile.ts"
import { extensionProgram } from "./extension/extensionProgram.ts"
import type { Extensions } from "./process/Extension.ts"
import { type KernelClock, systemClock } from "./process/KernelClock.ts"
import { type JobLimits, type KernelLimits, resolveKernelLimits } from "./process/KernelLimits.ts"
import { makeNetwork } from "./network/makeNetwork.ts"
import type { NetworkPolicy } from "./network/NetworkPolicy.ts"
import { makePipe } from "./process/Pipe.ts"
import { systemRandom } from "./systemRandom.ts"
import {
  type Isolation,
  isWasmSource,
  type Preopens,
  type ProgramResolver,
  Programs,
  type ProgramSource,
  requireIsolation,
} from "./process/Programs.ts"
import { KernelProcesses } from "./process/KernelProcesses.ts"
import { isProgram } from "./process/ProgramStarter.ts"
import type { Scheduler } from "./process/Scheduler.ts"
import { type EndReason, type Later, type Pid, Signal, type SpawnRequest, type WaitStatus } from "./System.ts"

export { Errno, errnoName } from "./Errno.ts"
export * as FileSystem from "./public/FileSystem.ts"
export * as KernelClock from "./process/KernelClock.ts"
export * as KernelLimits from "./public/KernelLimits.ts"
export * as OpenFile from "./public/OpenFile.ts"
export * as ProgramSource from "./public/ProgramSource.ts"
export * as ShellProgram from "./public/ShellProgram.ts"
export * as System from "./System.ts"
export * as Volume from "./public/Volume.ts"
export * as Worker from "./public/Worker.ts"

/** Options of a kernel. */
export interface KernelOptions {
  /** The file system that processes see. */
  readonly fileSystem: FileSystem
  /** Programs by name. They appear in `/bin` and `/usr/bin`. */
  readonly programs: Readonly<Record<string, ProgramSource>>
  /**
   * Finds and admits programs instead of `programs`, `extensions` and `allow`.
   *
   * @internal
   */
  readonly resolver?: ProgramResolver | undefined
  /** Programs that may start: names, and absolute paths of program files. Default: all. */
  readonly allow?: Iterable<string> | undefined
  /** Limits; omitted ones have the defaults of {@link KernelLimits}. */
  readonly limits?: KernelLimits | undefined
  /** Environment of processes that the host starts. Default: empty. */
  readonly env?: Iterable<readonly [string, string]> | undefined
  /** Clock of the processes. Default: the machine's. */
  readonly clock?: KernelClock | undefined
  /** Fills an array with random bytes. Default: the host's generator. */
  readonly random?: ((into: Uint8Array) => void) | undefined
  /**
   * Continues the processes. Default: one that gives them slices of the host's time.
   *
   * @internal
   */
  readonly scheduler?: Scheduler | undefined
  /**
   * Functions of the host as commands. They take precedence over programs of the same name; programs that import
   * `host_extension_invoke` can call them. Default: none.
   */
  readonly extensions?: Extensions | undefined
  /**
   * The HTTP requests that programs may send: `curl`, `wget`, and WASI programs that import `host_network_fetch`. Default:
   * none.
   */
  readonly network?: NetworkPolicy | undefined
  /**
   * Runs each WASM program without suspending it, once its input is complete. Default: only on runtimes without JSPI,
   * where it cannot be avoided.
   */
  readonly sequential?: boolean | undefined
  /**
   * The thread of WASM programs whose source names none. In a worker, a program that computes without making a call can
   * be ended and does not block others. On a runtime without workers or shared memory such a program ends at once with
   * the fault `NotIsolable`. Default: `"none"`, on the kernel's thread.
   */
  readonly isolate?: Isolation | undefined
  /** Preopens of WASM programs whose source names none. Default: the whole tree, `{ "/": "/" }`. */
  readonly preopens?: Preopens | undefined
  /** Makes workers. Default: `Worker`, or `node:worker_threads`. */
  readonly workers?: MakeWorker | undefined
}

/** A process for the host to start. */
export interface StartRequest extends Omit<SpawnRequest, "fds" | "group"> {
  /** Its descriptors by number. The process takes over one reference of each file; call `retain()` to keep one open. */
  readonly fds: Readonly<Record<number, OpenFile>>
  /** Time after which it and everything that it started are killed. Default: no limit. */
  readonly timeout?: DurationInput | undefined
  /** Limits of it and everything that it starts. Default: the kernel's. */
  readonly limits?: JobLimits | undefined
}

/** A process that the host started. */
export interface ProcessHandle {
  /** Its process id. */
  readonly pid: Pid
  /** Resolves with its exit status; never rejects. */
  readonly exited: Promise<WaitStatus>
  /** Sends it a signal, SIGTERM by default. Returns 0 or `-ESRCH`. */
  readonly kill: (signal?: number) => number
  /** Ends it and everything that it started at once, by SIGKILL by default. `reason` becomes part of their status. */
  readonly endAll: (signal?: number, reason?: EndReason) => void
  /** Sends a signal to it and to everything that it started; returns the number of processes. */
  readonly signalAll: (signal: number) => number
  /** Whether it, or something that it started, is alive. */
  readonly isAlive: () => boolean
  /** Calls back once when all of them have ended. Call it only while `isAlive()`. */
  readonly whenOver: (done: () => void) => StopWaiting
}

/**
 * Processes that share a process table, a file system and limits.
 *
 * @example
 * ```ts
 * import { FileSystem, Kernel, OpenFile } from "@sluice/shell/kernel"
 *
 * const kernel = Kernel.make({
 *   fileSystem: FileSystem.VirtualFileSystem.make({ now: () => 0n }),
 *   programs: { hello: (system) => system.writeAll(1, new TextEncoder().encode("hello\n")) },
 * })
 * const stdout = new OpenFile.BufferFile()
 * const fds = { 0: new OpenFile.NullFile(), 1: stdout, 2: new OpenFile.NullFile() }
 * const process = kernel.start({ program: "hello", args: ["hello"], fds })
 * if (typeof process === "number") throw new Error(`errno ${-process}`)
 * console.log((await process.exited).exitCode, stdout.text) // 0 hello
 * ```
 */
export class Kernel {
  readonly #table: KernelProcesses
  readonly #options: KernelOptions
  readonly #programs: ProgramResolver

  private constructor(options: KernelOptions) {
    const { clock = systemClock, extensions = {}, network } = options
    this.#options = options
    requireIsolation(options.isolate)
    for (const source of Object.values(options.programs)) if (isWasmSource(source)) requireIsolation(source.isolate)
    const shell = options.programs["sh"]
    const functions = Object.entries(extensions)
    const commands = functions.map(([name, run]) => [name, extensionProgram(name, run)] as const)
    const table = new Map([...Object.entries(options.programs), ...commands])
    const programs = this.#programs = options.resolver ?? new Programs(table, options.fileSystem, options.allow)
    this.#table = new KernelProcesses({
      files: options.fileSystem,
      programs,
      extensions: new Map(functions.filter(([name]) => !programs.forbids(name))),
      limits: resolveKernelLimits("Kernel", options.limits),
      clock,
      random: options.random ?? systemRandom,
      scheduler: options.scheduler,
      shell: shell !== undefined && isProgram(shell) ? shell : "sh",
      network: network && makeNetwork(network, clock),
      sequential: options.sequential ?? false,
      isolate: options.isolate ?? "none",
      preopens: options.preopens ?? { "/": "/" },
      workers: options.workers,
    })
  }

  /**
   * Makes a kernel. It uses no resources until a process starts.
   *
   * @throws {OptionError} for a limit, an isolation or a part of `network` that is unknown or has an invalid value
   */
  static make(options: KernelOptions): Kernel {
    return new Kernel(options)
  }

  /**
   * Starts a process; returns a negative errno if it cannot. The references of the files are taken over in both cases.
   *
   * @throws {OptionError} for an invalid timeout or limit; the references of the files are not taken over then
   */
  start(request: StartRequest): ProcessHandle | number {
    const { fds, limits, timeout = Infinity, ...rest } = request
    const timeoutMillis = millisOf("timeout", timeout)
    const { promise, resolve } = Promise.withResolvers<WaitStatus>()
    const origin = { env: this.#options.env ?? [], directory: this.#options.fileSystem.root, limits }
    const pid = this.#table.start(rest, fds, origin, resolve)
    if (pid < 0) return pid
    const endAll = (signal: number = Signal.SIGKILL, reason?: EndReason): void =>
      this.#table.endAll(signal, reason, pid)
    if (timeoutMillis !== Infinity) {
      const late: EndReason = { _tag: "Limit", limit: "timeout" }
      const stop = (this.#options.clock ?? systemClock).after(timeoutMillis, () => endAll(Signal.SIGKILL, late))
      this.#table.whenOver(pid, stop)
    }
    return {
      pid,
      exited: promise,
      kill: (signal = Signal.SIGTERM) => this.#table.signal(0, pid, signal),
      endAll,
      signalAll: (signal) => this.#table.signalJob(signal, pid),
      isAlive: () => this.#table.living(pid).length > 0,
      whenOver: (done) => this.#table.whenOver(pid, done),
    }
  }

  /** Returns the path of the program that a name or path means in a folder, given a PATH; else a negative errno. */
  which(program: string, directory: Directory, path?: string): string | number {
    return this.#programs.which(program, directory, path)
  }

  /** Whether `allow` excludes a program. */
  forbids(program: string): boolean {
    return this.#programs.forbids(program)
  }

  /** Makes a pipe for the host. Each end has one reference: give it to a process, or release it. */
  pipe(): { readonly reader: OpenFile; readonly writer: OpenFile } {
    const pipe = makePipe()
    pipe.reader.servedByHost = pipe.writer.servedByHost = true
    return pipe
  }

  /** Number of processes, including those that have ended and were not waited for. */
  get processes(): number {
    return this.#table.size
  }

  /**
   * Milliseconds that its processes have computed.
   *
   * @internal
   */
  get busyMillis(): number {
    return this.#table.scheduler.busyMillis
  }

  /**
   * Ends every process at once; no other can start. A promise if extensions that are Effects have finalizers to run: it waits
   * for them, up to five seconds.
   */
  close(): Later<void> {
    return this.#table.close()
  }
}
