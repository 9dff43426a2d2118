/** Runs commands through one client of an engine, by the shell program that waits in a container. */
import type { HostProcess } from "../../host/Host.ts"
import type { ByteReader, ByteWriter, ExitStatus } from "../../shell/SpawnedProcess.ts"
import { signalName } from "../../command/signals.ts"
import type { TerminalSize } from "../../command/Terminal.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import { ReportReader } from "./ReportReader.ts"
import { encodeRequest, type SessionRequest } from "./sessionScript.ts"
import { closeMillis } from "./runEngine.ts"

/** The start of a command: its process id in the container and its file, or the report of a refusal, or the engine's output. */
export type Started =
  | { readonly _tag: "Started"; readonly pid: number; readonly executable: string }
  | { readonly _tag: "Refused"; readonly report: string }
  | { readonly _tag: "Failed"; readonly exitCode: number; readonly text: string }

export interface SessionEnd extends ExitStatus {
  /** Processes that the memory limit of the container killed meanwhile. */
  readonly oomKills?: number | undefined
  /** Forks that the process limit of the container refused meanwhile. */
  readonly refusedForks?: number | undefined
  /** The report of a start that exec(2) refused. */
  readonly refusal?: string | undefined
  /** The client ended before the command. */
  readonly isLost?: boolean | undefined
}

/** Signals that end no process by themselves. */
const harmless = new Set(["CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH"].map((name) => `SIG${name}`))

/** The signal that a shell's exit status encodes. */
const signalOf = (status: number): string | undefined => {
  const name = signalName(status - 128)
  return name === undefined || harmless.has(name) ? undefined : name
}

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
  #onStart: ((started: Started) => void) | undefined
  #listeners: Array<(end: SessionEnd) => void> = []
  #end: SessionEnd | undefined
  #refusal: string | undefined
  #request: SessionRequest | undefined
  /** The outputs that have ended. */
  readonly #over = new Set<ReportReader>()
  readonly #sent = new Set<string>()
  #isUsed = false
  #run = 0
  #ends = 0
  #onIdle: (() => void) | undefined
  /** The first report of a session on a terminal, or what waits for it. */
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

  /** Whether it can run a command: it is new, or the last one has left nothing behind. */
  get isReady(): boolean {
    if (this.#hasEnded) return false
    return !this.#isUsed || (this.#request?.once === false && !this.#request.stdin && this.#over.size === 2)
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
    this.#request = request
    this.#isUsed = true
    this.#run++
    this.#over.clear()
    this.#sent.clear()
    this.#end = undefined
    this.#refusal = undefined
    this.#listeners = []
    return new Promise((resolve) => {
      this.#onStart = (started) => {
        this.#onStart = undefined
        resolve(started)
      }
      const send = (): void => {
        this.#out.begin(request.id)
        if (!this.isTerminal) this.#err.begin(request.id)
        void this.#process.stdin?.write(encodeUtf8(encodeRequest(request)))
      }
      if (this.#ends >= 2) return this.#failStart()
      if (!this.isTerminal) return send()
      this.#onReady = () =>
        this.#ready === "R" ? send() : this.#onStart?.({ _tag: "Refused", report: "terminal ENOTSUP" })
      if (this.#ready !== undefined) this.#onReady()
    })
  }

  /** The stdin of a command that has one. Its reader is gone when the command has ended. */
  get stdin(): ByteWriter | undefined {
    const { stdin } = this.#process
    if (this.#request?.stdin !== true || stdin === undefined) return undefined
    return {
      write: async (bytes) => this.#end === undefined && await stdin.write(bytes) && this.#end === undefined,
      end: () => stdin.end(),
    }
  }

  /** The outputs of the command that was started last; they are released no more when the next one has been started. */
  get outputs(): { readonly stdout: ByteReader; readonly stderr: ByteReader } {
    const run = this.#run
    const during = (reader: ByteReader): ByteReader => ({
      read: (done) => this.#run === run ? reader.read(done) : done(undefined),
      release: () => this.#run === run ? reader.release() : undefined,
    })
    return { stdout: during(this.#out), stderr: during(this.#err) }
  }

  resize(size: TerminalSize): void {
    if (!this.#hasEnded) this.#process.resize?.(size)
  }

  /** Notes that a signal is sent, because shells do not report whether SIGINT or SIGPIPE ended a process. */
  noteSignal(signal: string): void {
    this.#sent.add(signal)
  }

  /** Calls `done` once, when the command has ended. */
  onEnd(done: (end: SessionEnd) => void): void {
    if (this.#end === undefined) this.#listeners.push(done)
    else done(this.#end)
  }

  /** Whether the command has ended, as far as is known. */
  get isOver(): boolean {
    return this.#end !== undefined
  }

  get isReported(): boolean {
    return this.#end !== undefined && this.#end.isLost !== true
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
    this.#settle({ exitCode: 137, signal: "SIGKILL" })
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

  #settle(end: SessionEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener(end)
  }

  /** Called when the client has ended, and when its stderr has, in any order: the last reports are in it. */
  #onClientEnd(): void {
    this.#ends++
    if (this.#ends < 2) return
    this.#failStart()
    this.#settle({ exitCode: this.#clientCode, isLost: true })
  }

  #failStart(): void {
    const text = this.#onStart === undefined ? "" : new TextDecoder().decode(this.#err.take())
    this.#onStart?.({ _tag: "Failed", exitCode: this.#clientCode, text })
  }

  #onReport(report: string, reader: ReportReader): void {
    const [kind, first = "", ...rest] = report.split(" ")
    switch (kind) {
      case "S":
        // Earlier output of the engine is not output of the command.
        this.#err.take()
        return this.#onStart?.({ _tag: "Started", pid: Number(first), executable: rest.join(" ") })
      case "R":
      case "T":
        this.#ready = kind
        return this.#onReady?.()
      case "Z":
        this.#over.add(reader)
        reader.end()
        return this.#checkIdle()
      case "X": {
        const [how, oomKills, refusedForks] = rest
        const exitCode = Number(first)
        const signal = signalOf(exitCode)
        // The rest of the source is not read.
        if (this.#request?.stdin === true && !this.isTerminal) void this.#process.stdin?.end()
        return this.#settle({
          exitCode,
          signal: signal !== undefined && (how === "S" || this.#sent.has(signal)) ? signal : undefined,
          oomKills: Number(oomKills),
          refusedForks: Number(refusedForks),
          refusal: this.#refusal,
        })
      }
      default:
        if (this.#onStart === undefined) {
          this.#refusal = report
          return
        }
        this.#err.take()
        return this.#onStart({ _tag: "Refused", report })
    }
  }
}
