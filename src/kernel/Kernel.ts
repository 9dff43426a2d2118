/**
 * The process kernel: programs as processes with descriptors, pipes and signals, as POSIX has them, without any help of
 * the host.
 *
 * @module
 */
import type { FileSystem } from "./FileSystem.ts"
import type { MakeWorker } from "./isolate/HostWorker.ts"
import type { Directory, OpenFile, StopWaiting } from "./OpenFile.ts"
import { extensionProgram, type Extensions } from "./process/Extension.ts"
import { type KernelClock, systemClock } from "./process/KernelClock.ts"
import { defaultKernelLimits, type JobLimits, type KernelLimits } from "./process/KernelLimits.ts"
import { Network, type NetworkPolicy } from "./process/NetworkPolicy.ts"
import { makePipe } from "./process/Pipe.ts"
import { systemRandom } from "./systemRandom.ts"
import { type Isolation, type Preopens, Programs, type ProgramSource } from "./process/Programs.ts"
import { ProcessTable } from "./process/ProcessTable.ts"
import { type EndReason, type Pid, Signal, type SpawnRequest, type WaitStatus } from "./System.ts"

export { Errno, type ErrnoName, errnoName, errnoText } from "./Errno.ts"
export type { Descriptors, FileSystem, OpenOptions, Resolution } from "./FileSystem.ts"
export type { Mounts } from "./fs/Mounts.ts"
export { FileNode, Folder, LinkNode, Node, type NodeOpenOptions, type Volume, type VolumeContext } from "./fs/Node.ts"
export { VirtualFileSystem, type VirtualFileSystemOptions } from "./fs/VirtualFileSystem.ts"
export type { MakeWorker, WorkerEvents, WorkerHandle } from "./isolate/HostWorker.ts"
export { type Directory, FileFlag, OpenFile, type StopWaiting, Whence } from "./OpenFile.ts"
export { BufferFile, type ByteBudget } from "./process/BufferFile.ts"
export type { Extension, ExtensionContext, ExtensionOutput, ExtensionResult, Extensions } from "./process/Extension.ts"
export { type KernelClock, systemClock } from "./process/KernelClock.ts"
export type { JobLimits, KernelLimits } from "./process/KernelLimits.ts"
export type { NetworkPolicy } from "./process/NetworkPolicy.ts"
export { NullFile } from "./process/NullFile.ts"
export type { Isolation, ModuleSource, Preopens, ProgramSource, WasmSource } from "./process/Programs.ts"
export { StaticFile } from "./process/StaticFile.ts"
export { StreamSource, type StreamSourceOptions } from "./process/StreamSource.ts"
export type { ShellLimits } from "./shell/ShellLimits.ts"
export { shellProgram, type ShellProgramOptions } from "./shell/ShellProgram.ts"
export { ShellSession } from "./shell/ShellSession.ts"
export { type DirectoryEntry, FileType, type Stat } from "./Stat.ts"
export * from "./System.ts"

/** What a kernel is made of. */
export interface KernelOptions {
  /** The files that its processes see. */
  readonly fileSystem: FileSystem
  /** Programs by name. They seem to be in `/bin` and `/usr/bin`. */
  readonly programs: Iterable<readonly [string, ProgramSource]> | Readonly<Record<string, ProgramSource>>
  /** Names of programs, and absolute paths of program files, that may start. Default: all. */
  readonly allow?: Iterable<string> | undefined
  /** Those that are left out are as in {@link defaultKernelLimits}. */
  readonly limits?: Partial<KernelLimits> | undefined
  /** The environment of processes that the host starts. Default: empty. */
  readonly env?: Iterable<readonly [string, string]> | undefined
  /** Default: the clock of the machine. */
  readonly clock?: KernelClock | undefined
  /** Fills with random bytes. Default: the host's generator. */
  readonly random?: ((into: Uint8Array) => void) | undefined
  /**
   * Functions of the host as commands. They are found like programs, before those of the same name, and programs that
   * import `host_extension_invoke` may call them. Default: none.
   */
  readonly extensions?: Extensions | undefined
  /** What programs that import `host_network_fetch` may ask. Default: nothing. */
  readonly network?: NetworkPolicy | undefined
  /**
   * Runs every WASM program in one go, once what it reads is complete, as it must be where the runtime cannot suspend
   * WASM (JSPI). Default: only there.
   */
  readonly sequential?: boolean | undefined
  /**
   * Where WASM programs run that do not say so themselves. In workers one that computes and makes no call can be ended,
   * and keeps nobody from running. Where there are no workers or no shared memory, such a program ends at once, with the
   * fault `NotIsolable`. Default: `"none"`, in place.
   */
  readonly isolate?: Isolation | undefined
  /** Folders that WASM programs are given that do not say so themselves. Default: the whole tree, `{ "/": "/" }`. */
  readonly preopens?: Preopens | undefined
  /** Who makes workers. Default: the host: `Worker`, or `node:worker_threads`. */
  readonly workers?: MakeWorker | undefined
}

/** Which process the host starts. */
export interface StartRequest extends Omit<SpawnRequest, "fds" | "group"> {
  /**
   * Its descriptors by number. One reference of each file goes over to the process: who wants to keep a file open
   * retains it first.
   */
  readonly fds: Readonly<Record<number, OpenFile>>
  /** Milliseconds until it and all that it started are killed. Default: no limit. */
  readonly wallTimeMillis?: number | undefined
  /** Limits of it and all that it starts. Default: those of the kernel. */
  readonly limits?: JobLimits | undefined
}

/** A process that the host started. */
export interface ProcessHandle {
  /** Its number. */
  readonly pid: Pid
  /** How it ended. Never rejected. */
  readonly exited: Promise<WaitStatus>
  /** Sends it a signal. Default: SIGTERM. 0, or `-ESRCH`. */
  readonly kill: (signal?: number) => number
  /** Ends it and everything that it started, at once. Default: SIGKILL. Their status tells the reason, if there is one. */
  readonly endAll: (signal?: number, reason?: EndReason) => void
  /** Sends a signal to it and to everything that it started, as `kill` does; answers with how many processes there are. */
  readonly signalAll: (signal: number) => number
  /** Whether it, or something that it started, lives. */
  readonly lives: () => boolean
  /** Calls back once when nothing of it lives any more: call it only while something does. */
  readonly whenOver: (done: () => void) => StopWaiting
}

const entries = (programs: KernelOptions["programs"]): Iterable<readonly [string, ProgramSource]> =>
  Symbol.iterator in programs ? programs : Object.entries(programs)

/** Both ends of a pipe. */
export interface KernelPipe {
  /** Where it is read. */
  readonly reader: OpenFile
  /** Where it is written. */
  readonly writer: OpenFile
}

/** Processes that share a table, a file system and limits. */
export class Kernel {
  readonly #table: ProcessTable
  readonly #options: KernelOptions
  readonly #programs: Programs

  private constructor(options: KernelOptions) {
    const { clock = systemClock, extensions = {}, network } = options
    this.#options = options
    const functions = Object.entries(extensions)
    const commands = functions.map(([name, run]) => [name, extensionProgram(name, run)] as const)
    const table = new Map([...entries(options.programs), ...commands])
    const programs = this.#programs = new Programs(table, options.fileSystem, options.allow)
    this.#table = new ProcessTable({
      files: options.fileSystem,
      programs,
      extensions: new Map(functions.filter(([name]) => !programs.forbids(name))),
      limits: { ...defaultKernelLimits, ...options.limits },
      clock,
      random: options.random ?? systemRandom,
      network: network && new Network(network, clock),
      sequential: options.sequential ?? false,
      isolate: options.isolate ?? "none",
      preopens: options.preopens ?? { "/": "/" },
      workers: options.workers,
    })
  }

  /** Makes a kernel. It runs nothing and holds nothing until something is started. */
  static make(options: KernelOptions): Kernel {
    return new Kernel(options)
  }

  /** Starts a process; a negative errno when it cannot. The files' references are taken over in both cases. */
  start(request: StartRequest): ProcessHandle | number {
    const { fds, limits, wallTimeMillis: wallTime, ...rest } = request
    const { promise, resolve } = Promise.withResolvers<WaitStatus>()
    const origin = { env: this.#options.env ?? [], directory: this.#options.fileSystem.root, limits }
    const pid = this.#table.start(rest, fds, origin, resolve)
    if (pid < 0) return pid
    const endAll = (signal: number = Signal.SIGKILL, reason?: EndReason): void =>
      this.#table.endAll(signal, reason, pid)
    if (wallTime !== undefined && wallTime !== Infinity) {
      const late: EndReason = { _tag: "Limit", limit: "wallTime" }
      const stop = (this.#options.clock ?? systemClock).after(wallTime, () => endAll(Signal.SIGKILL, late))
      this.#table.whenOver(pid, stop)
    }
    return {
      pid,
      exited: promise,
      kill: (signal = Signal.SIGTERM) => this.#table.signal(0, pid, signal),
      endAll,
      signalAll: (signal) => this.#table.signalJob(signal, pid),
      lives: () => this.#table.living(pid).length > 0,
      whenOver: (done) => this.#table.whenOver(pid, done),
    }
  }

  /** The path of the program that a name or path means in a folder, with a PATH; a negative errno when there is none. */
  which(program: string, directory: Directory, path?: string): string | number {
    return this.#programs.which(program, directory, path)
  }

  /** Whether a program may not start because it is not among those that are allowed. */
  forbids(program: string): boolean {
    return this.#programs.forbids(program)
  }

  /** Makes a pipe for the host. Each end has one reference: give it to a process, or release it. */
  pipe(): KernelPipe {
    return makePipe()
  }

  /** Processes that are in the table, those that ended and are not waited for included. */
  get processes(): number {
    return this.#table.size
  }

  /** Ends every process at once; none starts any more. */
  close(): void {
    this.#table.close()
  }
}
