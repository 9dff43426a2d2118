/** Cuts the output of the shown command into windows by a policy and the server's read times; again when the policy changes. */
import type { ShellOutputChunk, ShellOutputWindow } from "../../command/ShellEvent.ts"
import type { Policy } from "../../window/Policy.ts"
import { settingsOf, WindowSplitter } from "../../window/WindowSplitter.ts"
import { utf8Length } from "../../base/utf8.ts"

export interface NumberedWindow {
  readonly number: number
  readonly stream: string
  readonly from: number
  readonly to: number
  readonly bytes: number
  readonly lines: number
  readonly content: string
  /** Whether the window has more text than `content`. */
  readonly isLonger: boolean
}

/** Maximum number of windows to keep: the last ones. */
const maxWindows = 200

const maxContentLength = 4_096

const maxBytes = 1_048_576

/** Maximum output to keep for a change of the policy, in characters and in pieces. */
const maxKeptLength = 8_388_608
const maxPieces = 50_000

const linesIn = (text: string): number => {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

export class CommandWindows {
  windows: Array<NumberedWindow> = []
  total = 0
  pendingLength = 0
  /** Whether the oldest output had been dropped when the policy changed. */
  isPartial = false
  #policy: Policy
  #splitter: WindowSplitter<ShellOutputChunk>
  #kept: Array<ShellOutputChunk> = []
  #keptLength = 0
  #hasDropped = false
  #hasEnded = false

  constructor(policy: Policy) {
    this.#policy = policy
    this.#splitter = new WindowSplitter(policy, settingsOf({ maxBytes }))
  }

  get policy(): Policy {
    return this.#policy
  }

  push(chunk: ShellOutputChunk): void {
    this.#kept.push(chunk)
    this.#keptLength += chunk.content.length
    if (this.#keptLength > maxKeptLength || this.#kept.length > maxPieces) this.#dropHalf()
    this.#cut(chunk)
  }

  settle(now: number): void {
    const out: Array<ShellOutputWindow> = []
    this.#splitter.cutSilent(now, out)
    this.#take(out)
  }

  end(): void {
    this.#hasEnded = true
    const out: Array<ShellOutputWindow> = []
    this.#splitter.flush(out)
    this.#take(out)
  }

  recut(policy: Policy): void {
    this.#policy = policy
    this.#splitter = new WindowSplitter(policy, settingsOf({ maxBytes }))
    this.windows = []
    this.total = 0
    this.pendingLength = 0
    this.isPartial = this.#hasDropped
    for (const chunk of this.#kept) this.#cut(chunk)
    if (this.#hasEnded) this.end()
  }

  #cut(chunk: ShellOutputChunk): void {
    const out: Array<ShellOutputWindow> = []
    this.#splitter.cutSilent(chunk.timestamp, out)
    this.#splitter.push(chunk, chunk.timestamp, out)
    this.pendingLength += chunk.content.length
    this.#take(out)
  }

  #take(windows: ReadonlyArray<ShellOutputWindow>): void {
    this.pendingLength -= windows.reduce((sum, { content }) => sum + content.length, 0)
    // When many windows arrive at once, only the last are kept.
    const first = this.total + 1
    this.total += windows.length
    for (const [at, window] of windows.entries()) {
      if (at >= windows.length - maxWindows) this.windows.push(numberedWindow(first + at, window))
    }
    if (this.windows.length > maxWindows) this.windows.splice(0, this.windows.length - maxWindows)
  }

  #dropHalf(): void {
    const gone = this.#kept.splice(0, Math.ceil(this.#kept.length / 2))
    this.#keptLength -= gone.reduce((sum, { content }) => sum + content.length, 0)
    this.#hasDropped = true
  }
}

const numberedWindow = (number: number, { content, fromTime, stream, toTime }: ShellOutputWindow): NumberedWindow => ({
  number,
  stream,
  from: fromTime,
  to: toTime,
  bytes: utf8Length(content),
  lines: linesIn(content),
  content: content.slice(0, maxContentLength),
  isLonger: content.length > maxContentLength,
})
