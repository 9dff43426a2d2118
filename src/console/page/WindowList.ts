/**
 * The windows of a command, one below the other.
 *
 * @module
 */
import { make, setText } from "./dom.ts"
import { plain } from "./plain.ts"
import type { Cut, Windows } from "./Windows.ts"
import { count, cut, size, span, spelled } from "./words.ts"

/** A window in words. */
export const windowText = ({ bytes, from, lines, number, stream, to }: Cut, start: number): string =>
  `Window ${number}, ${stream}, after ${span(Math.max(0, from - start))}, lasted ${span(to - from)}, ${
    count(lines, "line")
  }, ${size(bytes)}`

const rowOf = (window: Cut, start: number): HTMLElement => {
  const { bytes, content, from, isLonger, lines, number, stream, to } = window
  const text = plain(content)
  const first = text.split("\n").find((line) => line.trim() !== "") ?? ""
  const whole = make("pre", { tabindex: 0, "aria-label": `Window ${number}` })
  const row = make(
    "details",
    { class: stream, "data-number": number },
    make(
      "summary",
      { title: windowText(window, start) },
      make("span", { class: "number" }, String(number)),
      make("span", {}, `+${span(Math.max(0, from - start))}`),
      make("span", { class: "lasted" }, span(to - from)),
      make("span", { class: "stream" }, stream),
      make("span", {}, count(lines, "line")),
      make("span", {}, size(bytes)),
      make("span", { class: "first" }, cut(spelled(first), 200)),
    ),
    whole,
  )
  row.addEventListener("toggle", () => setText(whole, isLonger ? `${text}\n… (the start of ${size(bytes)})` : text))
  return make("li", {}, row)
}

/** A list in an element, which is brought up to date now and then. */
export class WindowList {
  readonly #list: HTMLElement
  readonly #caption: HTMLElement
  #shown: Windows | undefined
  #last = 0

  constructor(list: HTMLElement, caption: HTMLElement) {
    this.#list = list
    this.#caption = caption
  }

  /** Shows them anew: another command, or another policy. */
  clear(): void {
    this.#shown = undefined
    this.#last = 0
    this.#list.replaceChildren()
  }

  /** Adds what has come. */
  update(windows: Windows, start: number): void {
    if (windows !== this.#shown) this.clear()
    this.#shown = windows
    const fresh = windows.cuts.filter(({ number }) => number > this.#last)
    this.#list.append(...fresh.map((window) => rowOf(window, start)))
    this.#last = windows.total
    const oldest = windows.cuts[0]?.number ?? 0
    for (const item of [...this.#list.children]) {
      const row = item.firstElementChild
      // What somebody reads stays.
      if (!(row instanceof HTMLDetailsElement) || row.open || row.contains(document.activeElement)) continue
      if (Number(row.dataset["number"]) >= oldest) break
      item.remove()
    }
    setText(this.#caption, captionOf(windows))
  }
}

const captionOf = ({ cuts, isPartial, total, waiting }: Windows): string =>
  [
    total === 0 && waiting === 0 ? "No output yet." : `${count(total, "window")}.`,
    total > cuts.length ? `The last ${cuts.length} are shown.` : "",
    waiting > 0 ? `${count(waiting, "character")} wait for theirs to end.` : "",
    isPartial ? "The oldest output is not kept in the page: what is cut here begins later." : "",
  ].filter((part) => part !== "").join(" ")
