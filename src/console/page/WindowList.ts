/** Shows the last output windows of a command as expandable rows with a caption, and describes a window in words. */
import { PlainText } from "../../terminal/PlainText.ts"
import { makeElement, setText } from "./dom.ts"
import type { CommandWindows, NumberedWindow } from "./CommandWindows.ts"
import { escapeInvisible, formatCount, formatDuration, formatSize, truncate } from "./formatText.ts"

export const windowText = ({ bytes, from, lines, number, stream, to }: NumberedWindow, start: number): string =>
  `Window ${number}, ${stream}, after ${formatDuration(Math.max(0, from - start))}, lasted ${
    formatDuration(to - from)
  }, ${formatCount(lines, "line")}, ${formatSize(bytes)}`

const rowOf = (window: NumberedWindow, start: number): HTMLElement => {
  const { bytes, content, from, isLonger, lines, number, stream, to } = window
  const text = new PlainText().push(content)
  const first = text.split("\n").find((line) => line.trim() !== "") ?? ""
  const whole = makeElement("pre", { tabindex: 0, "aria-label": `Window ${number}` })
  const row = makeElement(
    "details",
    { class: stream, "data-number": number },
    makeElement(
      "summary",
      { title: windowText(window, start) },
      makeElement("span", { class: "number" }, String(number)),
      makeElement("span", {}, `+${formatDuration(Math.max(0, from - start))}`),
      makeElement("span", { class: "lasted" }, formatDuration(to - from)),
      makeElement("span", { class: "stream" }, stream),
      makeElement("span", {}, formatCount(lines, "line")),
      makeElement("span", {}, formatSize(bytes)),
      makeElement("span", { class: "first" }, truncate(escapeInvisible(first), 200)),
    ),
    whole,
  )
  row.addEventListener(
    "toggle",
    () => setText(whole, isLonger ? `${text}\n… (the start of ${formatSize(bytes)})` : text),
  )
  return makeElement("li", {}, row)
}

export class WindowList {
  readonly #list: HTMLElement
  readonly #caption: HTMLElement
  #shown: CommandWindows | undefined
  #last = 0

  constructor(list: HTMLElement, caption: HTMLElement) {
    this.#list = list
    this.#caption = caption
  }

  /** Empties the list, for another command or policy. */
  clear(): void {
    this.#shown = undefined
    this.#last = 0
    this.#list.replaceChildren()
  }

  update(windows: CommandWindows, start: number): void {
    if (windows !== this.#shown) this.clear()
    this.#shown = windows
    const fresh = windows.windows.filter(({ number }) => number > this.#last)
    this.#list.append(...fresh.map((window) => rowOf(window, start)))
    this.#last = windows.total
    const oldest = windows.windows[0]?.number ?? 0
    for (const item of [...this.#list.children]) {
      const row = item.firstElementChild
      // An expanded window stays.
      if (!(row instanceof HTMLDetailsElement) || row.open || row.contains(document.activeElement)) continue
      if (Number(row.dataset["number"]) >= oldest) break
      item.remove()
    }
    setText(this.#caption, captionOf(windows))
  }
}

const captionOf = ({ windows: shown, isPartial, pendingLength, total }: CommandWindows): string =>
  [
    total === 0 && pendingLength === 0 ? "No output yet." : `${formatCount(total, "window")}.`,
    total > shown.length ? `The last ${shown.length} are shown.` : "",
    pendingLength > 0 ? `${formatCount(pendingLength, "character")} in the unfinished window.` : "",
    isPartial ? "The page does not keep the oldest output: these windows begin later." : "",
  ].filter((part) => part !== "").join(" ")
