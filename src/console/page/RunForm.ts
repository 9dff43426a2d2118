/**
 * Starts the command that the user types into a form, through the server's HTTP API.
 *
 * @module
 */
import { byId } from "./dom.ts"
import type { Command } from "./decodeCommand.ts"
import { ApiError, startCommand } from "./apiClient.ts"
import { splitWords } from "./splitWords.ts"

/** A command to start, or the error of the input. */
type Asked = { readonly exec: object } | { readonly problem: string }

const nothing = "Type a command first: git status, say."

const asked = (line: string, isScript: boolean, directory: string): Asked => {
  const where = directory === "" ? undefined : { workingDirectory: directory }
  if (line.trim() === "") return { problem: nothing }
  if (isScript) return { exec: { command: line, useShell: true, ...where } }
  const { open, sign, words: [command, ...words] } = splitWords(line)
  if (open) return { problem: "A quote is open at the end of the line." }
  if (sign !== undefined) {
    return { problem: `Only a shell knows what ${sign} means: tick “as a shell script”, or put it in quotes.` }
  }
  return command === undefined ? { problem: nothing } : { exec: { command, arguments: words, ...where } }
}

/** The form that starts a command. */
export class RunForm {
  readonly #form = byId("run", HTMLFormElement)
  readonly #line = byId("run-line", HTMLTextAreaElement)
  readonly #script = byId("run-shell", HTMLInputElement)
  readonly #directory = byId("run-directory", HTMLInputElement)
  readonly #problem = byId("problem", HTMLElement)

  /** `onRun` gets the id of the started command, `onFailure` errors that do not concern the form. */
  constructor(onRun: (id: string) => Promise<void>, onFailure: (error: unknown) => void) {
    const submit = async (): Promise<void> => {
      this.#say("")
      const what = asked(this.#line.value, this.#script.checked, this.#directory.value.trim())
      if ("problem" in what) return this.#say(what.problem)
      try {
        await onRun(await startCommand(what.exec))
        this.#line.select()
      } catch (error) {
        if (error instanceof ApiError && error.status !== 401) this.#say(`It does not run: ${error.message}`)
        else onFailure(error)
      }
    }
    this.#line.addEventListener("keydown", (event) => {
      // Shift+Enter adds a line; Enter that ends the composition of an input method does neither.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
      event.preventDefault()
      this.#form.requestSubmit()
    })
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault()
      void submit()
    })
  }

  /** Shows the form if the token may run commands. */
  allow(isAllowed: boolean): void {
    this.#form.hidden = !isAllowed
  }

  /** Fills the form with a command, to be edited and run again. */
  fill({ isScript, text, workingDirectory }: Command): void {
    this.#say("")
    this.#line.value = text
    this.#script.checked = isScript
    this.#directory.value = workingDirectory ?? ""
    this.#line.focus()
  }

  /** Focuses the input field. */
  focus(): void {
    this.#line.focus()
  }

  #say(text: string): void {
    this.#problem.textContent = text
    this.#line.setAttribute("aria-invalid", String(text !== ""))
    if (text !== "") this.#line.focus()
  }
}
