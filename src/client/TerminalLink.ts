/**
 * Attaches to a terminal on an execution server by WebSocket, and resumes after the last received position. Plain callbacks,
 * not Effects: the console's page uses it too.
 */
import {
  clientParameter,
  closeCodes,
  decodeServerMessage,
  encodeClientMessage,
  type ServerMessage,
  type TerminalState,
} from "../wire/terminalMessages.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { TypedInput } from "./TypedInput.ts"

export interface TerminalLinkOptions {
  /** Address of the WebSocket: `ws://host/commands/ID/terminal`. */
  readonly url: string
  /** Requests the protocols of one connection. Rejects with `PermanentFailure` where another attempt is of no use. */
  readonly ticket: () => Promise<ReadonlyArray<string>>
  /** The position that the caller has already. Default: none. */
  readonly after?: number | undefined
  /** Time for which a lost connection is retried. Default: for ever. */
  readonly reconnectMillis?: number | undefined
  /** Takes output; when its promise resolves, the piece is acknowledged to the server and the next one comes. */
  readonly onOutput: (text: string, position: number) => void | Promise<void>
  readonly onState?: ((state: TerminalState) => void) | undefined
  /** Called when the connection is open, and when it was lost and is being retried. */
  readonly onConnection?: ((state: "open" | "lost") => void) | undefined
  /** Called with the number of bytes that were typed and may not have reached the command: the connection was lost. */
  readonly onInputLost?: ((bytes: number) => void) | undefined
  /** Called once at the end, with the last event of the command as JSON. */
  readonly onEnd: (event: string) => void
  /** Called once, instead, if the terminal cannot be read any further. */
  readonly onFailure: (problem: string) => void
  /** Called once, instead, when handshakes fail and none ever succeeded. Default: they are retried. */
  readonly onNoSocket?: (() => void) | undefined
}

/** A failure that no retry fixes: no right, no such command. */
export class PermanentFailure extends Error {}

/**
 * Number of failed handshakes, without a success, after which WebSockets count as unavailable, because of the server or
 * a proxy.
 */
const maxHandshakes = 3

const firstDelayMillis = 200
const maxDelayMillis = 5_000

/**
 * Minimum time between two messages of input; input typed meanwhile is sent together, because servers limit messages per
 * second.
 */
const paceMillis = 5

/** Maximum bytes of input that wait for the command. */
const maxWaiting = 67_108_864

/** A random name. `crypto.randomUUID` is missing on pages without TLS. */
const makeName = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Message about input that may not have reached the command. */
export const lostInputText = (bytes: number): string =>
  `the last ${bytes === 1 ? "byte" : `${bytes} bytes`} that you typed may not have reached the command`

/** Close codes after which a retry would have the same result. */
const permanentCodes: ReadonlySet<number> = new Set([
  closeCodes.ended,
  closeCodes.invalid,
  closeCodes.forbidden,
  closeCodes.tooLarge,
  closeCodes.failed,
  closeCodes.tooMany,
])

const detailOf = (problem: string): string => {
  try {
    const value: unknown = JSON.parse(problem)
    return typeof value === "object" && value !== null && "detail" in value ? String(value.detail) : problem
  } catch {
    return problem
  }
}

export class TerminalLink {
  readonly #options: TerminalLinkOptions
  #socket: WebSocket | undefined
  #position: number
  #work: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined
  #lostSince: number | undefined
  #delay = firstDelayMillis
  #problem: string | undefined
  #failedHandshakes: number | undefined = 0
  #closed = false
  readonly #name = makeName()
  readonly #typed = new TypedInput()
  /** Whether the server counts the input; `undefined` until it is known. */
  #isCounted: boolean | undefined
  /** The connection whose server has declared whether it counts input, so that input may be sent. */
  #ready: WebSocket | undefined
  #pace: ReturnType<typeof setTimeout> | undefined

  constructor(options: TerminalLinkOptions) {
    this.#options = options
    this.#position = options.after ?? -1
    void this.#connect()
  }

  /** The position of the last output that was processed; -1 before the first. */
  get position(): number {
    return this.#position
  }

  /** Bytes that were typed and are not known to have reached the command; those to an old server are not counted. */
  get waitingInput(): number {
    return this.#typed.waiting
  }

  /** Types bytes, kept until they are taken; dropped without a connection to a server that does not count. */
  input(bytes: Uint8Array): void {
    if (this.#closed || (this.#isCounted === false && this.#socket?.readyState !== 1)) return
    this.#typed.push(bytes)
    const { waiting } = this.#typed
    if (waiting > maxWaiting) return this.#fail(`the command does not read: ${waiting} bytes of input wait for it`)
    this.#pump()
  }

  resize(cols: number, rows: number): void {
    this.#send({ _tag: "Resize", cols: Math.min(65_535, Math.max(1, cols)), rows: Math.min(65_535, Math.max(1, rows)) })
  }

  signal(name: string): void {
    this.#send({ _tag: "Signal", signal: name })
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#pace)
    // Input that only waits for the minimum interval.
    while (this.#sendInput());
    this.#socket?.close(1000)
  }

  #send(message: Parameters<typeof encodeClientMessage>[0]): boolean {
    if (this.#socket?.readyState !== 1) return false
    this.#socket.send(encodeClientMessage(message))
    return true
  }

  /** Sends the next message of input, if there is one and the window has room. */
  #sendInput(): boolean {
    if (this.#ready !== this.#socket || this.#socket?.readyState !== 1) return false
    const bytes = this.#typed.next(this.#isCounted === true)
    return bytes !== undefined && this.#send({ _tag: "Input", bytes })
  }

  #pump(): void {
    if (this.#closed || this.#pace !== undefined || !this.#sendInput()) return
    this.#pace = setTimeout(() => {
      this.#pace = undefined
      this.#pump()
    }, paceMillis)
  }

  #lost(bytes: number): void {
    if (bytes > 0) this.#options.onInputLost?.(bytes)
  }

  #fail(problem: string): void {
    if (this.#closed) return
    this.close()
    this.#options.onFailure(problem)
  }

  async #connect(): Promise<void> {
    const { ticket, url } = this.#options
    let protocols: ReadonlyArray<string>
    try {
      protocols = await ticket()
    } catch (error) {
      if (error instanceof PermanentFailure) return this.#fail(error.message)
      return this.#retry(errorMessage(error))
    }
    if (this.#closed) return
    const after = this.#position >= 0 ? `&after=${this.#position}` : ""
    const socket = new WebSocket(`${url}?${clientParameter}=${this.#name}${after}`, [...protocols])
    socket.binaryType = "arraybuffer"
    this.#socket = socket
    socket.onopen = () => {
      this.#lostSince = undefined
      this.#failedHandshakes = undefined
      this.#delay = firstDelayMillis
      if (!this.#closed) this.#options.onConnection?.("open")
    }
    socket.onmessage = ({ data }) => {
      const message = data instanceof ArrayBuffer ? decodeServerMessage(new Uint8Array(data)) : undefined
      if (message !== undefined) this.#work = this.#work.then(() => this.#take(message, socket))
    }
    socket.onclose = ({ code, reason }) => {
      // Process the messages that arrived before the close first.
      this.#work = this.#work.then(() => {
        if (this.#closed || this.#socket !== socket) return
        if (this.#isCounted === false) this.#lost(this.#typed.clear())
        if (this.#failedHandshakes !== undefined && ++this.#failedHandshakes >= maxHandshakes) {
          const { onNoSocket } = this.#options
          if (onNoSocket !== undefined) {
            this.close()
            return onNoSocket()
          }
        }
        if (permanentCodes.has(code)) this.#fail(this.#problem ?? (reason === "" ? `closed (${code})` : reason))
        else this.#retry(reason === "" ? "the connection was lost" : reason)
      })
    }
  }

  #retry(problem: string): void {
    if (this.#closed) return
    const { onConnection, reconnectMillis = Infinity } = this.#options
    // The console's page has no Effect: this is its monotonic clock.
    const now = performance.now()
    this.#lostSince ??= now
    if (now - this.#lostSince >= reconnectMillis) return this.#fail(problem)
    onConnection?.("lost")
    this.#timer = setTimeout(() => void this.#connect(), this.#delay)
    this.#delay = Math.min(maxDelayMillis, this.#delay * 2)
  }

  async #take(message: ServerMessage, socket: WebSocket): Promise<void> {
    if (this.#closed) return
    switch (message._tag) {
      case "Output": {
        // A position that is repeated or out of order is a protocol error.
        if (message.position <= this.#position) return this.#fail("the server sent output out of order")
        await this.#options.onOutput(message.text, message.position)
        this.#position = message.position
        if (socket === this.#socket) this.#send({ _tag: "Acknowledge", position: this.#position })
        return
      }
      case "End":
        this.close()
        return this.#options.onEnd(message.event)
      case "Taken": {
        if (socket !== this.#socket) return
        const lost = this.#typed.taken(message.bytes, this.#ready !== socket)
        this.#isCounted = true
        this.#ready = socket
        this.#lost(lost)
        return this.#pump()
      }
      case "State":
        // A server that counts input has declared it earlier.
        if (socket === this.#socket && this.#ready !== socket) {
          if (this.#isCounted === true) this.#lost(this.#typed.clear())
          this.#isCounted = false
          this.#ready = socket
          this.#pump()
        }
        return this.#options.onState?.(message.state)
      case "Ping":
        return void this.#send({ _tag: "Acknowledge", position: this.#position })
      case "Problem":
        this.#problem = detailOf(message.problem)
    }
  }
}
