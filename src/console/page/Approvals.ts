/** Shows the pending questions of agents that want to cast a spell, and sends the answers. */
import { isRecord } from "../../base/isObject.ts"
import { abortableDelay, ApiError, retryDelayMillis, sendRequest } from "./apiClient.ts"
import { readText } from "./decodeCommand.ts"
import { byId, makeElement, setText } from "./dom.ts"
import { escapeInvisible, truncate } from "./formatText.ts"

interface Question {
  readonly id: string
  readonly about: string
  readonly details: string
  readonly canRemember: boolean
}

const pollMillis = 1_500

const maxDetails = 4_000

const decodeQuestion = (item: unknown): Question | undefined => {
  if (!isRecord(item)) return undefined
  const [id, about] = [readText(item, "correlationId"), readText(item, "about")]
  if (id === undefined || about === undefined) return undefined
  const { arguments: input, suggestions } = item
  return {
    id,
    about: escapeInvisible(about),
    details: truncate(escapeInvisible(JSON.stringify(input) ?? ""), maxDetails),
    canRemember: Array.isArray(suggestions) && suggestions.length > 0,
  }
}

export class Approvals {
  readonly #section = byId("approvals", HTMLElement)
  readonly #list = byId("approval-list", HTMLElement)
  readonly #problem = byId("approval-problem", HTMLElement)
  readonly #isServed = document.querySelector<HTMLMetaElement>('meta[name="sluice-approvals"]')?.content === "yes"
  readonly #items = new Map<string, HTMLElement>()
  readonly #announce: (text: string) => void
  #polling: AbortController | undefined

  constructor(announce: (text: string) => void) {
    this.#announce = announce
  }

  allow(canApprove: boolean): void {
    if (!canApprove || !this.#isServed) {
      this.#polling?.abort()
      this.#polling = undefined
      this.#show([])
    } else if (this.#polling === undefined) {
      this.#polling = new AbortController()
      void this.#poll(this.#polling.signal)
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted;) {
      try {
        await this.#look(signal)
        tries = 0
      } catch (error) {
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return this.allow(false)
        tries++
      }
      await abortableDelay(tries === 0 ? pollMillis : retryDelayMillis(tries), signal)
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const page: unknown = await (await sendRequest("/approvals", { signal })).json()
    const found = isRecord(page) && Array.isArray(page["approvals"]) ? page["approvals"] : []
    if (!signal.aborted) this.#show(found.flatMap((item) => decodeQuestion(item) ?? []))
  }

  #show(questions: ReadonlyArray<Question>): void {
    const ids = new Set(questions.map(({ id }) => id))
    for (const [id, item] of this.#items) {
      if (ids.has(id)) continue
      item.remove()
      this.#items.delete(id)
    }
    for (const question of questions) {
      if (this.#items.has(question.id)) continue
      const item = this.#item(question)
      this.#items.set(question.id, item)
      this.#list.append(item)
      this.#announce(`An agent asks: ${truncate(question.about, 60)}`)
    }
    this.#section.hidden = this.#items.size === 0
  }

  #item({ about, canRemember, details, id }: Question): HTMLElement {
    const reason = makeElement("input", {
      "aria-label": "Reason, for the model",
      autocomplete: "off",
      placeholder: "Reason, for the model",
    })
    const button = (name: string, reply: () => Readonly<Record<string, string>>, kind?: string): HTMLButtonElement => {
      const made = makeElement("button", { type: "button", class: kind }, name)
      made.addEventListener("click", () => void this.#answer(id, reply()))
      return made
    }
    const deny = (): Readonly<Record<string, string>> => {
      const text = reason.value.trim()
      return { decision: "deny", ...(text === "" ? undefined : { reason: text }) }
    }
    return makeElement(
      "li",
      {},
      makeElement("p", { class: "asked" }, about),
      makeElement("details", {}, makeElement("summary", {}, "Arguments"), makeElement("pre", { tabindex: 0 }, details)),
      makeElement(
        "div",
        { class: "row" },
        button("Allow once", () => ({ decision: "allow" }), "main"),
        ...(canRemember ? [button("Allow in this run", () => ({ decision: "allow", remember: "run" }))] : []),
        button("Deny", deny, "danger"),
        reason,
      ),
    )
  }

  async #answer(id: string, reply: Readonly<Record<string, string>>): Promise<void> {
    setText(this.#problem, "")
    try {
      await sendRequest(`/approvals/${encodeURIComponent(id)}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(reply),
      })
    } catch (error) {
      const text = error instanceof ApiError && error.status === 404
        ? "This approval request is no longer open."
        : "The answer could not be sent. Try again."
      setText(this.#problem, text)
      if (!(error instanceof ApiError)) return
    }
    this.#items.get(id)?.remove()
    this.#items.delete(id)
    this.#section.hidden = this.#items.size === 0 && this.#problem.textContent === ""
  }
}
