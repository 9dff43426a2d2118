/**
 * What processes need of the kernel that they run in.
 *
 * @module
 */
import type { FileSystem } from "../FileSystem.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { Pid, SpawnRequest, WaitStatus } from "../System.ts"
import type { KernelClock } from "./KernelClock.ts"
import type { KernelLimits } from "./KernelLimits.ts"
import type { ProgramFiles } from "./ProgramFiles.ts"
import type { Scheduler } from "./Scheduler.ts"

/** The kernel from inside. Processes are named by their numbers. */
export interface KernelContext {
  readonly files: FileSystem
  readonly limits: KernelLimits
  readonly clock: KernelClock
  readonly scheduler: Scheduler
  /** What the clock's monotonic time was when the kernel started. */
  readonly started: bigint
  readonly random: (into: Uint8Array) => void
  readonly pipe: () => { readonly reader: OpenFile; readonly writer: OpenFile } | number
  readonly spawn: (parent: Pid, request: SpawnRequest) => number
  /** The programs that were given to the kernel, as files. */
  readonly programFiles: ProgramFiles
  readonly which: (process: Pid, program: string) => string | number
  /** Calls back when a process has ended. 0, or `-ESRCH`. */
  readonly watch: (pid: Pid, ended: (status: WaitStatus) => void) => number
  readonly signal: (from: Pid, to: Pid, signal: number) => number
  /** A process has ended: its parent is told, its children get another. */
  readonly ended: (pid: Pid) => void
  /** A process that has ended was waited for. */
  readonly forget: (pid: Pid) => void
  /** Pages of WASM memory come, or go (negative). Whether there are still few enough. */
  readonly takePages: (pages: number) => boolean
}
