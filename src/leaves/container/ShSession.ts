/** Runs commands through one client of an engine, by the shell program that waits in a container. */
import type { HostProcess } from "../../host/Host.ts"
import type { ByteReader, ByteWriter } from "../../shell/SpawnedProcess.ts"
import type { TerminalSize } from "../../command/Terminal.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import { ReportReader } from "./ReportReader.ts"
import { SessionCommand, type SessionEnd, type Started } from "./SessionCommand.ts"
import { encodeRequest, type SessionRequest } from "./sessionScript.ts"
import { closeMillis } from "./runEngine.ts"

/** Number of bytes of stderr that are read ahead, for the reports in it: as much as a pipe holds. */
const maxAheadBytes = 65_536

/** A client of an engine whose shell waits for commands, one at a time. */
export class ShSession {
  readonly container: string
  readonly isTerminal: boolean
  readonly #process: HostProcess
  readonly #out: ReportReader
  readonly #err: ReportReader
  readonly ended: Promise<void>
  #hasEnded = false
  #wasKilled = false
  #clientCode = 0
  /** The command that was started last. */
  #command: SessionCommand<ReportReader> | undefined
  /** Number of ends that were seen: of the client, and of its stderr. */
  #ends = 0
  #onIdle: (() => void) | undefined
  /** The first report of a session on a terminal, or the callback that waits for it. */
  #ready: string | undefined
  #onReady: (() => void) | undefined

  /** `ready`: the id of the report that a session on a terminal begins with. */
  constructor(process: HostProcess, container: string, ready?: string) {
    const { stderr, stdout } = process
    if (stdout === undefined) throw new Error("a session needs pipes")
    this.container = container
    this.isTerminal = ready !== undefined
    this.#process = process
    this.#err = new ReportReader(stderr ?? stdout, maxAheadBytes, {
      onReport: (report) => this.#onReport(report, this.#err),
      onEnd: () => this.#onClientEnd(),
    })
    // A terminal has one output.
    this.#out = stderr === undefined ? this.#err : new ReportReader(stdout, 0, {
      onReport: (report) => this.#onReport(report, this.#out),
    })
    if (ready !== undefined) this.#err.begin(ready)
    this.ended = new Promise((resolve) =>
      process.onExit(({ exitCode }) => {
        this.#hasEnded = true
        this.#clientCode = exitCode
        resolve()
        this.#onClientEnd()
      })
    )
  }

  /** Whether the session can run a command: it is new, or its last command has left nothing behind. */
  get isReady(): boolean {
    if (this.#hasEnded) return false
    return this.#command === undefined || this.#command.isDone
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether its client had to be killed: the container may still run. */
  get wasKilled(): boolean {
    return this.#wasKilled
  }

  #kill(): void {
    this.#wasKilled = true
    this.#process.kill("SIGKILL")
  }

  /** Sends a command, and waits until it has been started or refused. */
  start(request: SessionRequest): Promise<Started> {
    return new Promise((resolve) => {
      const command = new SessionCommand<ReportReader>(request, resolve)
      this.#command = command
      const send = (): void => {
        this.#out.begin(request.id)
        if (!this.isTerminal) this.#err.begin(request.id)
        void this.#process.stdin?.write(encodeUtf8(encodeRequest(request)))
      }
      if (this.#ends >= 2) return this.#failStart()
      if (!this.isTerminal) return send()
      this.#onReady = () =>
        this.#ready === "R" ? send() : command.started({ _tag: "Refused", report: "terminal ENOTSUP" })
      if (this.#ready !== undefined) this.#onReady()
    })
  }

  /** The stdin of a command that has one. Its reader is gone when the command has ended. */
  get stdin(): ByteWriter | undefined {
    const { stdin } = this.#process
    const command = this.#command
    if (command?.request.stdin !== true || stdin === undefined) return undefined
    return {
      write: async (bytes) => command.end === undefined && await stdin.write(bytes) && command.end === undefined,
      end: () => stdin.end(),
    }
  }

  /** The outputs of the latest command. Releasing them has no effect once the next command has been started. */
  get outputs(): { readonly stdout: ByteReader; readonly stderr: ByteReader } {
    const command = this.#command
    const during = (reader: ByteReader): ByteReader => ({
      read: (done) => this.#command === command ? reader.read(done) : done(undefined),
      release: () => this.#command === command ? reader.release() : undefined,
    })
    return { stdout: during(this.#out), stderr: during(this.#err) }
  }

  resize(size: TerminalSize): void {
    if (!this.#hasEnded) this.#process.resize?.(size)
  }

  /** See {@link SessionCommand.noteSignal}. */
  noteSignal(signal: string): void {
    this.#command?.noteSignal(signal)
  }

  /** Calls `done` once, when the command has ended. */
  onEnd(done: (end: SessionEnd) => void): void {
    this.#command?.onEnd(done)
  }

  /** Whether the command has ended, as far as is known. */
  get isOver(): boolean {
    return this.#command?.end !== undefined
  }

  get isReported(): boolean {
    const end = this.#command?.end
    return end !== undefined && end.isLost !== true
  }

  /** Drops the rest of the output, and calls `done` when the session can run the next command, if ever. */
  drain(done: () => void): void {
    this.#onIdle = done
    this.#out.release()
    this.#err.release()
    this.#checkIdle()
  }

  #checkIdle(): void {
    if (!this.isReady) return
    const done = this.#onIdle
    this.#onIdle = undefined
    done?.()
  }

  /** Gives up on a command whose processes were killed: kills the client. */
  abandon(): void {
    this.#kill()
    this.#command?.settle({ exitCode: 137, signal: "SIGKILL" })
  }

  /** Ends the client, which waits for a command or has run its last one. */
  async close(): Promise<void> {
    // The end of the input of a terminal is a key, which a shell in raw mode reads as any other.
    if (this.isTerminal) void this.#process.stdin?.write(encodeUtf8("exit\n"))
    void this.#process.stdin?.end()
    const timer = setTimeout(() => this.#kill(), closeMillis)
    this.#out.release()
    this.#err.release()
    await this.ended
    clearTimeout(timer)
  }

  /** Called when the client has ended and when its stderr has ended, in any order; stderr has the last reports. */
  #onClientEnd(): void {
    this.#ends++
    if (this.#ends < 2) return
    this.#failStart()
    this.#command?.settle({ exitCode: this.#clientCode, isLost: true })
  }

  #failStart(): void {
    if (this.#command?.isStarting !== true) return
    const text = new TextDecoder().decode(this.#err.take())
    this.#command.started({ _tag: "Failed", exitCode: this.#clientCode, text })
  }

  #onReport(report: string, reader: ReportReader): void {
    const [kind, first = "", ...rest] = report.split(" ")
    switch (kind) {
      case "S":
        // Earlier output of the engine is not output of the command.
        this.#err.take()
        return this.#command?.started({ _tag: "Started", pid: Number(first), executable: rest.join(" ") })
      case "R":
      case "T":
        this.#ready = kind
        return this.#onReady?.()
      case "Z":
        this.#command?.outputEnded(reader)
        reader.end()
        return this.#checkIdle()
      case "X":
        // The rest of the source is not read.
        if (this.#command?.request.stdin === true && !this.isTerminal) void this.#process.stdin?.end()
        return this.#command?.exited([first, ...rest])
      default:
        if (this.#command?.isStarting !== true) return this.#command?.refused(report)
        this.#err.take()
        return this.#command.started({ _tag: "Refused", report })
    }
  }
}
