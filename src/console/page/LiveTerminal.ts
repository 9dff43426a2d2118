/** Attaches the page's terminal to a command, by WebSocket or by an event stream and requests. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { lostInputText, PermanentFailure, TerminalLink } from "../../client/TerminalLink.ts"
import type { TerminalState } from "../../wire/terminalMessages.ts"
import { isPermanentError, requestTicket, sendInput, sendSize, socketUrl } from "./apiClient.ts"
import { byId, setText } from "./dom.ts"
import type { OutputTerminal } from "./OutputTerminal.ts"

export interface LiveTerminalOptions {
  readonly id: string
  readonly mayRun: () => boolean
  /** Takes output; the next piece comes when the promise resolves. */
  readonly onOutput: (text: string) => Promise<void>
  /** Called with the last event of the command as JSON. */
  readonly onEnd: (event: string) => void
  /** Called if there are no WebSockets: the output comes by the event stream after this position. */
  readonly onNoSocket: (position: number) => void
}

const leaveText = "Ctrl + ] leaves the terminal."

export class LiveTerminal {
  readonly #output: OutputTerminal
  readonly #options: LiveTerminalOptions
  readonly #status = byId("terminal-status", HTMLElement)
  readonly #button = byId("attach", HTMLButtonElement)
  readonly #listeners = new AbortController()
  #link: TerminalLink | undefined
  #position = -1
  #hasSocket = true
  #sending: Promise<unknown> = Promise.resolve()

  constructor(output: OutputTerminal, options: LiveTerminalOptions) {
    this.#output = output
    this.#options = options
    this.#button.hidden = false
    this.#button.addEventListener("click", () => this.#link === undefined ? this.#attach() : this.#detach(), {
      signal: this.#listeners.signal,
    })
    this.#attach()
  }

  /** The position of the newest output; -1 before the first. */
  get position(): number {
    return this.#link?.position ?? this.#position
  }

  /** Ends the attachment: another command is shown, or this one has ended. */
  close(text = ""): void {
    this.#listeners.abort()
    this.#link?.close()
    this.#link = undefined
    this.#output.interact(undefined)
    const hadFocus = document.activeElement === this.#button
    this.#button.hidden = true
    // A hidden button loses the focus.
    if (hadFocus) byId("line", HTMLElement).focus()
    setText(this.#status, text)
  }

  #attach(): void {
    setText(this.#button, "Detach")
    setText(this.#status, "Attaching…")
    const { id, onEnd, onOutput } = this.#options
    const link = new TerminalLink({
      url: socketUrl(id),
      after: this.#position < 0 ? undefined : this.#position,
      ticket: () =>
        requestTicket(id).catch((error: unknown) => {
          throw isPermanentError(error) ? new PermanentFailure(errorMessage(error)) : error
        }),
      onOutput: async (text) => {
        await onOutput(text)
        this.#position = link.position
      },
      onState: (state) => this.#show(state),
      onConnection: (state) => {
        if (state === "open") return
        this.#output.interact(undefined)
        setText(this.#status, "Connection lost: trying again. No output is lost.")
      },
      onInputLost: (bytes) => setText(this.#status, `The connection was lost: ${lostInputText(bytes)}.`),
      onEnd: (event) => {
        this.close("The command has ended.")
        onEnd(event)
      },
      onFailure: (problem) => this.close(`The terminal's output cannot be read further: ${problem}.`),
      onNoSocket: () => this.#goOn(link.position),
    })
    this.#link = link
  }

  #detach(): void {
    this.#position = this.#link?.position ?? this.#position
    this.#link?.close()
    const waiting = this.#link?.waitingInput ?? 0
    this.#link = undefined
    this.#output.interact(undefined)
    setText(this.#button, "Attach again")
    setText(
      this.#status,
      `Detached: the command runs on, and its output waits${waiting > 0 ? `; ${lostInputText(waiting)}` : ""}.`,
    )
  }

  #show({ clients, cols, rows, writable }: TerminalState): void {
    const others = clients > 1 ? ` ${clients} clients are attached.` : ""
    this.#output.setSize(cols, rows)
    if (!writable) {
      this.#output.interact(undefined)
      return setText(this.#status, `Read only: your token may not type here.${others}`)
    }
    this.#output.interact({
      type: (text) => this.#type(text),
      resized: (newCols, newRows) => this.#resize(newCols, newRows),
      leave: () => this.#button.focus(),
    })
    setText(this.#status, `Attached: choose the terminal and type. ${leaveText}${others}`)
  }

  #type(text: string): void {
    const bytes = encodeUtf8(text)
    if (this.#hasSocket) this.#link?.input(bytes)
    else this.#request(() => sendInput(this.#options.id, bytes))
  }

  #resize(cols: number, rows: number): void {
    if (this.#hasSocket) this.#link?.resize(cols, rows)
    else this.#request(() => sendSize(this.#options.id, cols, rows))
  }

  /** Sends requests in order; a failed one is reported and not sent again. */
  #request(send: () => Promise<unknown>): void {
    this.#sending = this.#sending.then(send).catch((error: unknown) => {
      setText(this.#status, `The input was not sent: ${errorMessage(error)}.`)
    })
  }

  #goOn(position: number): void {
    this.#hasSocket = false
    this.#button.hidden = true
    if (this.#options.mayRun()) {
      this.#output.interact({
        type: (text) => this.#type(text),
        resized: (cols, rows) => this.#resize(cols, rows),
        leave: () => byId("line", HTMLElement).focus(),
      })
      setText(this.#status, `Attached without a WebSocket: choose the terminal and type. ${leaveText}`)
    } else setText(this.#status, "Read only: your token may not type here.")
    this.#options.onNoSocket(position)
  }
}
