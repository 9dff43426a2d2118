/** Declares the part of the kernel that a process calls. */
import type { FileSystem } from "../FileSystem.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { NetworkCalls } from "../network/makeNetwork.ts"
import type { Pid, ProcessInfo, Program, SpawnRequest, WaitStatus } from "../System.ts"
import type { KernelClock } from "./KernelClock.ts"
import type { KernelLimitSettings } from "./KernelLimits.ts"
import type { ProgramFiles } from "./ProgramFiles.ts"
import type { Scheduler } from "./Scheduler.ts"

export interface KernelContext {
  readonly files: FileSystem
  readonly limits: KernelLimitSettings
  readonly clock: KernelClock
  readonly scheduler: Scheduler
  readonly started: bigint
  readonly network: NetworkCalls | undefined
  readonly random: (into: Uint8Array) => void
  readonly pipe: () => { readonly reader: OpenFile; readonly writer: OpenFile } | number
  readonly spawn: (parent: Pid, request: SpawnRequest) => number
  readonly programFiles: ProgramFiles
  /** The shell of command lines: a program, or the name of one. */
  readonly shell: string | Program
  readonly which: (process: Pid, program: string) => string | number
  /** Calls back when a process has ended. Returns 0 or `-ESRCH`. */
  readonly watch: (pid: Pid, ended: (status: WaitStatus) => void) => number
  readonly signal: (from: Pid, to: Pid, signal: number) => number
  readonly processes: () => ReadonlyArray<ProcessInfo>
  /** Reports that a process has ended: notifies its parent, and orphans its children. */
  readonly ended: (pid: Pid) => void
  /** Removes an ended process that was waited for. */
  readonly forget: (pid: Pid) => void
  /** Adds pages of WASM memory, or removes them (negative). Returns whether the total is within its limit. */
  readonly takePages: (pages: number) => boolean
  /** Adds to the bytes of held lines, or subtracts (negative). Returns whether the total is within its limit. */
  readonly takeLineBytes: (bytes: number) => boolean
  /** As {@link KernelContext.takeLineBytes}, for the values that programs hold. */
  readonly takeValueBytes: (bytes: number) => boolean
  /** Lets the end of the kernel wait for a promise of the host that is never rejected. */
  readonly awaitAtClose: (work: Promise<unknown>) => void
}
