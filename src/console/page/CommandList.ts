/** Shows the list of commands, with selection by mouse and keyboard (ARIA Authoring Practices Guide, "Listbox pattern"). */
import { type Grouping, groupOf } from "./commandGroups.ts"
import { makeCommandItem } from "./commandItem.ts"
import { type Command, isOpen } from "./decodeCommand.ts"
import { makeElement } from "./dom.ts"

/** Maximum number of commands in the list until the user loads older ones; the oldest ended ones are removed. */
const defaultMaxCommands = 1_000

const openGroup = { key: "open", name: "Running now" }

export class CommandList {
  readonly #list: HTMLElement
  readonly #onChoose: (command: Command, byKey: boolean) => void
  readonly #commands = new Map<string, Command>()
  readonly #items = new Map<string, HTMLElement>()
  /** The lists of the groups, by their keys; that of the open commands comes first. */
  readonly #groups = new Map<string, HTMLElement>()
  #grouping: Grouping = "state"
  #chosen: string | undefined
  #maxCommands = defaultMaxCommands

  /**
   * `onChoose` is called when a command is selected, `byKey` when the user steps through the list; `onOpen` when the user
   * opens the selected command, by Enter or a click.
   */
  constructor(
    list: HTMLElement,
    onChoose: (command: Command, byKey: boolean) => void,
    onOpen: (byKey: boolean) => void,
  ) {
    this.#list = list
    this.#onChoose = onChoose
    list.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.chosen !== undefined) {
        event.preventDefault()
        onOpen(true)
      } else this.#key(event)
    })
    list.addEventListener("click", (event) => {
      const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-id]") : null
      if (item?.dataset["id"] === undefined) return
      this.choose(item.dataset["id"])
      onOpen(false)
    })
  }

  replace(commands: ReadonlyArray<Command>): void {
    this.#commands.clear()
    this.#items.clear()
    this.#groups.clear()
    this.#list.replaceChildren()
    this.#maxCommands = defaultMaxCommands
    this.add(commands)
  }

  group(grouping: Grouping): void {
    this.#grouping = grouping
    const [commands, maxCommands] = [[...this.#commands.values()], this.#maxCommands]
    this.replace([])
    this.#maxCommands = maxCommands
    this.add(commands)
  }

  add(commands: ReadonlyArray<Command>): void {
    for (const command of commands) this.#put(command)
    while (this.#commands.size > this.#maxCommands && this.#makeRoom());
    this.#mark()
  }

  addOlder(commands: ReadonlyArray<Command>): void {
    this.#maxCommands = Math.max(this.#maxCommands, this.#commands.size + commands.length)
    this.add(commands)
  }

  has(id: string): boolean {
    return this.#items.has(id)
  }

  get size(): number {
    return this.#items.size
  }

  get chosen(): Command | undefined {
    return this.#chosen === undefined ? undefined : this.#commands.get(this.#chosen)
  }

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

  unchoose(): void {
    if (this.#chosen !== undefined) this.#items.get(this.#chosen)?.setAttribute("aria-selected", "false")
    this.#chosen = undefined
    this.#mark()
  }

  #put(command: Command): void {
    const { commandId: id, position } = command
    const old = this.#items.get(id)
    const item = makeCommandItem(command, id === this.#chosen)
    const group = this.#groupOf(command)
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

  #groupOf(command: Command): HTMLElement {
    const { key, name } = isOpen(command) ? openGroup : groupOf(command, this.#grouping)
    const known = this.#groups.get(key)
    if (known !== undefined) return known
    const id = `group-${this.#groups.size}`
    const group = makeElement("ul", { role: "group", "aria-labelledby": id })
    const section = makeElement("div", {}, makeElement("p", { class: "group", id, role: "presentation" }, name), group)
    const isOlder = ({ firstElementChild: item }: Element): boolean =>
      item !== null && this.#positionOf(item) < command.position
    const open = this.#groups.get(openGroup.key)
    const older = [...this.#list.querySelectorAll("ul")].find((items) => items !== open && isOlder(items))
    if (key === openGroup.key) this.#list.prepend(section)
    else this.#list.insertBefore(section, older?.parentElement ?? null)
    this.#groups.set(key, group)
    return group
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
    const list = this.#list
    const item = this.#chosen === undefined ? undefined : this.#items.get(this.#chosen)
    if (item === undefined) list.removeAttribute("aria-activedescendant")
    else list.setAttribute("aria-activedescendant", item.id)
    for (const group of this.#groups.values()) {
      if (group.parentElement !== null) group.parentElement.hidden = group.childElementCount === 0
    }
    list.hidden = this.#items.size === 0
  }

  #ids(): Array<string> {
    return [...this.#list.querySelectorAll<HTMLElement>("[data-id]")].flatMap((item) => item.dataset["id"] ?? [])
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
