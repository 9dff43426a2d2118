/** Reads the events of one command, and shows its facts, live output, windows and timeline. */
import { errorMessage } from "../../base/errorMessage.ts"
import { isRecord } from "../../base/isObject.ts"
import type { Policy } from "../../window/Policy.ts"
import { byId, setText } from "./dom.ts"
import { explainFailure, listFacts } from "./listFacts.ts"
import { type Command, isOpen, type JsonRecord, parseJson, readNumber, readText } from "./decodeCommand.ts"
import type { EventStreamMessage } from "./readEventStream.ts"
import type { OutputTerminal } from "./OutputTerminal.ts"
import { eventsPath, followEvents, getCommand } from "./apiClient.ts"
import { LiveTerminal } from "./LiveTerminal.ts"
import { drawTimeline, listTimings } from "./drawTimeline.ts"
import { ActivityHistogram } from "./ActivityHistogram.ts"
import { WindowList } from "./WindowList.ts"
import { CommandWindows } from "./CommandWindows.ts"
import { escapeInvisible } from "./formatText.ts"
import type { LogPanel } from "./LogPanel.ts"

const redrawMillis = 250

/** Milliseconds without messages after which silence ends a window: the network may delay output. */
const lateMillis = 1_000

const red = (text: string): string => `\x1b[31m${text}\x1b[39m`

export class CommandDetail {
  readonly #output: OutputTerminal
  readonly #log: LogPanel
  readonly #mayRun: () => boolean
  readonly #element: HTMLElement = byId("detail", HTMLElement)
  readonly #list: WindowList = new WindowList(byId("window-list", HTMLElement), byId("window-caption", HTMLElement))
  #command: Command | undefined
  #timing = new ActivityHistogram(0)
  #windows: CommandWindows
  #lastTime = 0
  #lastArrival = 0
  #seq = 0
  #last: string | undefined
  #isRead = false
  #reading = new AbortController()
  #live: LiveTerminal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(output: OutputTerminal, log: LogPanel, policy: Policy, mayRun: () => boolean) {
    this.#output = output
    this.#log = log
    this.#mayRun = mayRun
    this.#windows = new CommandWindows(policy)
    new ResizeObserver(() => this.#redrawSoon()).observe(byId("drawing", HTMLElement))
  }

  get command(): Command | undefined {
    return this.#command
  }

  show(command: Command): void {
    if (command.commandId === this.#command?.commandId) return this.update(command)
    this.#leave()
    this.#reading = new AbortController()
    this.#timing = new ActivityHistogram(command.requested)
    this.#windows = new CommandWindows(this.#windows.policy)
    this.#lastTime = command.requested
    this.#lastArrival = performance.now()
    this.#seq = 0
    this.#isRead = false
    this.#output.clear()
    this.#last = undefined
    this.#log.show({
      commandId: command.commandId,
      last: () => this.#live === undefined ? this.#last : String(this.#live.position),
      signal: this.#reading.signal,
    })
    this.#element.hidden = false
    this.#output.fit()
    this.update(command)
    this.redraw()
    void this.#read(command.commandId, this.#reading.signal)
  }

  clear(): void {
    this.#leave()
    this.#command = undefined
    this.#element.hidden = true
    this.#output.clear()
    this.#log.show(undefined)
  }

  update(command: Command): void {
    this.#command = command
    setText(byId("line", HTMLElement), escapeInvisible(command.text))
    byId("facts", HTMLElement).replaceChildren(...listFacts(command))
    const why = explainFailure(command)
    byId("why", HTMLElement).replaceChildren(...why)
    byId("why", HTMLElement).hidden = why.length === 0
    this.#redrawSoon()
  }

  recut(policy: Policy): void {
    this.#windows.recut(policy)
    this.#list.clear()
    this.redraw()
  }

  redraw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const command = this.#command
    if (command === undefined) return
    const now = this.#lastTime + performance.now() - this.#lastArrival
    if (!this.#isRead && now - this.#lastTime > lateMillis) this.#windows.settle(now)
    if (!byId("windows", HTMLElement).hidden) this.#list.update(this.#windows, command.requested)
    if (!byId("timeline", HTMLElement).hidden) this.#draw(command)
    // A selection would be lost.
    if (!byId("log", HTMLElement).hidden && document.getSelection()?.isCollapsed !== false) this.#log.redraw()
    byId("silent", HTMLElement).hidden = !this.#isRead || this.#seq > 0
    if (isOpen(command) || !this.#isRead) this.#timer = setTimeout(() => this.redraw(), redrawMillis)
  }

  #draw(command: Command): void {
    const place = byId("drawing", HTMLElement)
    const end = command.ended ?? Math.max(this.#lastTime, Date.now())
    const drawn = { command, end, timing: this.#timing, windows: this.#windows }
    place.replaceChildren(drawTimeline(drawn, Math.max(240, place.clientWidth)))
    byId("timings", HTMLElement).replaceChildren(...listTimings(drawn))
  }

  #redrawSoon(): void {
    this.#timer ??= setTimeout(() => this.redraw(), redrawMillis)
  }

  #leave(): void {
    this.#reading.abort()
    this.#live?.close()
    this.#live = undefined
  }

  async #read(id: string, signal: AbortSignal): Promise<void> {
    byId("output-link", HTMLElement).textContent = ""
    const command = this.#command
    // A change of the list may be older than the terminal, or than its latest size.
    const isStale = command !== undefined && (isOpen(command) || command.terminal !== undefined)
    const known = isStale ? await getCommand(id).catch(() => command) : command
    if (signal.aborted) return
    if (known?.hasTerminal === true) return this.#attach(id, signal)
    // A recording of a terminal is displayed correctly only in its size.
    if (known?.terminal !== undefined) this.#output.setSize(known.terminal.cols, known.terminal.rows)
    await this.#follow(id, undefined, signal)
  }

  #attach(id: string, signal: AbortSignal): void {
    this.#live = new LiveTerminal(this.#output, {
      id,
      mayRun: this.#mayRun,
      onOutput: (text) => signal.aborted ? Promise.resolve() : this.#piece(id, "stdout", text, Date.now()),
      onEnd: () => {
        if (!signal.aborted) this.#end()
      },
      onNoSocket: (position) => void this.#follow(id, position < 0 ? undefined : String(position), signal),
    })
  }

  async #follow(id: string, after: string | undefined, signal: AbortSignal): Promise<void> {
    const link = byId("output-link", HTMLElement)
    try {
      await followEvents(eventsPath(id), after, (message) => this.#take(id, message, signal), (state) => {
        if (!signal.aborted) setText(link, state === "open" ? "" : "Connection lost: trying again.")
      }, signal)
    } catch (error) {
      if (!signal.aborted) setText(link, `The output cannot be read: ${errorMessage(error)}`)
    }
    if (!signal.aborted) this.#end()
  }

  #end(): void {
    this.#isRead = true
    this.#log.end()
    this.#live?.close("The command has ended.")
    this.#live = undefined
    this.#windows.end()
    this.#redrawSoon()
  }

  async #take(id: string, message: EventStreamMessage, signal: AbortSignal): Promise<void> {
    const { data, event } = message
    const value = parseJson(data)
    if (signal.aborted || !isRecord(value)) return
    this.#last = message.id
    if (event === "problem") {
      return setText(
        byId("output-link", HTMLElement),
        readText(value, "detail") ?? "The rest of the output is not available.",
      )
    }
    const tag = readText(value, "_tag")
    if (tag === "ShellOutputChunk") {
      const time = readNumber(value, "timestamp") ?? this.#timing.requested
      await this.#piece(id, readText(value, "stream"), readText(value, "content"), time)
    } else if (tag === "ShellOutput" || tag === "ShellFault") {
      if (this.#seq === 0) await this.#whole(id, value, signal)
      if (!signal.aborted) this.#end()
    }
  }

  /** The output of a run without chunks, taken from its result. */
  async #whole(id: string, last: JsonRecord, signal: AbortSignal): Promise<void> {
    const time = readNumber(last, "completed") ?? this.#command?.ended ?? Date.now()
    for (const stream of ["stdout", "stderr"]) {
      if (!signal.aborted) await this.#piece(id, stream, readText(last, stream), time)
    }
    const omitted = (readNumber(last, "stdoutBytesOmitted") ?? 0) + (readNumber(last, "stderrBytesOmitted") ?? 0)
    if (omitted > 0 && !signal.aborted) {
      setText(byId("output-link", HTMLElement), `${omitted} bytes of the output were not kept.`)
    }
  }

  async #piece(commandId: string, from: string | undefined, content = "", timestamp: number): Promise<void> {
    if (content === "") return
    const stream = from === "stderr" ? "stderr" : "stdout"
    this.#timing.add(stream, content, timestamp)
    this.#log.push(stream, content, timestamp)
    this.#windows.push({ _tag: "ShellOutputChunk", commandId, stream, content, timestamp, seq: this.#seq++ })
    this.#lastTime = timestamp
    this.#redrawSoon()
    await this.#output.write(stream === "stderr" ? red(content) : content)
    this.#lastArrival = performance.now()
  }
}
