/** Handles the buttons of the page that cancel, kill or repeat the shown command. */
import { byId } from "./dom.ts"
import { type Command, isOpen } from "./decodeCommand.ts"
import { cancelCommand, type Rights } from "./apiClient.ts"

export interface CommandActionsOptions {
  readonly command: () => Command | undefined
  readonly again: (command: Command) => void
  readonly say: (text: string) => void
  readonly onFailure: (error: unknown) => void
}

export class CommandActions {
  readonly #cancel = byId("cancel", HTMLButtonElement)
  readonly #kill = byId("kill", HTMLButtonElement)
  readonly #again = byId("again", HTMLButtonElement)
  #rights: Rights = { run: false, cancel: false, approve: false }

  constructor({ again, command, onFailure, say }: CommandActionsOptions) {
    const end = async (force: boolean): Promise<void> => {
      const { commandId: id } = command() ?? {}
      if (id === undefined) return
      try {
        await cancelCommand(id, force)
        say(force ? "Kill requested." : "Cancellation requested.")
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

  allow(rights: Rights): void {
    this.#rights = rights
  }

  update(command: Command): void {
    const canEnd = isOpen(command) && this.#rights.cancel
    const hadFocus = [this.#cancel, this.#kill].some((button) => button === document.activeElement)
    this.#cancel.hidden = !canEnd
    this.#kill.hidden = !canEnd
    this.#again.hidden = !this.#rights.run || isOpen(command)
    // A hidden button loses the focus: move it to the result.
    if (hadFocus && !canEnd) byId("line", HTMLElement).focus()
  }
}
