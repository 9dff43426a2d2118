/** Connects one client's WebSocket with the terminal of a command. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { elapsedMillis } from "../../base/monotonicTime.ts"
import { TokenBucket } from "../../auth/TokenBucket.ts"
import { isSignal } from "../../command/signals.ts"
import type { CommandRecord } from "../../history/CommandRecord.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import type { SocketConnection, SocketEvents } from "../../server/upgradeWebSocket.ts"
import { encodeEvent } from "../../wire/mod.ts"
import {
  type ClientMessage,
  closeCodes,
  decodeClientMessage,
  encodeServerMessage,
  maxInputBytes,
  maxUnacknowledged,
  type ServerMessage,
} from "../../wire/terminalMessages.ts"
import { commandEvents, type EventWithId, pruned } from "../commandEvents.ts"
import type { AttachedReader } from "../DisconnectGrace.ts"
import { UnreadOutput } from "../UnreadOutput.ts"
import { refuseJournal } from "../problem.ts"
import type { InputChannel } from "../InputChannel.ts"
import type { RunningCommand } from "../RunningCommand.ts"
import type { RunSupervisor } from "../RunSupervisor.ts"
import type { ClientInput } from "./ClientInputs.ts"

export interface TerminalSocketOptions {
  readonly runs: RunSupervisor
  readonly journal: JournalService
  readonly record: CommandRecord
  readonly after: number | undefined
  /** Name of the client, if it wants its input counted. */
  readonly name: string | undefined
  readonly canWrite: boolean
  readonly canSignal: boolean
  /** Silence after which a client is pinged; one that stays silent for three times as long is closed. */
  readonly pingMillis: number
  readonly onEnd: () => void
}

/** Maximum number of messages of one client in a second: more than any keyboard and mouse send. */
const maxMessagesPerSecond = 500

/** Maximum bytes of input that wait for the command. */
const maxPendingInput = 1_048_576

/** Number of checks without progress, one each `pingMillis`, after which a client is too slow. */
const slowChecks = 4

class TerminalSocket {
  readonly #options: TerminalSocketOptions
  readonly #run: RunningCommand | undefined
  readonly #unread = new UnreadOutput(maxUnacknowledged)
  /** The newest position that the client has been sent. */
  #sent: number
  readonly #rate = new TokenBucket(maxMessagesPerSecond, 1_000)
  #socket: SocketConnection | undefined
  #detach: (() => void) | undefined
  #reader: AttachedReader | undefined
  #fiber: Fiber.Fiber<void, unknown> | undefined
  #input: Promise<unknown> = Promise.resolve()
  #counted: ClientInput | undefined
  #pendingInput = 0
  #heard: number
  #acknowledged = -1
  #ended = false

  constructor(options: TerminalSocketOptions) {
    this.#options = options
    this.#run = options.runs.running.get(options.record.commandId)
    this.#sent = options.after ?? -1
    this.#heard = elapsedMillis()
  }

  open(socket: SocketConnection): void {
    this.#socket = socket
    const terminal = this.#run?.terminal
    const { canWrite, name } = this.#options
    if (terminal !== undefined) {
      if (canWrite && name !== undefined) {
        this.#counted = terminal.inputs.attach(
          name,
          () => this.close(closeCodes.ended, "the client has connected again"),
        )
        // Before the state, by which a client knows that its input is not counted.
        this.#send({ _tag: "Taken", bytes: this.#counted.taken })
      }
      this.#detach = terminal.attach(() => this.#sendState())
      if (this.#detach === undefined) return this.close(closeCodes.tooMany, "too many clients are attached")
    }
    this.#reader = this.#run?.disconnectGrace?.attach()
    this.#heard = elapsedMillis()
    if (terminal === undefined) this.#sendState()
    this.#fiber = this.#options.runs.forkReader(Effect.raceFirst(this.#play(), this.#watch()), true)
    // Also when the server is disposed of.
    this.#fiber.addObserver(() => this.close(closeCodes.goingAway, "the server is shutting down"))
  }

  /** Closes the connection and releases everything; the first reason counts. */
  close(code: number, reason: string): void {
    if (this.#ended) return
    this.#ended = true
    try {
      this.#socket?.close(code, reason)
    } catch {
      // The connection is gone already.
    }
    if (this.#counted !== undefined) this.#counted.close = () => {}
    this.#detach?.()
    this.#reader?.detach()
    this.#fiber?.interruptUnsafe()
    this.#options.onEnd()
  }

  take(data: unknown): void {
    if (this.#ended) return
    if (!(data instanceof ArrayBuffer)) return this.close(closeCodes.invalid, "messages are binary")
    if (data.byteLength > maxInputBytes + 1) {
      return this.close(closeCodes.tooLarge, `at most ${maxInputBytes} bytes of input in a message`)
    }
    this.#heard = elapsedMillis()
    if (this.#rate.take(this.#heard) > 0) {
      return this.close(closeCodes.tooMany, `at most ${maxMessagesPerSecond} messages in a second`)
    }
    // A copy: the runtime may reuse its buffer.
    const message = decodeClientMessage(new Uint8Array(data.slice(0)))
    if (message === undefined) return this.close(closeCodes.invalid, "not a message of this protocol")
    this.#handle(message)
  }

  #handle(message: ClientMessage): void {
    const { canSignal, canWrite } = this.#options
    switch (message._tag) {
      case "Acknowledge": {
        if (message.position > this.#sent) {
          return this.close(closeCodes.invalid, "acknowledges output that was not sent")
        }
        this.#unread.reach(message.position)
        this.#acknowledged = Math.max(this.#acknowledged, message.position)
        this.#reader?.advanceTo(message.position)
        return
      }
      case "Input":
        return canWrite ? this.#feed(message.bytes) : this.#forbid("run")
      case "Resize":
        return canWrite ? this.#run?.terminal?.resize({ cols: message.cols, rows: message.rows }) : this.#forbid("run")
      case "Signal":
        if (!isSignal(message.signal)) return this.close(closeCodes.invalid, "unknown signal")
        return canSignal ? void this.#run?.terminal?.signal(message.signal) : this.#forbid("cancel")
    }
  }

  #forbid(right: string): void {
    this.close(closeCodes.forbidden, `the token lacks the right ${right}`)
  }

  #feed(bytes: Uint8Array): void {
    const input = this.#run?.input
    if (input === undefined || bytes.length === 0) return
    this.#pendingInput += bytes.length
    if (this.#pendingInput > maxPendingInput) {
      return this.close(closeCodes.tooLarge, `the command does not read: ${maxPendingInput} bytes of input wait for it`)
    }
    this.#input = this.#input.then(() => input.inTurn(() => this.#write(input, bytes)))
  }

  /**
   * Feeds the command. A write that has begun is not undone when the client disconnects, so it is counted at its start.
   */
  async #write(input: InputChannel, bytes: Uint8Array): Promise<void> {
    if (this.#ended) return
    const taken = (this.#counted?.taken ?? 0) + bytes.length
    if (this.#counted !== undefined) this.#counted.taken = taken
    const outcome = await input.write(bytes, undefined, false)
    this.#pendingInput -= bytes.length
    if (this.#counted !== undefined && outcome === "taken") this.#send({ _tag: "Taken", bytes: taken })
  }

  #send(message: ServerMessage): void {
    try {
      if (!this.#ended) this.#socket?.send(encodeServerMessage(message))
    } catch {
      // The connection is gone; its close event follows.
    }
  }

  #sendState(): void {
    const terminal = this.#run?.terminal
    const writable = this.#options.canWrite && terminal !== undefined && this.#run?.input?.isOpen === true
    this.#send({
      _tag: "State",
      state: {
        ...(terminal?.size ?? { cols: 80, rows: 24 }),
        clients: terminal?.clients ?? 1,
        writable,
        newest: terminal?.newest ?? -1,
      },
    })
  }

  /** Sends the output and the end, as fast as they are acknowledged. */
  #play(): Effect.Effect<void> {
    const { after, journal, record } = this.#options
    const send = ({ event, id }: EventWithId): Effect.Effect<void> =>
      Effect.andThen(
        this.#unread.latch.await,
        Effect.sync(() => {
          if (event._tag !== "ShellOutputChunk") {
            return this.#send({ _tag: "End", position: id, event: encodeEvent(event) })
          }
          this.#sent = id
          this.#unread.add(id, event.content.length)
          this.#send({ _tag: "Output", position: id, text: event.content })
        }),
      )
    const { exec } = record
    const events = exec === undefined
      ? Effect.fail(pruned(record.position))
      : commandEvents(journal, { ...record, exec }, after)
    return Effect.flatMap(events, Stream.runForEach(send)).pipe(
      Effect.map(() => this.close(closeCodes.ended, "the command has ended")),
      Effect.catch((error: JournalError) =>
        Effect.sync(() => {
          this.#send({ _tag: "Problem", problem: JSON.stringify(refuseJournal(error).problem) })
          this.close(closeCodes.failed, "the output cannot be read further")
        })
      ),
    )
  }

  /** Pings a silent client, and closes one that does not answer or does not keep up. */
  #watch(): Effect.Effect<void> {
    const { pingMillis } = this.#options
    let behind = 0
    let acknowledged = -1
    return Effect.asVoid(Effect.repeat(
      Effect.sync(() => {
        const silence = elapsedMillis() - this.#heard
        if (silence >= 3 * pingMillis) return this.close(closeCodes.silent, "the client did not answer")
        behind = !this.#unread.latch.isOpen() && this.#acknowledged === acknowledged ? behind + 1 : 0
        acknowledged = this.#acknowledged
        if (behind >= slowChecks) {
          return this.close(closeCodes.slow, "the client reads too slowly: attach again from its position")
        }
        if (silence >= pingMillis) this.#send({ _tag: "Ping" })
      }),
      Schedule.spaced(pingMillis),
    ))
  }
}

export const terminalEvents = (options: TerminalSocketOptions): SocketEvents => {
  const client = new TerminalSocket(options)
  const gone = (): void => client.close(closeCodes.ended, "")
  return {
    onOpen: (_, socket) => client.open(socket),
    onMessage: ({ data }) => client.take(data),
    onClose: gone,
    onError: gone,
  }
}
