/**
 * Shows a window of the lines of an output, which follows its end or the user's scrolling. Lines are real elements, so that
 * selection, wrapping and search work as for other text.
 */
import type { OutputLines } from "./OutputLines.ts"
import type { Match, OutputSearch } from "./OutputSearch.ts"
import { lineRow } from "./lineRow.ts"
import type { LineRange } from "./pageLink.ts"

const windowLines = 1_000

/** Distance from an edge in pixels at which the window moves. */
const edge = 400

export interface LineListOptions {
  readonly hrefOf: (lines: LineRange) => string
  readonly onMark: (lines: LineRange) => void
}

export class LineList {
  readonly #element: HTMLElement
  readonly #list: HTMLElement
  readonly #options: LineListOptions
  #lines: OutputLines
  #search: OutputSearch | undefined
  #current: Match | undefined
  #marked: LineRange | undefined
  /** Lines from `#from` to before `#to` have elements; those from `#stale` are made again. */
  #from = 1
  #to = 1
  #stale = 1
  /** Whether the last line had an element, and whether the next ones come into view by themselves. */
  #showsEnd = true
  #follows = true
  /** The position to which the page itself has scrolled: only scrolling by the user begins or ends following. */
  #scrollTop = 0

  constructor(element: HTMLElement, list: HTMLElement, lines: OutputLines, options: LineListOptions) {
    this.#element = element
    this.#list = list
    this.#lines = lines
    this.#options = options
    element.addEventListener("scroll", () => this.#scrolled())
    list.addEventListener("click", (event) => this.#click(event))
    list.addEventListener("keydown", (event) => this.#key(event))
  }

  get marked(): LineRange | undefined {
    return this.#marked
  }

  show(lines: OutputLines): void {
    this.#lines = lines
    this.#search = this.#current = this.#marked = undefined
    this.#follows = true
    this.#from = this.#to = 1
    this.#list.replaceChildren()
  }

  /** Marks lines and, if `reveals`, brings the first into view. Returns whether that line exists. */
  mark(lines: LineRange | undefined, reveals: boolean): boolean {
    this.#marked = lines
    this.#again()
    return lines === undefined || (reveals ? this.#reveal(lines.from) : this.#has(lines.from))
  }

  highlight(search: OutputSearch | undefined, current: Match | undefined): void {
    this.#search = search
    this.#current = current
    this.#again()
    if (current !== undefined) this.#reveal(current.line)
  }

  #has(line: number): boolean {
    return line >= this.#lines.first && line < this.#lines.end
  }

  /** Brings a line into view; returns whether it exists. */
  #reveal(line: number): boolean {
    if (!this.#has(line)) return false
    this.#follows = false
    if (line < this.#from || line >= this.#to) this.#from = line - windowLines / 2
    this.render()
    const target = this.#rowOf(line)
    ;(target?.querySelector("mark.current") ?? target)?.scrollIntoView({ block: "center", inline: "nearest" })
    this.#scrollTop = this.#element.scrollTop
    return true
  }

  render(): void {
    const { ended, end, first } = this.#lines
    this.#list.style.setProperty("--digits", String(String(end).length))
    if (this.#follows) this.#from = end
    this.#from = Math.max(first, Math.min(this.#from, end - windowLines))
    const to = Math.min(end, this.#from + windowLines)
    for (let row = this.#list.firstElementChild; row !== null && lineOf(row) < this.#from;) {
      row.remove()
      row = this.#list.firstElementChild
    }
    const keepTo = Math.min(to, this.#stale)
    for (let row = this.#list.lastElementChild; row !== null && lineOf(row) >= keepTo;) {
      row.remove()
      row = this.#list.lastElementChild
    }
    const { firstElementChild: top, lastElementChild: bottom } = this.#list
    const before = top === null ? [] : this.#rows(this.#from, lineOf(top))
    this.#list.prepend(...before)
    this.#list.append(...this.#rows(bottom === null ? this.#from : lineOf(bottom) + 1, to))
    this.#to = to
    this.#showsEnd = to === end
    // The last line may get longer.
    this.#stale = ended
    this.#keepOneTabStop()
    if (this.#follows) this.#scrollTo(this.#element.scrollHeight)
  }

  #scrollTo(top: number): void {
    this.#element.scrollTop = top
    this.#scrollTop = this.#element.scrollTop
  }

  #rows(from: number, to: number): ReadonlyArray<HTMLElement> {
    const rows: Array<HTMLElement> = []
    for (let number = from; number < to; number++) {
      const line = this.#lines.line(number)
      if (line === undefined) continue
      const text = line.spans.map((span) => span.text).join("")
      const { from: first = Infinity, to: last = 0 } = this.#marked ?? {}
      rows.push(lineRow(number, line, {
        href: this.#options.hrefOf({ from: number, to: number }),
        isMarked: number >= first && number <= last,
        matches: this.#search?.in(text) ?? [],
        current: this.#current?.line === number ? this.#current.start : undefined,
      }))
    }
    return rows
  }

  #again(): void {
    const scrollTop = this.#element.scrollTop
    this.#stale = 0
    this.render()
    if (!this.#follows) this.#scrollTo(scrollTop)
  }

  #scrolled(): void {
    const { clientHeight, scrollHeight, scrollTop } = this.#element
    const below = scrollHeight - scrollTop - clientHeight
    if (clientHeight === 0 || scrollTop === this.#scrollTop) return
    this.#follows = below < 8 && this.#showsEnd
    if (scrollTop < edge && this.#from > this.#lines.first) this.#move(-windowLines / 2)
    else if (below < edge && !this.#showsEnd) this.#move(windowLines / 2)
  }

  /** Moves the window, and keeps a line that stays at its place on the screen. */
  #move(lines: number): void {
    const anchor = this.#rowOf(lines < 0 ? this.#from : this.#to - 1)
    const before = anchor?.offsetTop ?? 0
    const { scrollTop } = this.#element
    this.#from += lines
    this.render()
    this.#scrollTo(scrollTop + (anchor?.offsetTop ?? before) - before)
  }

  #rowOf(line: number): HTMLElement | undefined {
    const row = this.#list.children[line - this.#from]
    return row instanceof HTMLElement ? row : undefined
  }

  /** The line number that Tab reaches: the first marked one, or else the first. */
  #keepOneTabStop(): void {
    for (const link of this.#list.querySelectorAll<HTMLElement>('a[tabindex="0"]')) link.tabIndex = -1
    const link = this.#list.querySelector<HTMLElement>(".marked a") ?? this.#list.querySelector<HTMLElement>("a")
    if (link !== null) link.tabIndex = 0
  }

  #click(event: MouseEvent): void {
    const row = event.target instanceof Element ? event.target.closest("a")?.closest("li") : undefined
    if (row === null || row === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const line = lineOf(row)
    const start = event.shiftKey ? this.#marked?.from ?? line : line
    const hadFocus = this.#list.contains(document.activeElement)
    const { scrollTop } = this.#element
    this.#follows = false
    this.#options.onMark({ from: Math.min(start, line), to: Math.max(start, line) })
    this.#scrollTo(scrollTop)
    // The element was made again.
    if (hadFocus) this.#rowOf(line)?.querySelector("a")?.focus({ preventScroll: true })
  }

  #key(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    const row = event.target instanceof Element ? event.target.closest("li") : null
    if (step === 0 || row === null) return
    event.preventDefault()
    const next = step > 0 ? row.nextElementSibling : row.previousElementSibling
    next?.querySelector("a")?.focus()
  }
}

const lineOf = (row: Element): number => row instanceof HTMLElement ? Number(row.dataset["line"]) : 0
