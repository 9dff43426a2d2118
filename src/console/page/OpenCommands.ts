/** Tracks which commands wait or run, and reports whether a change is the start or the end of a command. */
import { type Command, isOpen } from "./decodeCommand.ts"

/** Maximum number of ended commands to remember: a late message may mention one again. */
const maxEnded = 1_000

export class OpenCommands {
  readonly #open = new Map<string, Command>()
  readonly #ended = new Map<string, Command>()

  replace(commands: ReadonlyArray<Command>): void {
    this.#open.clear()
    for (const command of commands) if (isOpen(command)) this.#open.set(command.commandId, command)
  }

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

  /** The newest known state of a command: a response may be older than the message that it has ended. */
  newest(command: Command): Command {
    return this.#ended.get(command.commandId) ?? command
  }

  count(state: "running" | "waiting"): number {
    let found = 0
    for (const command of this.#open.values()) if (command.state === state) found++
    return found
  }
}
