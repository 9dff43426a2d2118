/** Shows the output of a command as numbered lines with a search, times and marked lines; copies and saves it. */
import { errorMessage } from "../../base/errorMessage.ts"
import { byId, setText } from "./dom.ts"
import { formatCount } from "./formatText.ts"
import { initToggle } from "./initToggle.ts"
import { LineList } from "./LineList.ts"
import { OutputLines } from "./OutputLines.ts"
import { type Match, OutputSearch } from "./OutputSearch.ts"
import { formatLink, type LineRange, writeLink } from "./pageLink.ts"
import { copyText, readOutput, saveBlob } from "./saveOutput.ts"
import { StoredSwitch } from "./storage.ts"

/** Milliseconds without a key after which a typed text is searched for. */
const typingMillis = 200

export interface ShownCommand {
  readonly commandId: string
  /** The id of the newest event, of a command that has not ended. */
  readonly last: () => string | undefined
  readonly signal: AbortSignal
}

export class LogPanel {
  readonly #list: LineList
  readonly #field = byId("find", HTMLInputElement)
  readonly #status = byId("log-status", HTMLElement)
  readonly #say: (text: string) => void
  #lines = new OutputLines()
  #shown: ShownCommand | undefined
  #search: OutputSearch | undefined
  #match: Match | undefined
  #typing: ReturnType<typeof setTimeout> | undefined
  #scanning: ReturnType<typeof setTimeout> | undefined
  #awaited: LineRange | undefined
  #isEnded = false

  /** `say` announces the result of a search to screen readers. */
  constructor(say: (text: string) => void) {
    this.#say = say
    const element = byId("lines", HTMLElement)
    this.#list = new LineList(element, byId("line-list", HTMLElement), this.#lines, {
      hrefOf: (lines) => formatLink({ commandId: this.#shown?.commandId ?? "", lines }),
      onMark: (lines) => {
        if (this.#shown !== undefined) writeLink({ commandId: this.#shown.commandId, lines }, "push")
        this.mark(lines, false)
      },
    })
    initToggle("times", new StoredSwitch("times"), false, (on) => void element.classList.toggle("timed", on))
    this.#field.addEventListener("input", () => {
      clearTimeout(this.#typing)
      this.#typing = setTimeout(() => this.#find(), typingMillis)
    })
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#step(event.shiftKey ? -1 : 1)
      else if (event.key === "Escape") {
        this.#field.value = ""
        this.#find()
      } else return
      event.preventDefault()
    })
    byId("find-next", HTMLButtonElement).addEventListener("click", () => this.#step(1))
    byId("find-previous", HTMLButtonElement).addEventListener("click", () => this.#step(-1))
    byId("copy", HTMLButtonElement).addEventListener("click", () => this.#copy())
    byId("download", HTMLButtonElement).addEventListener("click", () => void this.#download())
  }

  show(shown: ShownCommand | undefined): void {
    this.#shown = shown
    this.#lines = new OutputLines()
    this.#list.show(this.#lines)
    this.#awaited = undefined
    this.#isEnded = false
    this.#status.textContent = ""
    this.#field.value = ""
    this.#find()
  }

  push(stream: "stdout" | "stderr", content: string, time: number): void {
    this.#lines.push(stream, content, time)
  }

  end(): void {
    this.#isEnded = true
  }

  /** Marks lines and, if `reveals`, brings them into view, as soon as they exist. */
  mark(lines: LineRange | undefined, reveals = true): void {
    this.#awaited = this.#list.mark(lines, reveals) ? undefined : lines
    this.#showTexts()
  }

  redraw(): void {
    const { from = 0 } = this.#awaited ?? {}
    if (from > 0 && from < (this.#isEnded ? this.#lines.end : this.#lines.ended)) this.mark(this.#awaited)
    else this.#list.render()
    this.#scan()
    this.#showTexts()
  }

  #showTexts(): void {
    const { end, first } = this.#lines
    const { from, to = 0 } = this.#list.marked ?? {}
    const marked = from === undefined ? 0 : Math.min(to + 1, end) - Math.max(from, first)
    setText(byId("copy", HTMLElement), marked <= 0 ? "Copy" : `Copy ${formatCount(marked, "line")}`)
    const gone = first === 1 ? [] : [`lines 1 to ${(first - 1).toLocaleString("en")} are only in the download`]
    const isMissing = this.#isEnded && from !== undefined && (from < first || from >= end)
    const missing = isMissing ? [`line ${from.toLocaleString("en")} is not available`] : []
    setText(byId("line-caption", HTMLElement), [formatCount(end - 1, "line"), ...gone, ...missing].join("; "))
  }

  #find(): void {
    clearTimeout(this.#typing)
    this.#search = this.#field.value === "" ? undefined : new OutputSearch(this.#field.value)
    this.#match = undefined
    this.#list.highlight(this.#search, undefined)
    this.#scan()
    this.#showCount()
  }

  /** Searches a part of the lines, yields to the page, and continues with the next part. */
  #scan(): void {
    clearTimeout(this.#scanning)
    const search = this.#search
    if (search === undefined) return
    const isMore = search.scan(this.#lines, this.#isEnded ? this.#lines.end : this.#lines.ended)
    if (this.#match === undefined && search.matches.length > 0) this.#go(0)
    if (isMore) this.#scanning = setTimeout(() => this.#scan())
    this.#showCount()
  }

  #step(by: 1 | -1): void {
    const { length = 0 } = this.#search?.matches ?? {}
    // The newest keystrokes are not yet searched for.
    if (length === 0) this.#find()
    else this.#go((this.#index + by + length) % length)
    this.#say(this.#countText())
  }

  #go(index: number): void {
    this.#match = this.#search?.matches[index]
    this.#list.highlight(this.#search, this.#match)
    this.#showCount()
  }

  /** The place of the current match among all; -1 if it was dropped with its line. */
  get #index(): number {
    return this.#match === undefined ? -1 : this.#search?.matches.indexOf(this.#match) ?? -1
  }

  #countText(): string {
    if (this.#search === undefined) return ""
    const { isFull, matches: { length } } = this.#search
    return length === 0 ? "No match" : `${this.#index + 1} of ${length.toLocaleString("en")}${isFull ? "+" : ""}`
  }

  #showCount(): void {
    setText(byId("found", HTMLElement), this.#countText())
  }

  #copy(): void {
    const { from, to } = this.#list.marked ?? {}
    const text = this.#lines.text(from, to)
    setText(this.#status, copyText(text) ? "Copied." : "The browser did not allow copying.")
  }

  async #download(): Promise<void> {
    const shown = this.#shown
    if (shown === undefined) return
    const last = shown.last()
    if (!this.#isEnded && last === undefined) return setText(this.#status, "No output yet.")
    setText(this.#status, "Downloading…")
    try {
      const blob = await readOutput(shown.commandId, this.#isEnded ? undefined : last, shown.signal)
      if (shown.signal.aborted) return
      saveBlob(blob, `${shown.commandId}.log`)
      setText(this.#status, "Downloaded.")
    } catch (error) {
      if (!shown.signal.aborted) setText(this.#status, `The download failed: ${errorMessage(error)}.`)
    }
  }
}
