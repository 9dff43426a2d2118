/**
 * Starts, watches, signals, ends and reaps the processes and jobs of a kernel, and enforces its limits on processes, arguments,
 * run time, pipes and memory pages.
 */
import { encodeUtf8 } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import type { FileSystem } from "../FileSystem.ts"
import type { NetworkCalls } from "../network/makeNetwork.ts"
import type { Directory, OpenFile, StopWaiting } from "../OpenFile.ts"
import {
  type EndReason,
  type Later,
  type Pid,
  type ProcessInfo,
  type Program,
  Signal,
  type SpawnRequest,
  type WaitStatus,
} from "../System.ts"
import { Descriptor } from "../wasi/WasiProcess.ts"
import type { KernelContext } from "./KernelContext.ts"
import { FdTable } from "./FdTable.ts"
import type { KernelClock } from "./KernelClock.ts"
import { type JobLimits, type KernelLimitSettings, tightenLimits } from "./KernelLimits.ts"
import { makePipe } from "./Pipe.ts"
import { ProgramStarter, type ProgramStarterOptions } from "./ProgramStarter.ts"
import { Process } from "./Process.ts"
import { ProgramFiles } from "./ProgramFiles.ts"
import type { ProgramResolver, ProgramSource } from "./Programs.ts"
import { Scheduler } from "./Scheduler.ts"

export interface KernelProcessesOptions extends ProgramStarterOptions {
  readonly files: FileSystem
  readonly programs: ProgramResolver
  readonly limits: KernelLimitSettings
  readonly clock: KernelClock
  readonly random: (into: Uint8Array) => void
  readonly scheduler?: Scheduler | undefined
  readonly shell: string | Program
}

/** Time that closing waits for finalizers of extensions. */
const maxFinalizerMillis = 5_000

/** The state that a process inherits from its parent or the host. */
interface Origin {
  readonly pid: Pid
  /** Job to join; `undefined` for a new one. */
  readonly job: Pid | undefined
  readonly group: Pid
  readonly env: Iterable<readonly [string, string]>
  readonly directory: Directory
  readonly umask: number
  readonly ignore: Iterable<number>
  readonly limits: KernelLimitSettings
}

const fits = (args: ReadonlyArray<string>, env: ReadonlyMap<string, string>, limit: number): boolean => {
  const strings = [...args]
  for (const [name, value] of env) strings.push(name, value)
  const units = strings.reduce((sum, string) => sum + string.length + 1, 0)
  // A code unit has one to three bytes: encode only near the limit.
  return units * 3 <= limit ||
    units <= limit && strings.reduce((sum, string) => sum + encodeUtf8(string).length + 1, 0) <= limit
}

export class KernelProcesses implements KernelContext {
  readonly files: FileSystem
  readonly limits: KernelLimitSettings
  readonly clock: KernelClock
  readonly scheduler: Scheduler
  readonly started: bigint
  readonly network: NetworkCalls | undefined
  readonly random: (into: Uint8Array) => void
  readonly programFiles: ProgramFiles
  readonly shell: string | Program
  readonly #options: KernelProcessesOptions
  readonly #processes = new Map<Pid, Process>()
  readonly #watched = new Map<Pid, Array<(status: WaitStatus) => void>>()
  readonly #jobs = new Map<Pid, Set<() => void>>()
  readonly #starter: ProgramStarter
  #lastPid = 0
  #living = 0
  #pipes = 0
  #pages = 0
  #lineBytes = 0
  #valueBytes = 0
  #closed = false
  readonly #awaited = new Set<Promise<unknown>>()

  constructor(options: KernelProcessesOptions) {
    this.#options = options
    this.files = options.files
    this.programFiles = new ProgramFiles(options.programs.names)
    this.limits = options.limits
    this.clock = options.clock
    this.scheduler = options.scheduler ?? new Scheduler()
    this.started = options.clock.monotonic()
    this.random = options.random
    this.shell = options.shell
    this.network = options.network
    this.#starter = new ProgramStarter(this, options)
  }

  /** Number of processes, including those that have ended and were not waited for. */
  get size(): number {
    return this.#processes.size
  }

  pipe(): ReturnType<typeof makePipe> | number {
    if (this.#pipes >= this.limits.maxPipes) return -Errno.ENFILE
    this.#pipes++
    return makePipe(() => void this.#pipes--)
  }

  takePages(pages: number): boolean {
    this.#pages += pages
    return pages <= 0 || this.#pages <= this.limits.maxTotalMemoryPages
  }

  takeLineBytes(bytes: number): boolean {
    if (bytes > 0 && this.#lineBytes + bytes > this.limits.maxLineBytes) return false
    this.#lineBytes += bytes
    return true
  }

  takeValueBytes(bytes: number): boolean {
    if (bytes > 0 && this.#valueBytes + bytes > this.limits.maxValueBytes) return false
    this.#valueBytes += bytes
    return true
  }

  /** Starts a child of the host. Takes over the references of the files. */
  start(
    request: SpawnRequest,
    files: Readonly<Record<number, OpenFile>>,
    { limits: requested, ...origin }: Pick<Origin, "env" | "directory"> & { readonly limits: JobLimits | undefined },
    ended: (status: WaitStatus) => void,
  ): number {
    const limits = requested === undefined ? this.limits : tightenLimits(this.limits, requested)
    const fds = new FdTable(limits.maxDescriptors)
    const seen = new Set<OpenFile>()
    const refused: Array<OpenFile> = []
    for (const [fd, file] of Object.entries(files)) {
      if (seen.has(file)) file.retain()
      seen.add(file)
      if (fds.set(Number(fd), new Descriptor(file)) < 0) refused.push(file)
    }
    const from: Origin = { ...origin, pid: 0, job: undefined, group: 0, umask: 0o022, ignore: [], limits }
    const pid = refused.length > 0 ? -Errno.EBADF : this.#begin(from, request, fds)
    if (pid < 0) fds.closeAll()
    else {
      const stop = this.scheduler.activity()
      this.#watched.set(pid, [stop, ended])
    }
    for (const file of refused) file.release()
    return pid
  }

  spawn(parent: Pid, request: SpawnRequest): number {
    const from = this.#processes.get(parent)
    if (from === undefined) return -Errno.ESRCH
    const fds = new FdTable(from.limits.maxDescriptors)
    let refused = 0
    for (const [child, own] of request.fds ?? [[0, 0], [1, 1], [2, 2]]) {
      const row = from.descriptor(own)
      // A standard stream that is closed in the parent is closed in the child.
      if (row === undefined && request.fds === undefined) continue
      if (row === undefined || fds.set(child, new Descriptor(row.file.retain(), row.rights, row.inheriting)) < 0) {
        row?.file.release()
        refused = -Errno.EBADF
        break
      }
    }
    const { directory, env, group, job, limits } = from
    const origin: Origin = {
      pid: parent,
      job,
      limits,
      group,
      env,
      directory,
      umask: from.umask(),
      ignore: from.signals.ignored,
    }
    const pid = refused < 0 ? refused : this.#begin(origin, request, fds)
    if (pid < 0) fds.closeAll()
    else from.children.adopt(pid)
    return pid
  }

  #begin(origin: Origin, request: SpawnRequest, fds: FdTable): number {
    const { limits } = origin
    if (this.#closed || this.#processes.size >= this.limits.maxProcesses) return -Errno.EAGAIN
    if (limits.maxProcesses < this.limits.maxProcesses && this.#sizeOf(origin.job) >= limits.maxProcesses) {
      return -Errno.EAGAIN
    }
    const directory = request.cwd === undefined ? origin.directory : this.files.directory(origin.directory, request.cwd)
    if (typeof directory === "number") return directory
    const env = new Map(request.env ?? origin.env)
    let args = request.args
    let source: ProgramSource
    if (typeof request.program === "function") source = request.program
    else {
      const found = this.#options.programs.resolve({ program: request.program, args, env, directory })
      if (typeof found === "number") return found
      source = found.source
      if (found.script.length > 0) args = [args[0] ?? "", ...found.script, ...args.slice(1)]
    }
    if (!this.#starter.admits(source)) return -Errno.EAGAIN
    if (!fits(args, env, this.limits.maxArgumentBytes)) return -Errno.E2BIG
    const pid = ++this.#lastPid
    const group = request.group ?? origin.group
    const process = new Process(this, {
      pid,
      parent: origin.pid,
      group: group === 0 ? pid : group,
      job: origin.job ?? pid,
      args,
      env,
      directory,
      umask: origin.umask,
      fds,
      limits,
      ignore: request.ignore ?? origin.ignore,
      parentDeathSignal: request.parentDeathSignal,
      ownsStdin: request.ownsStdin === true,
    })
    this.#processes.set(pid, process)
    if (this.#living++ === 0) this.scheduler.begin()
    this.#limitTime(process)
    this.#starter.launch(process, source)
    return pid
  }

  /** Number of processes of a job, including those that have ended and were not waited for. */
  #sizeOf(job: Pid | undefined): number {
    let size = 0
    for (const process of this.#processes.values()) if (process.job === job) size++
    return size
  }

  #limitTime(process: Process): void {
    const { processTimeoutMillis } = this.limits
    if (processTimeoutMillis === Infinity) return
    const late: EndReason = { _tag: "Limit", limit: "timeout" }
    process.onEnd.push(this.clock.after(processTimeoutMillis, () => process.endBy(Signal.SIGKILL, late)))
  }

  get(pid: Pid): Process | undefined {
    return this.#processes.get(pid)
  }

  which(pid: Pid, program: string): string | number {
    const process = this.#processes.get(pid)
    if (process === undefined) return -Errno.ESRCH
    return this.#options.programs.which(program, process.directory, process.env.get("PATH"))
  }

  watch(pid: Pid, ended: (status: WaitStatus) => void): number {
    const process = this.#processes.get(pid)
    if (process === undefined || process.status !== undefined) return -Errno.ESRCH
    const watching = this.#watched.get(pid) ?? []
    this.#watched.set(pid, watching)
    watching.push(ended)
    return 0
  }

  processes(): ReadonlyArray<ProcessInfo> {
    return Array.from(this.#processes.values(), (process) => process.info())
  }

  signal(from: Pid, to: Pid, signal: number): number {
    if (!(Number.isInteger(signal) && signal >= 0 && signal <= 64)) return -Errno.EINVAL
    const group = to === 0 ? this.#processes.get(from)?.group : -to
    const targets = to > 0
      ? [this.#processes.get(to)].filter((process) => process !== undefined)
      : [...this.#processes.values()].filter((process) => to === -1 ? process.pid !== from : process.group === group)
    if (targets.length === 0) return -Errno.ESRCH
    if (signal > 0) { for (const process of targets) process.signal(signal) }
    return 0
  }

  living(job: Pid): ReadonlyArray<Process> {
    return [...this.#processes.values()].filter((process) => process.job === job && process.status === undefined)
  }

  signalJob(signal: number, job: Pid): number {
    const targets = this.living(job)
    for (const process of targets) process.signal(signal)
    return targets.length
  }

  /** Calls back once when the last living process of a job ends. */
  whenOver(job: Pid, done: () => void): StopWaiting {
    const waiting = this.#jobs.get(job) ?? new Set()
    this.#jobs.set(job, waiting.add(done))
    return () => {
      waiting.delete(done)
      if (waiting.size === 0 && this.#jobs.get(job) === waiting) this.#jobs.delete(job)
    }
  }

  ended(pid: Pid): void {
    const process = this.#processes.get(pid)
    const status = process?.status
    if (process === undefined || status === undefined) return
    this.#living--
    for (const child of process.children.leave()) this.#processes.get(child)?.orphaned()
    const parent = this.#processes.get(process.parent)
    if (parent === undefined || parent.status !== undefined) this.forget(pid)
    else parent.childEnded(status)
    const watching = this.#watched.get(pid)
    this.#watched.delete(pid)
    for (const tell of watching ?? []) tell(status)
    const waiting = this.#jobs.get(process.job)
    if (waiting === undefined || this.living(process.job).length > 0) return
    this.#jobs.delete(process.job)
    for (const done of waiting) done()
  }

  readonly forget = (pid: Pid): void => void this.#processes.delete(pid)

  endAll(signal: number, reason?: EndReason, job?: Pid): void {
    for (const process of [...this.#processes.values()]) {
      if (job === undefined || process.job === job) process.endBy(signal, reason)
    }
  }

  awaitAtClose(work: Promise<unknown>): void {
    this.#awaited.add(work)
    void work.then(() => void this.#awaited.delete(work))
  }

  close(): Later<void> {
    this.#closed = true
    this.endAll(Signal.SIGKILL, { _tag: "Closed" })
    if (this.#awaited.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, maxFinalizerMillis)
    void Promise.allSettled(this.#awaited).then(() => {
      clearTimeout(timer)
      resolve()
    })
    return promise
  }
}
