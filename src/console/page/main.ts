/**
 * The console's page: what runs now, what ran, and a form to run more.
 *
 * @module
 */
import { Actions } from "./actions.ts"
import { Announcer } from "./Announcer.ts"
import { CommandList } from "./CommandList.ts"
import { Detail } from "./Detail.ts"
import { byId, setText } from "./dom.ts"
import type { Command } from "./json.ts"
import { OpenCommands } from "./OpenCommands.ts"
import { Output } from "./Output.ts"
import { keptPolicy, policyField } from "./policy.ts"
import { RunForm } from "./RunForm.ts"
import { addressOf, list, look, Refused, type Rights, token, type Wanted } from "./server.ts"
import { SignIn } from "./SignIn.ts"
import { showEmpty, showLink, showOpen } from "./status.ts"
import { Switch } from "./storage.ts"
import { tabs } from "./tabs.ts"
import { letTimesGoOn } from "./times.ts"
import { toggle } from "./toggle.ts"
import { Watch } from "./Watch.ts"
import { count, cut, spelled, stateText } from "./words.ts"

const search = byId("search", HTMLInputElement)
const state = byId("state", HTMLSelectElement)
const more = byId("more", HTMLButtonElement)
const problem = byId("list-problem", HTMLElement)
const announced = byId("announced", HTMLElement)
const acted = byId("acted", HTMLElement)

const output = new Output(byId("terminal", HTMLElement))
const detail = new Detail(output, keptPolicy())
const open = new OpenCommands()
const announce = new Switch("announce")
const announcer = new Announcer((text) => setText(announced, text), announce.isOn(true))
let rights: Rights = { run: false, cancel: false }
let next: string | undefined

const wanted = (before?: string): Wanted => ({ state: state.value, command: search.value.trim(), before })
const isSearch = (): boolean => search.value.trim() !== "" || state.value !== ""

const failed = (error: unknown): void => {
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof Refused && error.status === 401) {
    const hadToken = token.get() !== undefined
    token.forget()
    watch.end()
    showLink("out")
    signIn.ask(hadToken ? `The server does not take it: ${text}.` : "")
  } else {
    const what = error instanceof Refused ? `The server says: ${text}.` : "The server cannot be reached. Try again."
    setText(problem, what)
  }
}

/** On a narrow page there is room for the list or for the command. */
const narrow = matchMedia("(max-width: 56rem)")
const showDetail = (isShown: boolean): void => {
  document.body.classList.toggle("detailed", isShown)
}

const goToDetail = (): void => {
  showDetail(true)
  byId("line", HTMLElement).focus()
}

const commands = new CommandList(
  { list: byId("commands", HTMLElement), now: byId("now", HTMLElement), before: byId("before", HTMLElement) },
  (command) => {
    acted.textContent = ""
    byId("none", HTMLElement).hidden = true
    detail.show(command)
    actions.update(command)
  },
  (byKey) => {
    if (byKey || narrow.matches) goToDetail()
  },
)

const actions = new Actions({
  command: () => detail.command,
  again: (command) => {
    showDetail(false)
    form.fill(command)
  },
  say: (text) => setText(acted, text),
  onFailure: (error) => {
    if (error instanceof Refused && error.status !== 401) setText(acted, `It goes on: ${error.message}.`)
    else failed(error)
  },
})

const form = new RunForm(async (id) => {
  const found = await look(id)
  if (found === undefined) return
  const started = open.newest(found)
  open.take(started)
  commands.add([started])
  commands.choose(id)
  if (narrow.matches) goToDetail()
  showStatus()
  setText(announced, `Started: ${cut(spelled(started.text), 60)}`)
}, failed)

const showStatus = (): void => {
  showOpen(open)
  showEmpty(commands.size === 0, isSearch(), rights.run)
}

const taken = (command: Command): void => {
  const news = open.take(command)
  if (news === "began") announcer.began(command.commandId, command.text)
  else if (news === "ended") announcer.ended(command.commandId, command.text, stateText(command))
  if (detail.command?.commandId !== command.commandId) return
  detail.update(command)
  actions.update(command)
}

const watch = new Watch({
  onList: (found, opened) => {
    signIn.accepted()
    rights = found.rights
    form.allow(rights.run)
    actions.allow(rights)
    problem.textContent = ""
    open.replace(opened)
    commands.replace(isSearch() ? found.commands : [...opened, ...found.commands])
    next = found.next
    more.hidden = next === undefined
    const shown = detail.command
    if (shown !== undefined) actions.update(shown)
    if (isSearch()) setText(announced, `${count(found.commands.length, "command")} found`)
    showStatus()
  },
  onChanges: (changed) => {
    for (const command of changed) taken(command)
    // A search shows what it has found, and what becomes of that.
    commands.add(changed.filter(({ commandId }) => commands.has(commandId) || !isSearch()))
    showStatus()
  },
  onLink: showLink,
  onFailure: failed,
})

const signIn = new SignIn(() => watch.begin(wanted()), () => {
  watch.end()
  showLink("out")
  commands.replace([])
  detail.clear()
  form.allow(false)
  byId("none", HTMLElement).hidden = false
})

const begin = (): void => watch.begin(wanted())
let typing: ReturnType<typeof setTimeout> | undefined
search.addEventListener("input", () => {
  clearTimeout(typing)
  typing = setTimeout(begin, 300)
})
state.addEventListener("change", begin)
byId("show-all", HTMLButtonElement).addEventListener("click", () => {
  search.value = ""
  state.value = ""
  search.focus()
  begin()
})
more.addEventListener("click", async () => {
  try {
    const page = await list(wanted(next))
    commands.addOlder(page.commands)
    next = page.next
    more.hidden = next === undefined
    setText(announced, `${count(page.commands.length, "older command")} added`)
    if (more.hidden) byId("commands", HTMLElement).focus()
  } catch (error) {
    failed(error)
  }
})
byId("back", HTMLButtonElement).addEventListener("click", () => {
  showDetail(false)
  byId("commands", HTMLElement).focus()
})

toggle("announce", announce, true, (on) => announcer.turn(on))
toggle("aloud", new Switch("aloud"), false, (on) => output.readAloud(on))

policyField(byId("policy", HTMLInputElement), byId("policy-problem", HTMLElement), (policy) => detail.recut(policy))
tabs(byId("tabs", HTMLElement), () => {
  output.fit()
  detail.redraw()
})
byId("example", HTMLElement).textContent = [
  `curl ${addressOf("/exec")}`,
  `-H "authorization: Bearer $TOKEN" -H "content-type: application/json"`,
  `-d '{"command": "echo", "arguments": ["hello"]}'`,
].join(" \\\n  ")

letTimesGoOn()
begin()
