/** Applies a window policy as a Web `TransformStream` with back-pressure. */
import { maxTimerMillis } from "../base/maxTimerMillis.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { Policy } from "./Policy.ts"
import { settingsOf, type TaggedEvent, type Windowed, type WindowOptions, WindowSplitter } from "./WindowSplitter.ts"

/**
 * A transform stream of its own: the platform's `TransformStream` drops its queue when the writer fails; here the
 * windows come before the fault.
 */
class WindowTransform<A extends TaggedEvent> implements TransformStream<A, Windowed<A>> {
  readonly readable: ReadableStream<Windowed<A>>
  readonly writable: WritableStream<A>
  readonly #splitter: WindowSplitter<A>
  #reader: ReadableStreamDefaultController<Windowed<A>> | undefined
  #writer: WritableStreamDefaultController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #over = false
  #fault: { readonly reason: unknown } | undefined
  /** Whether the reader has pulled more windows than were queued. */
  #wanted = false
  /** Resumes the chunk that waits for the reader; while one waits, there is no silence. */
  #resume: (() => void) | undefined

  constructor(splitter: WindowSplitter<A>) {
    this.#splitter = splitter
    this.readable = new ReadableStream<Windowed<A>>({
      start: (controller) => {
        this.#reader = controller
      },
      pull: (controller) => {
        this.#wanted = true
        this.#resume?.()
        if (this.#fault !== undefined) controller.error(this.#fault.reason)
      },
      cancel: (reason) => {
        this.#end()
        this.#writer?.error(reason)
      },
    }, { highWaterMark: 0 })
    this.writable = new WritableStream<A>({
      start: (controller) => {
        this.#writer = controller
        controller.signal.addEventListener("abort", () => this.#resume?.())
      },
      write: (event, controller) => this.#write(event, controller.signal),
      close: () => {
        this.#flush()
        this.#reader?.close()
      },
      abort: (reason) => {
        this.#flush()
        // The reader gets the fault now if nothing is queued, else after the queue.
        if (this.#reader?.desiredSize === 0) this.#reader.error(reason)
        else this.#fault = { reason }
      },
    })
  }

  async #write(event: A, signal: AbortSignal): Promise<void> {
    const arrived = performance.now()
    if (!this.#wanted && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve
      })
      this.#resume = undefined
    }
    if (this.#over) return
    const out: Array<Windowed<A>> = []
    this.#splitter.push(event, arrived, out)
    this.#emit(out)
    this.#startTimer()
  }

  #emit(out: ReadonlyArray<Windowed<A>>): void {
    // Cleared before the first window is enqueued: the reader may pull again at once.
    if (out.length > 0) this.#wanted = false
    for (const window of out) this.#reader?.enqueue(window)
  }

  #startTimer(): void {
    if (this.#timer !== undefined || this.#over) return
    const left = this.#splitter.untilSilent(performance.now())
    if (left === Infinity) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // The waiting chunk restarts the timer.
      if (this.#resume !== undefined) return
      const out: Array<Windowed<A>> = []
      this.#splitter.cutSilent(performance.now(), out)
      this.#emit(out)
      this.#startTimer()
    }, Math.min(Math.max(0, left), maxTimerMillis))
  }

  #flush(): void {
    const out: Array<Windowed<A>> = []
    this.#splitter.flush(out)
    this.#emit(out)
    this.#end()
  }

  #end(): void {
    this.#over = true
    clearTimeout(this.#timer)
    this.#resume?.()
  }
}

/**
 * Makes a Web `TransformStream` with the same windows as `apply`. A chunk is accepted when the reader waits for a
 * window, so a slow reader slows the writer; at most the windows of one chunk are queued, besides held text. When the
 * writer fails, held text is emitted before the fault; a reader that cancels fails the writer. A silence is measured
 * from the time at which a chunk was written, in real time.
 *
 * @throws {OptionError} when `maxBytes` is less than 1.
 *
 * @example
 * ```ts
 * import { type ShellOutput, ShellOutputChunk, Window } from "@sluice/shell"
 *
 * const chunk = ShellOutputChunk.make({ commandId: "c", stream: "stdout", content: "a\nb\nc\n", timestamp: 0, seq: 0 })
 * const output = new ReadableStream<ShellOutputChunk | ShellOutput>({
 *   start: (controller) => {
 *     controller.enqueue(chunk)
 *     controller.close()
 *   },
 * })
 * const contents: Array<string> = []
 * for await (const event of output.pipeThrough(Window.transform(Window.lineCount(2)))) {
 *   if (event._tag === "Window") contents.push(event.content)
 * }
 * console.log(contents.join("|"))
 * // a
 * // b
 * // |c
 * ```
 */
export const transform = <A extends TaggedEvent = ShellOutputChunk | ShellOutput>(
  policy: Policy,
  options?: WindowOptions,
): TransformStream<A, Windowed<A>> => new WindowTransform(new WindowSplitter<A>(policy, settingsOf(options)))
