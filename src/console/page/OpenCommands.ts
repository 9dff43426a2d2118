/**
 * Tracks which commands wait or run, for the page's counters.
 *
 * @module
 */
import { type Command, isOpen } from "./decodeCommand.ts"

/** Ends that are remembered: a command may be told of again after it. */
const maxEnded = 1_000

/** Which commands are under way, and what a change means. */
export class OpenCommands {
  readonly #open = new Map<string, Command>()
  readonly #ended = new Map<string, Command>()

  /** Begins with those that are under way already. */
  replace(commands: ReadonlyArray<Command>): void {
    this.#open.clear()
    for (const command of commands) if (isOpen(command)) this.#open.set(command.commandId, command)
  }

  /** Takes a change; says what is new about it, if anything is. */
  take(command: Command): "began" | "ended" | undefined {
    const { commandId: id } = command
    const wasOpen = this.#open.has(id)
    if (isOpen(command)) {
      if (this.#ended.has(id)) return undefined
      this.#open.set(id, command)
      return wasOpen ? undefined : "began"
    }
    this.#open.delete(id)
    if (this.#ended.has(id)) return undefined
    this.#ended.set(id, command)
    const [oldest] = this.#ended.keys()
    if (oldest !== undefined && this.#ended.size > maxEnded) this.#ended.delete(oldest)
    return "ended"
  }

  /** What is known of a command by now: an answer may be overtaken by the news that it has ended. */
  newest(command: Command): Command {
    return this.#ended.get(command.commandId) ?? command
  }

  /** How many there are. */
  count(state: "running" | "waiting"): number {
    let found = 0
    for (const command of this.#open.values()) if (command.state === state) found++
    return found
  }
}
