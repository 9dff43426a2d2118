/** Cuts the text of one output stream into windows, where a policy or the size limit ends them. */
import type { ShellOutputChunk, ShellOutputWindow } from "../command/ShellEvent.ts"
import type { Policy, Scan } from "./Policy.ts"
import { isHighSurrogate, isLowSurrogate, splitsPair } from "../base/text.ts"
import { fitUtf8, utf8Length } from "../base/utf8.ts"

type ChunkOrigin = Pick<ShellOutputChunk, "seq" | "timestamp">

interface HalfCharacter extends ChunkOrigin {
  readonly content: string
}

/**
 * Number of short pieces in a row that are joined: output that trickles would otherwise cost a string for each byte.
 */
const shortPieces = 512
const shortLength = 256

export type WindowSink = Pick<Array<ShellOutputWindow>, "push">

/** The stream of a window: `stdout`, `stderr` or `both`. */
export type WindowStream = ShellOutputWindow["stream"]

/** Holds the text of an open window, and cuts it where the policy ends the window. The caller passes the time. */
export class WindowBuffer {
  /** Time of its last output, on the clock of the caller. */
  silentSince = 0
  readonly #policy: Policy
  readonly #maxBytes: number
  readonly #commandId: string
  readonly #stream: WindowStream
  #scan: Scan | undefined
  #startsLine = true
  #pieces: Array<string> = []
  #shorts = 0
  #length = 0
  /** UTF-8 bytes of the pieces; -1 as long as their length proves that they are within the limit. */
  #bytes = -1
  #from: ChunkOrigin = { seq: 0, timestamp: 0 }
  #to: ChunkOrigin = this.#from
  #half: HalfCharacter | undefined

  constructor(policy: Policy, maxBytes: number, commandId: string, stream: WindowStream) {
    this.#policy = policy
    this.#maxBytes = maxBytes
    this.#commandId = commandId
    this.#stream = stream
  }

  /** Whether it holds text that a silence would emit. */
  get holds(): boolean {
    return this.#length > 0
  }

  /** The number of the first held chunk. */
  get fromSeq(): number {
    return this.#length > 0 ? this.#from.seq : this.#half?.seq ?? 0
  }

  /** Takes the text of a chunk; appends the windows that it completes to `out`. */
  push(chunk: ShellOutputChunk, out: WindowSink): void {
    let text = chunk.content
    if (text === "") return
    let first: ChunkOrigin = chunk
    const half = this.#half
    if (half !== undefined) {
      this.#half = undefined
      if (isLowSurrogate(text.charCodeAt(0))) {
        text = half.content + text
        first = half
      } else this.#cut(half.content, half, half, out)
    }
    // A chunk may end inside a surrogate pair. The half is held, so that no policy sees it alone.
    if (isHighSurrogate(text.charCodeAt(text.length - 1))) {
      this.#half = { content: text.slice(-1), seq: chunk.seq, timestamp: chunk.timestamp }
      text = text.slice(0, -1)
    }
    this.#cut(text, first, chunk, out)
  }

  end(out: WindowSink): void {
    if (this.#length > 0) this.#emit("", this.#to, out)
  }

  /** Ends the open window, including half a character: no more output will come. */
  flush(out: WindowSink): void {
    const half = this.#half
    if (half !== undefined) {
      this.#half = undefined
      this.#cut(half.content, half, half, out)
    }
    this.end(out)
  }

  /** `first` is the chunk of the first character, `source` the chunk of the others. */
  #cut(text: string, first: ChunkOrigin, source: ChunkOrigin, out: WindowSink): void {
    let at = 0
    while (at < text.length) {
      if (this.#length === 0) {
        this.#from = at === 0 ? first : source
        this.#scan = this.#policy.open?.({ startsLine: this.#startsLine })
      }
      const end = this.#limit(text, at, this.#find(text, at))
      if (end < 0) break
      const piece = text.slice(at, end)
      if (piece !== "") this.#startsLine = piece.charCodeAt(piece.length - 1) === 0x0a
      this.#emit(piece, end === 0 ? this.#to : source, out)
      at = end
    }
    if (at < text.length) this.#hold(at === 0 ? text : text.slice(at), source)
  }

  #find(text: string, at: number): number {
    // A user's scan may return anything; NaN fails every comparison.
    const end = this.#scan === undefined ? -1 : Math.trunc(this.#scan(text, at))
    if (!(end > at || (end === at && this.#length > 0))) return -1
    return end >= text.length ? text.length : splitsPair(text, end) ? end + 1 : end
  }

  /** The end that the policy found, or an earlier one if the window is full. */
  #limit(text: string, at: number, end: number): number {
    const stop = end < 0 ? text.length : end
    // A UTF-16 code unit takes at most three bytes: bytes are counted only near the limit.
    if ((this.#length + stop - at) * 3 <= this.#maxBytes) return end
    if (this.#bytes < 0) this.#bytes = this.#pieces.reduce((sum, piece) => sum + utf8Length(piece), 0)
    const full = fitUtf8(text, at, stop, this.#maxBytes - this.#bytes).end
    if (full === stop) return end
    return full > at || this.#length > 0 ? full : splitsPair(text, at + 1) ? at + 2 : at + 1
  }

  #hold(text: string, source: ChunkOrigin): void {
    this.#pieces.push(text)
    this.#length += text.length
    this.#to = source
    this.#startsLine = text.charCodeAt(text.length - 1) === 0x0a
    if (this.#bytes >= 0) this.#bytes += utf8Length(text)
    this.#shorts = text.length < shortLength ? this.#shorts + 1 : 0
    if (this.#shorts === shortPieces) {
      this.#pieces.push(this.#pieces.splice(-shortPieces).join(""))
      this.#shorts = 0
    }
  }

  #emit(piece: string, to: ChunkOrigin, out: WindowSink): void {
    out.push({
      _tag: "Window",
      commandId: this.#commandId,
      stream: this.#stream,
      content: this.#length === 0 ? piece : this.#pieces.join("") + piece,
      fromSeq: this.#from.seq,
      toSeq: to.seq,
      fromTime: this.#from.timestamp,
      toTime: to.timestamp,
    })
    this.#scan = undefined
    if (this.#length === 0) return
    this.#pieces = []
    this.#shorts = 0
    this.#length = 0
    this.#bytes = -1
  }
}
