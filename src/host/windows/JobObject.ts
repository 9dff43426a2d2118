/**
 * Puts a process and its descendants into a Windows job object, ends them together, also when this program dies, and
 * reads the number of processes and the exit code.
 *
 * Source: Microsoft, "Job Objects", "Nested Jobs", "JOBOBJECT_EXTENDED_LIMIT_INFORMATION".
 */
import type { ProcessJob } from "../Host.ts"
import type { Kernel32 } from "./Kernel32.ts"
import { exitCodeOf, openProcess, startOf } from "./processHandle.ts"
import { readParents } from "./readParents.ts"

const JobObjectBasicAccountingInformation = 1
const JobObjectBasicProcessIdList = 3
const JobObjectExtendedLimitInformation = 9
const JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE = 0x2000

/** Sizes of the structures, and offsets of the fields that are read (64-bit). */
const limitBytes = 144
const limitFlagsAt = 16
const accountingBytes = 48
const activeProcessesAt = 40
const listedPids = 4_096

/** Number of searches for descendants outside the job before it is ended, because they may start others meanwhile. */
const adoptions = 8

/** Exit code of ended processes, as set by `taskkill /F` and by the runtimes' TerminateProcess. */
const endedCode = 1

/**
 * A job object with one process in it. The processes that it starts from then on are in it too and cannot leave.
 *
 * A descendant that started *before* the process was put into the job is not in it, because no runtime can start a
 * process suspended. So {@link of} and {@link terminate} search descendants outside and add them. This matters on a
 * busy computer, where the process can run for a while before its parent handles it. Two kinds of descendants are not
 * found: those whose parent has ended before the search, and all of them if this program is killed before it calls
 * {@link of}.
 */
export class JobObject implements ProcessJob {
  readonly #kernel: Kernel32
  readonly #job: bigint
  readonly #pid: number
  /** Kept open so that the process's id is not reused. */
  readonly #process: bigint
  #released = false

  private constructor(kernel: Kernel32, job: bigint, pid: number, process: bigint) {
    this.#kernel = kernel
    this.#job = job
    this.#pid = pid
    this.#process = process
  }

  /** Puts a process into a job of its own; `undefined` if Windows refuses. */
  static of(kernel: Kernel32, pid: number): JobObject | undefined {
    const process = openProcess(kernel, pid, "assign")
    if (process === undefined) return undefined
    const handle = kernel.CreateJobObjectW(0n, 0n)
    if (handle === 0n) {
      kernel.CloseHandle(process)
      return undefined
    }
    const job = new JobObject(kernel, handle, pid, process)
    job.endWithProgram(true)
    // Refused for a process that has ended: then the job is empty, and can take its descendants.
    kernel.AssignProcessToJobObject(handle, process)
    job.#adoptAll()
    return job
  }

  #limit(flags: number): void {
    const info = new Uint8Array(limitBytes)
    new DataView(info.buffer).setUint32(limitFlagsAt, flags, true)
    this.#kernel.SetInformationJobObject(this.#job, JobObjectExtendedLimitInformation, info, limitBytes)
  }

  get isReleased(): boolean {
    return this.#released
  }

  get active(): number {
    if (this.#released) return 0
    const info = new Uint8Array(accountingBytes)
    const known = this.#kernel.QueryInformationJobObject(
      this.#job,
      JobObjectBasicAccountingInformation,
      info,
      accountingBytes,
      0n,
    )
    return known === 0 ? 0 : new DataView(info.buffer).getUint32(activeProcessesAt, true)
  }

  get exitCode(): number | undefined {
    return this.#released ? undefined : exitCodeOf(this.#kernel, this.#process)
  }

  terminate(): void {
    if (this.#released) return
    this.#adoptAll()
    this.#kernel.TerminateJobObject(this.#job, endedCode)
    // In case it could not be put into the job.
    this.#kernel.TerminateProcess(this.#process, endedCode)
  }

  endWithProgram(ends: boolean): void {
    // When this program dies, its handles are closed, which ends all processes in the job.
    if (!this.#released) this.#limit(ends ? JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE : 0)
  }

  release(): void {
    if (this.#released) return
    // Background processes of the command continue, as on other systems, but only until this program ends: Deno and Bun
    // start all of their children in a job, in which this one is nested.
    this.endWithProgram(false)
    this.#released = true
    this.#kernel.CloseHandle(this.#job)
    this.#kernel.CloseHandle(this.#process)
  }

  #members(): Set<number> {
    const list = new Uint8Array(8 + 8 * listedPids)
    const view = new DataView(list.buffer)
    this.#kernel.QueryInformationJobObject(this.#job, JobObjectBasicProcessIdList, list, list.length, 0n)
    const count = Math.min(view.getUint32(4, true), listedPids)
    return new Set(Array.from({ length: count }, (_, at) => Number(view.getBigUint64(8 + 8 * at, true))))
  }

  #adoptAll(): void {
    for (let round = 0; round < adoptions && this.#adopt(); round++);
  }

  /** Adds descendants that are outside the job. Returns whether there were any. */
  #adopt(): boolean {
    const inside = this.#members()
    const parents = readParents(this.#kernel)
    const isFamily = (pid: number): boolean => inside.has(pid) || pid === this.#pid
    let adopted = false
    for (let again = true; again;) {
      again = false
      for (const [pid, parent] of parents) {
        if (isFamily(pid) || !isFamily(parent) || !this.#take(pid, parent)) continue
        inside.add(pid)
        again = adopted = true
      }
    }
    return adopted
  }

  /** Adds a process if it is younger than its parent: the parent's id may have been reused. */
  #take(pid: number, parent: number): boolean {
    const process = openProcess(this.#kernel, pid, "assign")
    if (process === undefined) return false
    const [start, parentStart] = [startOf(this.#kernel, process), this.#startOf(parent)]
    const taken = start !== undefined && parentStart !== undefined && start >= parentStart &&
      this.#kernel.AssignProcessToJobObject(this.#job, process) !== 0
    this.#kernel.CloseHandle(process)
    return taken
  }

  #startOf(pid: number): bigint | undefined {
    if (pid === this.#pid) return startOf(this.#kernel, this.#process)
    const process = openProcess(this.#kernel, pid, "query")
    if (process === undefined) return undefined
    const start = startOf(this.#kernel, process)
    this.#kernel.CloseHandle(process)
    return start
  }
}
