/** Asks the user for an access token in a dialog, stores it for the tab, and forgets it when the user signs out. */
import { byId } from "./dom.ts"
import { storedToken } from "./apiClient.ts"

/** The dialog, and the message in its place after it was closed without a token. */
export class SignIn {
  readonly #dialog = byId("sign-in", HTMLDialogElement)
  readonly #field = byId("token", HTMLInputElement)
  readonly #problem = byId("sign-in-problem", HTMLElement)
  readonly #again = byId("signed-out", HTMLElement)
  readonly #out = byId("sign-out", HTMLButtonElement)

  /** `onToken` is called with a new token, `onOut` when the token is forgotten. */
  constructor(onToken: () => void, onOut: () => void) {
    byId("sign-in-form", HTMLFormElement).addEventListener("submit", () => {
      storedToken.set(this.#field.value.trim())
      this.#field.value = ""
      this.#again.hidden = true
      onToken()
    })
    byId("sign-in-again", HTMLButtonElement).addEventListener("click", () => this.ask(""))
    this.#dialog.addEventListener("close", () => {
      this.#again.hidden = storedToken.get() !== undefined
    })
    this.#out.addEventListener("click", () => {
      storedToken.forget()
      onOut()
      this.ask("")
    })
  }

  /** Opens the dialog; shows why the last token was refused. */
  ask(why: string): void {
    this.#out.hidden = true
    this.#problem.textContent = why
    this.#field.setAttribute("aria-invalid", String(why !== ""))
    if (!this.#dialog.open) this.#dialog.showModal()
    this.#field.focus()
  }

  /** Closes the dialog: the server accepts the token, or needs none. */
  accepted(): void {
    this.#out.hidden = storedToken.get() === undefined
  }
}
