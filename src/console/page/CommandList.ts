/**
 * Shows the list of commands, open ones first and newest first, with selection by mouse and keyboard; removes the
 * oldest ended ones beyond a maximum.
 *
 * Source: ARIA Authoring Practices Guide, "Listbox pattern".
 *
 * @module
 */
import { commandItem } from "./commandItem.ts"
import { type Command, isOpen } from "./decodeCommand.ts"

/** Maximum number of commands in the list until the user loads older ones; the oldest ended ones are removed. */
const defaultMaxCommands = 1_000

/** The elements of the list. */
export interface CommandListParts {
  readonly list: HTMLElement
  readonly now: HTMLElement
  readonly before: HTMLElement
}

/** The list and its selected command. */
export class CommandList {
  readonly #parts: CommandListParts
  readonly #onChoose: (command: Command, byKey: boolean) => void
  readonly #commands = new Map<string, Command>()
  readonly #items = new Map<string, HTMLElement>()
  #chosen: string | undefined
  #maxCommands = defaultMaxCommands

  /**
   * `onChoose` is called when a command is selected, `byKey` when the user steps through the list; `onOpen` when the user
   * opens the selected command, by Enter or a click.
   */
  constructor(
    parts: CommandListParts,
    onChoose: (command: Command, byKey: boolean) => void,
    onOpen: (byKey: boolean) => void,
  ) {
    this.#parts = parts
    this.#onChoose = onChoose
    parts.list.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.chosen !== undefined) {
        event.preventDefault()
        onOpen(true)
      } else this.#key(event)
    })
    parts.list.addEventListener("click", (event) => {
      const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-id]") : null
      if (item?.dataset["id"] === undefined) return
      this.choose(item.dataset["id"])
      onOpen(false)
    })
  }

  /** Replaces all commands. */
  replace(commands: ReadonlyArray<Command>): void {
    this.#commands.clear()
    this.#items.clear()
    this.#parts.now.replaceChildren()
    this.#parts.before.replaceChildren()
    this.#maxCommands = defaultMaxCommands
    this.add(commands)
  }

  /** Adds or updates commands. */
  add(commands: ReadonlyArray<Command>): void {
    for (const command of commands) this.#put(command)
    while (this.#commands.size > this.#maxCommands && this.#makeRoom());
    this.#mark()
  }

  /** Appends older commands that the user has requested. */
  addOlder(commands: ReadonlyArray<Command>): void {
    this.#maxCommands = Math.max(this.#maxCommands, this.#commands.size + commands.length)
    this.add(commands)
  }

  /** Whether the list contains a command. */
  has(id: string): boolean {
    return this.#items.has(id)
  }

  /** Number of commands in the list. */
  get size(): number {
    return this.#items.size
  }

  /** The selected command. */
  get chosen(): Command | undefined {
    return this.#chosen === undefined ? undefined : this.#commands.get(this.#chosen)
  }

  /** Selects a command. */
  choose(id: string, byKey = false): void {
    const command = this.#commands.get(id)
    if (command === undefined) return
    this.unchoose()
    this.#chosen = id
    const item = this.#items.get(id)
    item?.setAttribute("aria-selected", "true")
    item?.scrollIntoView({ block: "nearest" })
    this.#mark()
    this.#onChoose(command, byKey)
  }

  /** Selects no command. */
  unchoose(): void {
    if (this.#chosen !== undefined) this.#items.get(this.#chosen)?.setAttribute("aria-selected", "false")
    this.#chosen = undefined
    this.#mark()
  }

  #put(command: Command): void {
    const { commandId: id, position } = command
    const old = this.#items.get(id)
    const item = commandItem(command, id === this.#chosen)
    const group = isOpen(command) ? this.#parts.now : this.#parts.before
    this.#commands.set(id, command)
    this.#items.set(id, item)
    if (old?.parentElement === group) return old.replaceWith(item)
    old?.remove()
    // Newest first: a new command goes to the top, older ones arrive in pages.
    const last = group.lastElementChild
    const isOlder = (other: Element): boolean => this.#positionOf(other) < position
    if (last === null || !isOlder(last)) group.append(item)
    else group.insertBefore(item, [...group.children].find(isOlder) ?? null)
  }

  #positionOf(item: Element): number {
    const id = item instanceof HTMLElement ? item.dataset["id"] : undefined
    return (id === undefined ? undefined : this.#commands.get(id)?.position) ?? -1
  }

  /** Removes the oldest ended command; returns whether there was one. */
  #makeRoom(): boolean {
    const ids = this.#ids()
    const oldest = ids.reverse().find((id) => {
      const command = this.#commands.get(id)
      return id !== this.#chosen && command !== undefined && !isOpen(command)
    })
    if (oldest === undefined) return false
    this.#items.get(oldest)?.remove()
    this.#items.delete(oldest)
    this.#commands.delete(oldest)
    return true
  }

  #mark(): void {
    const { before, list, now } = this.#parts
    const item = this.#chosen === undefined ? undefined : this.#items.get(this.#chosen)
    if (item === undefined) list.removeAttribute("aria-activedescendant")
    else list.setAttribute("aria-activedescendant", item.id)
    for (const group of [now, before]) {
      if (group.parentElement !== null) group.parentElement.hidden = group.childElementCount === 0
    }
    list.hidden = this.#items.size === 0
  }

  #ids(): Array<string> {
    return [this.#parts.now, this.#parts.before].flatMap((group) =>
      [...group.children].flatMap((item) => item instanceof HTMLElement ? item.dataset["id"] ?? [] : [])
    )
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const ids = this.#ids()
    const at = this.#chosen === undefined ? -1 : ids.indexOf(this.#chosen)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(at - 1, 0),
      Home: 0,
      End: ids.length - 1,
      PageDown: at + 10,
      PageUp: Math.max(at - 10, 0),
    }
    const to = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined
    const id = to === undefined ? undefined : ids[Math.min(to, ids.length - 1)]
    if (id === undefined) return
    event.preventDefault()
    this.choose(id, true)
  }
}
