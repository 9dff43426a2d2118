/**
 * The list of commands: one of them is chosen, by mouse or by keys.
 *
 * @module
 */
import { make } from "./dom.ts"
import { type Command, isOpen } from "./json.ts"
import { mood, span, stateText } from "./words.ts"

/** Commands that the list holds; the oldest that ended make room. */
const most = 1_000

/** The list, and which command is chosen in it. */
export class CommandList {
  readonly #element: HTMLElement
  readonly #onChoose: (command: Command) => void
  readonly #commands = new Map<string, Command>()
  readonly #items = new Map<string, HTMLElement>()
  #chosen: string | undefined

  constructor(element: HTMLElement, onChoose: (command: Command) => void) {
    this.#element = element
    this.#onChoose = onChoose
    element.addEventListener("keydown", (event) => this.#key(event))
    element.addEventListener("click", (event) => {
      const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-id]") : null
      if (item?.dataset["id"] !== undefined) this.choose(item.dataset["id"])
    })
  }

  /** Shows these commands and no others. */
  replace(commands: ReadonlyArray<Command>): void {
    this.#commands.clear()
    this.#items.clear()
    this.#element.replaceChildren()
    for (const command of commands) this.#append(command)
    this.#mark()
  }

  /** Shows older ones, too. */
  add(commands: ReadonlyArray<Command>): void {
    for (const command of commands) if (!this.#items.has(command.id)) this.#append(command)
    this.#mark()
  }

  /** Shows what became of a command; one that is new comes first. */
  update(command: Command): void {
    const item = this.#items.get(command.id)
    this.#commands.set(command.id, command)
    const fresh = this.#itemOf(command)
    this.#items.set(command.id, fresh)
    if (item === undefined) this.#element.prepend(fresh)
    else item.replaceWith(fresh)
    if (this.#commands.size > most) this.#makeRoom()
    this.#mark()
  }

  /** Whether it is shown. */
  has(id: string): boolean {
    return this.#items.has(id)
  }

  /** The command that is chosen. */
  get chosen(): Command | undefined {
    return this.#chosen === undefined ? undefined : this.#commands.get(this.#chosen)
  }

  /** Chooses a command of the list. */
  choose(id: string): void {
    const command = this.#commands.get(id)
    if (command === undefined) return
    this.#chosen = id
    this.#mark()
    this.#items.get(id)?.scrollIntoView({ block: "nearest" })
    this.#onChoose(command)
  }

  #append(command: Command): void {
    const item = this.#itemOf(command)
    this.#commands.set(command.id, command)
    this.#items.set(command.id, item)
    this.#element.append(item)
  }

  #itemOf(command: Command): HTMLElement {
    const { durationMillis, id, line, position, requested } = command
    const when = new Date(requested)
    const time = make("time", { datetime: when.toISOString() }, when.toLocaleTimeString())
    const state = make("span", { class: `state ${mood(command)}` }, stateText(command))
    const took = durationMillis === undefined ? "" : span(durationMillis)
    return make(
      "li",
      { role: "option", id: `command-${position}`, "data-id": id, "aria-selected": "false" },
      make("span", { class: "line", title: line }, line),
      make("span", { class: "facts" }, state, " ", time, " ", took),
    )
  }

  #makeRoom(): void {
    const ids = [...this.#element.children].reverse()
      .flatMap((item) => item instanceof HTMLElement ? item.dataset["id"] ?? [] : [])
    const oldest = ids.find((id) => {
      const command = this.#commands.get(id)
      return id !== this.#chosen && command !== undefined && !isOpen(command)
    })
    if (oldest === undefined) return
    this.#items.get(oldest)?.remove()
    this.#items.delete(oldest)
    this.#commands.delete(oldest)
  }

  #mark(): void {
    for (const [id, item] of this.#items) item.setAttribute("aria-selected", String(id === this.#chosen))
    const item = this.#chosen === undefined ? undefined : this.#items.get(this.#chosen)
    if (item === undefined) this.#element.removeAttribute("aria-activedescendant")
    else this.#element.setAttribute("aria-activedescendant", item.id)
  }

  #key(event: KeyboardEvent): void {
    const ids = [...this.#element.children].flatMap((item) =>
      item instanceof HTMLElement ? item.dataset["id"] ?? [] : []
    )
    const at = this.#chosen === undefined ? -1 : ids.indexOf(this.#chosen)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(at - 1, 0),
      Home: 0,
      End: ids.length - 1,
      PageDown: at + 10,
      PageUp: Math.max(at - 10, 0),
    }
    const to = steps[event.key]
    const id = to === undefined ? undefined : ids[Math.min(to, ids.length - 1)]
    if (id === undefined) return
    event.preventDefault()
    this.choose(id)
  }
}
