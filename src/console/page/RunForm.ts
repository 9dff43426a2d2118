/** Implements the form that starts a command on the server. */
import { byId } from "./dom.ts"
import type { Command } from "./decodeCommand.ts"
import { ApiError, startCommand } from "./apiClient.ts"
import { splitWords } from "./splitWords.ts"

type ParsedInput = { readonly exec: object } | { readonly problem: string }

const emptyMessage = "Type a command first, such as git status."

const parseInput = (line: string, isScript: boolean, directory: string): ParsedInput => {
  const where = directory === "" ? undefined : { workingDirectory: directory }
  if (line.trim() === "") return { problem: emptyMessage }
  if (isScript) return { exec: { command: line, useShell: true, ...where } }
  const { hasOpenQuote, shellCharacter, words: [command, ...words] } = splitWords(line)
  if (hasOpenQuote) return { problem: "A quote is not closed at the end of the line." }
  if (shellCharacter !== undefined) {
    return { problem: `Only a shell interprets ${shellCharacter}: tick “as a shell script”, or put it in quotes.` }
  }
  return command === undefined ? { problem: emptyMessage } : { exec: { command, arguments: words, ...where } }
}

export class RunForm {
  readonly #form = byId("run", HTMLFormElement)
  readonly #line = byId("run-line", HTMLTextAreaElement)
  readonly #script = byId("run-shell", HTMLInputElement)
  readonly #terminal = byId("run-terminal", HTMLInputElement)
  readonly #directory = byId("run-directory", HTMLInputElement)
  readonly #problem = byId("problem", HTMLElement)

  /** `onFailure` gets errors that do not concern the form; `sizeOfTerminal` returns a size that fits the page. */
  constructor(
    onRun: (id: string) => Promise<void>,
    onFailure: (error: unknown) => void,
    sizeOfTerminal: () => { readonly cols: number; readonly rows: number },
  ) {
    const submit = async (): Promise<void> => {
      this.#say("")
      const input = parseInput(this.#line.value, this.#script.checked, this.#directory.value.trim())
      if ("problem" in input) return this.#say(input.problem)
      try {
        const terminal = this.#terminal.checked ? { terminal: sizeOfTerminal() } : undefined
        await onRun(await startCommand({ ...input.exec, ...terminal }))
        this.#line.select()
      } catch (error) {
        if (error instanceof ApiError && error.status !== 401) {
          this.#say(`The command was not started: ${error.message}`)
        } else onFailure(error)
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

  allow(isAllowed: boolean): void {
    this.#form.hidden = !isAllowed
  }

  fill({ isScript, text, workingDirectory }: Command): void {
    this.#say("")
    this.#line.value = text
    this.#script.checked = isScript
    this.#directory.value = workingDirectory ?? ""
    this.#line.focus()
  }

  focus(): void {
    this.#line.focus()
  }

  #say(text: string): void {
    this.#problem.textContent = text
    this.#line.setAttribute("aria-invalid", String(text !== ""))
    if (text !== "") this.#line.focus()
  }
}
