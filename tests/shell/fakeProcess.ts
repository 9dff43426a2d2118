import * as Effect from "effect/Effect"
import type { ByteReader, ExitStatus, SpawnedProcess } from "../../src/shell/SpawnedProcess.ts"

/** One end of a pipe that the test writes into. */
class FakePipe implements ByteReader {
  readonly #written: Array<Uint8Array> = []
  #waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  #ended = false
  /** How often bytes were asked for. */
  reads = 0
  released = false

  readonly read = (done: (bytes: Uint8Array | undefined) => void): void => {
    if (this.#waiting !== undefined) throw new Error("one read at a time")
    this.reads++
    const bytes = this.#written.shift()
    if (bytes !== undefined || this.#ended) done(bytes)
    else this.#waiting = done
  }

  readonly release = (): void => {
    this.released = true
    this.#settle(undefined)
  }

  #settle(bytes: Uint8Array | undefined): void {
    const done = this.#waiting
    this.#waiting = undefined
    done?.(bytes)
  }

  readonly write = (content: string | Uint8Array): void => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
    if (this.#waiting === undefined) this.#written.push(bytes)
    else this.#settle(bytes)
  }

  readonly end = (): void => {
    this.#ended = true
    if (this.#written.length === 0) this.#settle(undefined)
  }

  /** Bytes that have not been read. */
  get unread(): number {
    return this.#written.length
  }
}

/** Gives `count` pieces of `size` bytes, each full of its number, in buffers that it uses again. */
export class ReusingPipe implements ByteReader {
  readonly #size: number
  readonly #count: number
  readonly #spare: Array<Uint8Array> = []
  #buffer: Uint8Array | undefined
  #given = 0
  /** Buffers that have been kept and have not come back. */
  kept = 0
  /** Called at the end. */
  onEnd: () => void = () => {}
  readonly keep: (() => void) | undefined

  constructor(size: number, count: number, keeps: boolean) {
    this.#size = size
    this.#count = count
    this.keep = keeps
      ? () => {
        this.#buffer = undefined
        this.kept++
      }
      : undefined
  }

  readonly recycle = (bytes: Uint8Array): void => {
    this.kept--
    bytes.fill(0xff)
    this.#spare.push(bytes)
  }

  readonly read = (done: (bytes: Uint8Array | undefined) => void): void => {
    if (this.#given === this.#count) {
      done(undefined)
      return this.onEnd()
    }
    this.#buffer ??= this.#spare.pop() ?? new Uint8Array(this.#size)
    done(this.#buffer.fill(this.#given++))
  }

  readonly release = (): void => {}
}

/** A process that does what the test says. */
export class FakeProcess implements SpawnedProcess {
  readonly executable = "/bin/fake"
  readonly pid = 4_242
  readonly stdout: FakePipe = new FakePipe()
  readonly stderr: FakePipe = new FakePipe()
  /** How often it was asked to end. */
  terminations = 0
  /** What it does when it is. */
  onTerminate: Effect.Effect<void> = Effect.sync(() => this.exit({ exitCode: 143, signal: "SIGTERM" }))
  #status: ExitStatus | undefined
  #listener: ((status: ExitStatus) => void) | undefined

  readonly onExit = (done: (status: ExitStatus) => void): void => {
    if (this.#status === undefined) this.#listener = done
    else done(this.#status)
  }

  /** Who lives on when it has been asked. */
  survivors: ReadonlyArray<number> = []

  readonly terminate = (): Effect.Effect<ReadonlyArray<number>> =>
    Effect.suspend(() => {
      this.terminations++
      return Effect.map(this.onTerminate, () => this.survivors)
    })

  /** Exits, and closes its pipes unless another process holds them. */
  exit(status: ExitStatus = { exitCode: 0 }, closes = true): void {
    if (this.#status !== undefined) return
    this.#status = status
    if (closes) this.close()
    this.#listener?.(status)
  }

  close(): void {
    this.stdout.end()
    this.stderr.end()
  }
}
