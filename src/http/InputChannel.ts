/** Hands bytes from requests to the stdin of a running command, one request at a time. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { RendezvousPipe } from "../shell/RendezvousPipe.ts"
import { onAbort } from "../base/abort.ts"

/** Outcome of a write: the command read the bytes, or it reads no more. */
export type WriteOutcome = "taken" | "closed"

/** Maximum of requests that wait for their turn. */
const maxWaiting = 16

/** A rendezvous between requests and the stdin of a command: a write resolves when the command has read the bytes. */
export class InputChannel {
  /** Bytes of counted writes that the command has read since it started: the offset of a request that is sent again. */
  taken = 0
  /**
   * Whether several clients write, as on a terminal: the offsets of a client do not count what others write without an
   * offset.
   */
  readonly isShared: boolean
  readonly #pipe = new RendezvousPipe()
  #isOpen = true
  #turns: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(isShared = false) {
    this.isShared = isShared
  }

  readonly stream: Stream.Stream<Uint8Array> = Stream.ensuring(this.#pipe.stream, Effect.sync(() => this.close()))

  get isOpen(): boolean {
    return this.#isOpen
  }

  get isCrowded(): boolean {
    return this.#waiting >= maxWaiting
  }

  /** Runs `feed` when the requests before it are done: one request feeds the command at a time, in order of arrival. */
  async inTurn<A>(feed: () => Promise<A>): Promise<A> {
    this.#waiting++
    const turn = this.#turns.then(feed)
    this.#turns = turn.catch(() => {})
    try {
      return await turn
    } finally {
      this.#waiting--
    }
  }

  /** Resolves when the command has read the bytes. `counts`: whether they count as {@link InputChannel.taken}. */
  async write(bytes: Uint8Array, signal: AbortSignal | undefined, counts = true): Promise<WriteOutcome> {
    if (!this.isOpen || signal?.aborted === true) return "closed"
    const removeListener = signal === undefined ? undefined : onAbort(signal, this.#pipe.withdraw)
    const isTaken = await this.#pipe.write(bytes)
    removeListener?.()
    if (!isTaken) return "closed"
    if (counts) this.taken += bytes.length
    return "taken"
  }

  end(): void {
    this.#isOpen = false
    void this.#pipe.end()
  }

  /** Rejects pending and later writes: the command reads no more. */
  close(): void {
    this.#isOpen = false
    this.#pipe.close()
  }
}
