/**
 * One command: what it is, its output as it comes, its windows and its timeline.
 *
 * @module
 */
import { byId, make } from "./dom.ts"
import { type Command, isOpen, isRecord, numberOf, parse, textOf } from "./json.ts"
import type { Message } from "./messages.ts"
import type { Output } from "./Output.ts"
import { Run } from "./Run.ts"
import { cancel, eventsPath, follow, Refused } from "./server.ts"
import { span, stateText } from "./words.ts"
import { timeline, timelineCaption, windowCaption, windowRows } from "./views.ts"

const red = (text: string): string => `\x1b[31m${text}\x1b[39m`

/** Milliseconds between two drawings of what changes all the time. */
const redrawMillis = 250

/** The part of the page that is about one command. */
export class Detail {
  readonly #output: Output
  readonly #say: (text: string) => void
  #command: Command | undefined
  #run = new Run(0)
  #end: number | undefined
  #reading = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(output: Output, say: (text: string) => void) {
    this.#output = output
    this.#say = say
    byId("cancel", HTMLButtonElement).addEventListener("click", () => this.#cancel(false))
    byId("kill", HTMLButtonElement).addEventListener("click", () => this.#cancel(true))
  }

  /** Shows a command from the start of its output. */
  show(command: Command): void {
    if (command.id === this.#command?.id) return this.update(command)
    this.#reading.abort()
    this.#reading = new AbortController()
    this.#run = new Run(command.requested)
    this.#end = undefined
    this.#output.clear()
    byId("detail", HTMLElement).hidden = false
    this.#output.fit()
    this.update(command)
    this.#redrawSoon()
    void this.#read(command.id, this.#reading.signal)
  }

  /** Takes what became of the command, if it is the one that is shown. */
  update(command: Command): void {
    this.#command = command
    const { durationMillis, executable, id, line, message, requested, workingDirectory } = command
    byId("line", HTMLElement).textContent = line
    const facts: ReadonlyArray<readonly [string, string | undefined]> = [
      ["State", stateText(command)],
      ["Why", message],
      ["Started", new Date(requested).toLocaleString()],
      ["Took", durationMillis === undefined ? undefined : span(durationMillis)],
      ["In", workingDirectory],
      ["Program", executable],
      ["Id", id],
    ]
    byId("facts", HTMLElement).replaceChildren(
      ...facts.flatMap(([name, value]) => value === undefined ? [] : [make("dt", {}, name), make("dd", {}, value)]),
    )
    const open = isOpen(command)
    byId("cancel", HTMLButtonElement).disabled = !open
    byId("kill", HTMLButtonElement).disabled = !open
  }

  /** The id of the command that is shown. */
  get id(): string | undefined {
    return this.#command?.id
  }

  /** Draws the windows and the timeline. */
  redraw(): void {
    this.#timer = undefined
    byId("windows-caption", HTMLElement).textContent = windowCaption(this.#run)
    byId("windows-rows", HTMLElement).replaceChildren(...windowRows(this.#run))
    byId("timeline-caption", HTMLElement).textContent = timelineCaption(this.#run)
    byId("timeline-drawing", HTMLElement).replaceChildren(timeline(this.#run, this.#end ?? Date.now()))
  }

  #redrawSoon(): void {
    this.#timer ??= setTimeout(() => this.redraw(), redrawMillis)
  }

  async #cancel(force: boolean): Promise<void> {
    if (this.#command === undefined) return
    try {
      await cancel(this.#command.id, force)
      this.#say(force ? "The command is being killed." : "The command is being ended.")
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error))
    }
  }

  async #read(id: string, signal: AbortSignal): Promise<void> {
    const link = byId("link", HTMLElement)
    try {
      await follow(eventsPath(id), undefined, (message) => this.#take(message, signal), (state) => {
        if (!signal.aborted) link.textContent = state === "open" ? "" : "Connection lost: trying again."
      }, signal)
    } catch (error) {
      if (!signal.aborted) await this.#output.write(red(`\n${error instanceof Refused ? error.message : "?"}\n`))
    }
  }

  async #take({ data, event }: Message, signal: AbortSignal): Promise<void> {
    const value = parse(data)
    if (signal.aborted || !isRecord(value)) return
    if (event === "problem") return await this.#output.write(red(`\n${textOf(value, "detail") ?? "no more"}\n`))
    const tag = textOf(value, "_tag")
    if (tag === "ShellOutputChunk") {
      const stream = textOf(value, "stream") ?? "stdout"
      await this.#piece(stream, textOf(value, "content") ?? "", numberOf(value, "timestamp") ?? this.#run.start)
    } else if (tag === "ShellOutput" || tag === "ShellFault") {
      const completed = numberOf(value, "completed") ?? Date.now()
      this.#end = completed
      // A run that was answered as one result has its output here, and else there is none.
      if (tag === "ShellOutput") {
        for (const stream of ["stdout", "stderr"]) {
          const text = textOf(value, stream) ?? ""
          if (text !== "") await this.#piece(stream, text, completed)
        }
      } else await this.#output.write(red(`\n${textOf(value, "message") ?? "it faulted"}\n`))
      this.#redrawSoon()
    }
  }

  async #piece(stream: string, content: string, time: number): Promise<void> {
    this.#run.add(stream, content, time)
    this.#redrawSoon()
    await this.#output.write(stream === "stderr" ? red(content) : content)
  }
}
