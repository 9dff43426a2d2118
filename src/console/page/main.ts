/**
 * The console's page: what runs now, what ran, and a form to run more.
 *
 * @module
 */
import { CommandList } from "./CommandList.ts"
import { Detail } from "./Detail.ts"
import { byId } from "./dom.ts"
import { commandOf, parse } from "./json.ts"
import { Output } from "./Output.ts"
import { ask, eventsPath, follow, list, Refused, run, token } from "./server.ts"
import { tabs } from "./tabs.ts"
import { wordsOf } from "./words.ts"

const status = byId("status", HTMLElement)
const search = byId("search", HTMLInputElement)
const state = byId("state", HTMLSelectElement)
const more = byId("more", HTMLButtonElement)
const empty = byId("empty", HTMLElement)
const problem = byId("problem", HTMLElement)
const signIn = byId("sign-in", HTMLDialogElement)

const say = (text: string): void => {
  status.textContent = text
}

const output = new Output(byId("terminal", HTMLElement))
const detail = new Detail(output, say)
const commands = new CommandList(byId("commands", HTMLElement), (command) => detail.show(command))

let following = new AbortController()
let next: string | undefined

const failed = (error: unknown): void => {
  if (error instanceof Refused && error.status === 401) {
    token.forget()
    byId("sign-in-problem", HTMLElement).textContent = error.message
    if (!signIn.open) signIn.showModal()
  } else say(error instanceof Error ? error.message : String(error))
}

const wanted = (before?: string) => ({ state: state.value, command: search.value.trim(), before })

const showMore = (to: string | undefined): void => {
  next = to
  more.hidden = to === undefined
}

/** Lists what there is, then follows what comes. */
const begin = async (): Promise<void> => {
  following.abort()
  following = new AbortController()
  const { signal } = following
  try {
    const page = await list(wanted())
    if (signal.aborted) return
    commands.replace(page.commands)
    showMore(page.next)
    empty.hidden = page.commands.length > 0
    await follow(
      eventsPath(),
      page.head,
      ({ data }) => {
        const command = commandOf(parse(data))
        if (command === undefined || signal.aborted) return
        // A search shows what it has found, and what becomes of that.
        if (commands.has(command.id) || (search.value.trim() === "" && state.value === "")) {
          commands.update(command)
          empty.hidden = true
        }
        if (detail.id === command.id) detail.update(command)
      },
      (link) => say(link === "open" ? "" : "Connection lost: trying again."),
      signal,
    )
  } catch (error) {
    if (!signal.aborted) failed(error)
  }
}

let typing: ReturnType<typeof setTimeout> | undefined
search.addEventListener("input", () => {
  clearTimeout(typing)
  typing = setTimeout(() => void begin(), 300)
})
state.addEventListener("change", () => void begin())
more.addEventListener("click", async () => {
  try {
    const page = await list(wanted(next))
    commands.add(page.commands)
    showMore(page.next)
  } catch (error) {
    failed(error)
  }
})

byId("run", HTMLFormElement).addEventListener("submit", async (event) => {
  event.preventDefault()
  problem.textContent = ""
  const line = byId("run-line", HTMLInputElement).value
  const directory = byId("run-directory", HTMLInputElement).value.trim()
  const words = byId("run-shell", HTMLInputElement).checked ? [line] : wordsOf(line)
  if (words === undefined || words[0] === undefined) {
    problem.textContent = words === undefined ? "A quote is open at the end of the line." : "There is no command."
    return
  }
  try {
    const id = await run({
      command: words[0],
      arguments: words.slice(1),
      ...(byId("run-shell", HTMLInputElement).checked ? { useShell: true } : undefined),
      ...(directory === "" ? undefined : { workingDirectory: directory }),
    })
    const started = commandOf(await (await ask(`/commands/${encodeURIComponent(id)}`)).json())
    if (started !== undefined) commands.update(started)
    commands.choose(id)
  } catch (error) {
    if (error instanceof Refused && error.status !== 401) problem.textContent = error.message
    else failed(error)
  }
})

byId("aloud", HTMLButtonElement).addEventListener("click", ({ currentTarget }) => {
  if (!(currentTarget instanceof HTMLButtonElement)) return
  const on = currentTarget.getAttribute("aria-pressed") !== "true"
  currentTarget.setAttribute("aria-pressed", String(on))
  output.readAloud(on)
})

const asText = byId("as-text", HTMLElement)
byId("text", HTMLButtonElement).addEventListener("click", ({ currentTarget }) => {
  if (!(currentTarget instanceof HTMLButtonElement)) return
  asText.hidden = !asText.hidden
  currentTarget.setAttribute("aria-expanded", String(!asText.hidden))
  if (!asText.hidden) asText.textContent = output.text(1_000)
})

tabs(byId("tabs", HTMLElement), () => {
  output.fit()
  detail.redraw()
})

byId("sign-in-form", HTMLFormElement).addEventListener("submit", () => {
  token.set(byId("token", HTMLInputElement).value)
  void begin()
})
signIn.addEventListener("cancel", (event) => event.preventDefault())

// A link may bring the token behind its #, which no browser sends: it is taken out of the address at once.
const given = new URLSearchParams(location.hash.slice(1)).get("token")
if (given !== null) {
  token.set(given)
  history.replaceState(null, "", location.pathname + location.search)
}
if (token.get() === "") signIn.showModal()
else void begin()
