/**
 * What processes need of the kernel that they run in.
 *
 * @module
 */
import type { FileSystem } from "../FileSystem.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { Pid, SpawnRequest } from "../System.ts"
import type { KernelClock } from "./KernelClock.ts"
import type { Limits } from "./Limits.ts"
import type { Scheduler } from "./Scheduler.ts"

/** The kernel from inside. Processes are named by their numbers. */
export interface Core {
  readonly files: FileSystem
  readonly limits: Limits
  readonly clock: KernelClock
  readonly scheduler: Scheduler
  /** What the clock's monotonic time was when the kernel started. */
  readonly started: bigint
  readonly random: (into: Uint8Array) => void
  readonly pipe: () => { readonly reader: OpenFile; readonly writer: OpenFile } | number
  readonly spawn: (parent: Pid, request: SpawnRequest) => number
  readonly which: (process: Pid, program: string) => string | number
  readonly signal: (from: Pid, to: Pid, signal: number) => number
  /** A process has ended: its parent is told, its children get another. */
  readonly ended: (pid: Pid) => void
  /** A process that has ended was waited for. */
  readonly forget: (pid: Pid) => void
  /** Pages of WASM memory come, or go (negative). Whether there are still few enough. */
  readonly takePages: (pages: number) => boolean
}
