/** Implements one process: its lifecycle and its system calls, those of its base classes included. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { Errno } from "../Errno.ts"
import type { VolumeUsage } from "../FileSystem.ts"
import { type Directory, FileFlag, type OpenFile, type StopWaiting } from "../OpenFile.ts"
import {
  type Disposition,
  type EndReason,
  type Later,
  type Pid,
  type ProcessInfo,
  Signal,
  type SpawnRequest,
  type System,
  type WaitStatus,
} from "../System.ts"
import type { WasiProcess } from "../wasi/WasiProcess.ts"
import { Children } from "./Children.ts"
import type { KernelContext } from "./KernelContext.ts"
import type { FdTable } from "./FdTable.ts"
import type { HttpFailure, HttpRequest, HttpResponse } from "../network/HttpCall.ts"
import { requestFor } from "../network/requestFor.ts"
import { processKilled } from "./ProcessKilledError.ts"
import type { KernelLimitSettings } from "./KernelLimits.ts"
import { PipeWriter } from "./Pipe.ts"
import { Signals } from "./Signals.ts"
import { Transfer } from "./Transfer.ts"
import { Wait } from "./Wait.ts"
import { WaitCalls } from "./WaitCalls.ts"

export interface ProcessStart {
  readonly pid: Pid
  readonly parent: Pid
  readonly group: Pid
  /** Pid of the first process of its job, which is the process that the host started with all its descendants. */
  readonly job: Pid
  readonly args: ReadonlyArray<string>
  readonly env: Map<string, string>
  readonly directory: Directory
  readonly umask: number
  readonly fds: FdTable
  readonly ignore: Iterable<number>
  /** Limits of its job; at most those of the kernel. */
  readonly limits: KernelLimitSettings
  readonly parentDeathSignal: number | undefined
  readonly ownsStdin: boolean
}

/** Exit code of a program that was found but cannot be executed. Source: POSIX 2.8.2. */
const notExecutable = 126

export class Process extends WaitCalls implements System, WasiProcess {
  readonly pid: Pid
  readonly group: Pid
  readonly job: Pid
  readonly args: ReadonlyArray<string>
  readonly env: Map<string, string>
  readonly signals: Signals
  readonly limits: KernelLimitSettings
  readonly ownsStdin: boolean
  readonly onEnd: Array<() => void> = []
  readonly #core: KernelContext
  readonly children: Children
  readonly #parentDeathSignal: number | undefined
  #parent: Pid
  #status: WaitStatus | undefined
  readonly #started: bigint
  #lineBytes = 0
  #valueBytes = 0
  // Checked at the start of every call: a handler has to run, or the process has ended.
  #attention = false

  constructor(core: KernelContext, start: ProcessStart) {
    super(core, start.fds, start.directory, start.umask)
    this.#core = core
    this.#started = core.clock.now()
    this.pid = start.pid
    this.#parent = start.parent
    this.#parentDeathSignal = start.parentDeathSignal
    this.group = start.group
    this.job = start.job
    this.args = start.args
    this.env = start.env
    this.limits = start.limits
    this.ownsStdin = start.ownsStdin
    this.signals = new Signals(start.ignore)
    this.children = new Children(this.waits, core.forget)
  }

  /** Records that its program starts now. */
  started(): void {
    this.waits.gate?.start()
  }

  get parent(): Pid {
    return this.#parent
  }

  /** The status with which it ended; `undefined` while it lives. */
  get status(): WaitStatus | undefined {
    return this.#status
  }

  protected enter(): void {
    if (this.#attention) this.#attend()
  }

  #attend(): void {
    if (this.#status !== undefined) throw processKilled
    this.#attention = false
    this.signals.run()
  }

  read(fd: number, into: Uint8Array): Later<number> {
    if (this.#attention) this.#attend()
    const file = this.fds.file(fd)
    if (file === undefined) return -Errno.EBADF
    file.wasRead = true
    if (this.due()) return new Transfer(this.waits, this.#core.scheduler, file, into).yield()
    const count = file.read(into)
    if (count !== -Errno.EAGAIN || (file.flags & FileFlag.nonblock) !== 0 || this.sequential) return count
    return new Transfer(this.waits, this.#core.scheduler, file, into).wait()
  }

  write(fd: number, from: Uint8Array): Later<number> {
    if (this.#attention) this.#attend()
    const file = this.fds.file(fd)
    if (file === undefined) return -Errno.EBADF
    if (this.due()) return this.#writing(file, from).yield()
    const count = file.write(from)
    if (count >= 0) return count
    if (count === -Errno.EAGAIN && (file.flags & FileFlag.nonblock) === 0) {
      return this.sequential ? this.#spool(file, from) : this.#writing(file, from).wait()
    }
    this.#writeFailed(count)
    this.enter()
    return count
  }

  /** Writes for a process that cannot wait: raises the capacity of the pipe. Beyond the limit the pipe counts as closed. */
  #spool(file: OpenFile, from: Uint8Array): number {
    while (file instanceof PipeWriter && file.widen(this.#core.limits.maxSpoolBytes)) {
      const count = file.write(from)
      if (count !== -Errno.EAGAIN) return count
    }
    if (this.signals.get(Signal.SIGPIPE) === "default") {
      this.endBy(Signal.SIGPIPE, { _tag: "Limit", limit: "spoolBytes" })
      throw processKilled
    }
    return -Errno.EPIPE
  }

  #writing(file: OpenFile, from: Uint8Array): Transfer {
    return new Transfer(this.waits, this.#core.scheduler, file, from, this.#writeFailed)
  }

  /** Handles a failed write: EPIPE raises SIGPIPE, EDQUOT ends the process. */
  readonly #writeFailed = (errno: number): void => {
    if (errno === -Errno.EPIPE) this.signal(Signal.SIGPIPE)
    else if (errno === -Errno.EDQUOT) this.endBy(Signal.SIGXFSZ, { _tag: "Limit", limit: "outputBytes" })
  }

  pipe(from?: number): readonly [read: number, write: number] | number {
    this.enter()
    const pipe = this.#core.pipe()
    if (typeof pipe === "number") return pipe
    const read = this.fds.addFile(pipe.reader, from)
    const write = read < 0 ? read : this.fds.addFile(pipe.writer, from)
    if (write >= 0) return [read, write]
    if (read < 0) pipe.reader.release()
    else this.fds.close(read)
    pipe.writer.release()
    return write
  }

  get maxLineBytes(): number {
    return this.#core.limits.maxLineBytes
  }

  holdLine(bytes: number): number {
    this.enter()
    if (!this.#core.takeLineBytes(bytes)) return -Errno.ENOMEM
    this.#lineBytes += bytes
    return 0
  }

  get maxValueBytes(): number {
    return this.#core.limits.maxValueBytes
  }

  holdValues(bytes: number): number {
    this.enter()
    if (!this.#core.takeValueBytes(bytes - this.#valueBytes)) return -Errno.ENOMEM
    this.#valueBytes = bytes
    return 0
  }

  spawn(request: SpawnRequest): number {
    this.enter()
    return this.#core.spawn(this.pid, request)
  }

  /** Starts the shell of the kernel as a child, whether or not programs may start it by its name. */
  spawnShell(request: Omit<SpawnRequest, "program">): number {
    return this.spawn({ ...request, program: this.#core.shell })
  }

  awaitAtClose(work: Promise<unknown>): void {
    this.#core.awaitAtClose(work)
  }

  /** Ends a process group, also after this process has ended. */
  endGroup(group: Pid, signal: number = Signal.SIGKILL): void {
    this.#core.signal(this.pid, -group, signal)
  }

  /** Calls back once after the milliseconds, by the clock of the kernel. `Infinity`: never. */
  after(milliseconds: number, wake: () => void): StopWaiting {
    return this.#core.clock.after(milliseconds, wake)
  }

  which(program: string): string | number {
    this.enter()
    return this.#core.which(this.pid, program)
  }

  wait(pid: Pid, options?: { readonly hang?: boolean }): Later<WaitStatus | number | undefined> {
    this.enter()
    const status = this.children.take(pid)
    if (status !== undefined || options?.hang === false) return status
    return this.children.whenEnded(pid, -Errno.EINTR)
  }

  watch(pid: Pid, ended: (status: WaitStatus) => void): number {
    this.enter()
    return this.#core.watch(pid, ended)
  }

  kill(pid: Pid, signal: number): number {
    this.enter()
    const answer = this.#core.signal(this.pid, pid, signal)
    this.enter()
    return answer
  }

  /** Returns what `ps` shows of it. */
  info(): ProcessInfo {
    const state = this.#status !== undefined ? "ended" : this.waits.size > 0 ? "waiting" : "running"
    const { args, group, job, parent, pid } = this
    return {
      pid,
      parent,
      group,
      job,
      args,
      started: this.#started,
      cpuTime: BigInt(Math.round(this.spent * 1e6)),
      state,
    }
  }

  processes(): ReadonlyArray<ProcessInfo> {
    this.enter()
    return this.#core.processes()
  }

  volumes(): ReadonlyArray<VolumeUsage> {
    this.enter()
    return this.files.usage?.() ?? []
  }

  raise(signal: number): number {
    return this.kill(this.pid, signal)
  }

  onSignal(signal: number, disposition: Disposition): Disposition {
    this.enter()
    return this.signals.set(signal, disposition)
  }

  request(request: HttpRequest): Promise<HttpResponse | HttpFailure> {
    this.enter()
    return this.until(requestFor(this, this.#core.network, request, (file) => this.fds.addFile(file)))
  }

  exit(code: number): never {
    this.enter()
    this.end({ pid: this.pid, exitCode: code & 255 })
    throw processKilled
  }

  until<A>(promise: Promise<A>): Promise<A> {
    const wait = new Wait<A>(this.waits)
    const { gate } = this.waits
    if (gate !== undefined) wait.stop = gate.hostWait()
    promise.then((value) => wait.finish(value), () => this.fault(new Error("the host's promise was rejected")))
    return wait.promise
  }

  childEnded(status: WaitStatus): void {
    this.children.ended(status, this.signals.get(Signal.SIGCHLD) === "ignore")
    this.signal(Signal.SIGCHLD)
  }

  signal(signal: number): void {
    if (this.#status !== undefined) return
    const action = this.signals.receive(signal)
    if (action === "end") this.endBy(signal)
    if (action !== "handle") return
    this.#attention = true
    if ([...this.waits].some(({ interruptible }) => interruptible)) this.#core.scheduler.soon(this.#interrupt)
  }

  readonly #interrupt = (): void => {
    if (this.#status !== undefined) return
    try {
      this.enter()
    } catch (cause) {
      if (cause !== processKilled) this.fault(cause)
    }
    for (const wait of [...this.waits]) wait.interrupt()
  }

  endBy(signal: number, reason?: EndReason): void {
    this.end({ pid: this.pid, exitCode: 128 + signal, signal, ...reason && { reason } })
  }

  fault(cause: unknown): void {
    if (this.#status !== undefined) return
    const text = cause instanceof Error ? `${cause.name}: ${errorMessage(cause)}` : errorMessage(cause)
    // JavaScriptCore appends the expression of our own source.
    const isNotExecutable = cause instanceof Error && cause.name === "NotExecutable"
    const message = (isNotExecutable ? cause.message : text).replace(/ \(evaluating '[^']*'\)$/, "")
    this.fds.file(2)?.write(encodeUtf8(`${this.args[0] ?? "?"}: ${message}\n`))
    if (isNotExecutable) this.end({ pid: this.pid, exitCode: notExecutable, reason: { _tag: "Fault", message } })
    else this.endBy(Signal.SIGABRT, { _tag: "Fault", message })
  }

  end(status: WaitStatus): void {
    if (this.#status !== undefined) return
    this.#status = status
    this.#attention = true
    for (const undo of this.onEnd.splice(0)) undo()
    this.#core.takeLineBytes(-this.#lineBytes)
    this.#core.takeValueBytes(-this.#valueBytes)
    this.fds.closeAll()
    for (const wait of [...this.waits]) wait.abort()
    this.#core.ended(this.pid)
    this.waits.gate?.end()
  }

  orphaned(): void {
    this.#parent = 0
    if (this.#parentDeathSignal !== undefined) this.signal(this.#parentDeathSignal)
  }
}
