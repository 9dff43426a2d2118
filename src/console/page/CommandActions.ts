/**
 * Handles the buttons that cancel, kill or repeat the shown command.
 *
 * @module
 */
import { byId } from "./dom.ts"
import { type Command, isOpen } from "./decodeCommand.ts"
import { cancelCommand, type Rights } from "./apiClient.ts"

/** Where the buttons take what they act on, and what they lead to. */
export interface CommandActionsOptions {
  readonly command: () => Command | undefined
  readonly again: (command: Command) => void
  /** Says what came of it. */
  readonly say: (text: string) => void
  readonly onFailure: (error: unknown) => void
}

/** The buttons below a command. */
export class CommandActions {
  readonly #cancel = byId("cancel", HTMLButtonElement)
  readonly #kill = byId("kill", HTMLButtonElement)
  readonly #again = byId("again", HTMLButtonElement)
  #rights: Rights = { run: false, cancel: false }

  constructor({ again, command, onFailure, say }: CommandActionsOptions) {
    const end = async (force: boolean): Promise<void> => {
      const { commandId: id } = command() ?? {}
      if (id === undefined) return
      try {
        await cancelCommand(id, force)
        say(force ? "Told to end at once." : "Asked to end.")
      } catch (error) {
        onFailure(error)
      }
    }
    this.#cancel.addEventListener("click", () => void end(false))
    this.#kill.addEventListener("click", () => void end(true))
    this.#again.addEventListener("click", () => {
      const shown = command()
      if (shown !== undefined) again(shown)
    })
  }

  /** Takes what the token allows. */
  allow(rights: Rights): void {
    this.#rights = rights
  }

  /** Shows what can be done with a command, and nothing else. */
  update(command: Command): void {
    const canEnd = isOpen(command) && this.#rights.cancel
    const hadFocus = [this.#cancel, this.#kill].some((button) => button === document.activeElement)
    this.#cancel.hidden = !canEnd
    this.#kill.hidden = !canEnd
    this.#again.hidden = !this.#rights.run || isOpen(command)
    // A button that goes away takes the focus along: it goes to what became of the command.
    if (hadFocus && !canEnd) byId("line", HTMLElement).focus()
  }
}
