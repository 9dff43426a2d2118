/** Starts the console page: connects its parts to the server's API and event stream. */
import { errorMessage } from "../../base/errorMessage.ts"
import { Approvals } from "./Approvals.ts"
import { initGrouping } from "./commandGroups.ts"
import { CommandActions } from "./CommandActions.ts"
import { Announcer } from "./Announcer.ts"
import { CommandList } from "./CommandList.ts"
import { CommandDetail } from "./CommandDetail.ts"
import { byId, setText } from "./dom.ts"
import type { Command } from "./decodeCommand.ts"
import { OpenCommands } from "./OpenCommands.ts"
import { OutputTerminal } from "./OutputTerminal.ts"
import { initPolicyField, storedPolicy } from "./policyField.ts"
import { RunForm } from "./RunForm.ts"
import { ApiError, apiUrl, getCommand, listCommands, type ListQuery, type Rights, storedToken } from "./apiClient.ts"
import { SignIn } from "./SignIn.ts"
import { showConnection, showEmptyList, showOpenCounts } from "./showStatus.ts"
import { StoredSwitch } from "./storage.ts"
import { initTabs } from "./initTabs.ts"
import { keepTimesCurrent } from "./times.ts"
import { initToggle } from "./initToggle.ts"
import { LogPanel } from "./LogPanel.ts"
import { parseLink, writeLink } from "./pageLink.ts"
import { CommandFeed } from "./CommandFeed.ts"
import { escapeInvisible, formatCount, stateText, truncate } from "./formatText.ts"
import { policyForms } from "../../window/forms.ts"

const search = byId("search", HTMLInputElement)
const state = byId("state", HTMLSelectElement)
const more = byId("more", HTMLButtonElement)
const problem = byId("list-problem", HTMLElement)
const announced = byId("announced", HTMLElement)
const acted = byId("acted", HTMLElement)

const output = new OutputTerminal(byId("terminal", HTMLElement))
const log = new LogPanel((text) => setText(announced, text))
const detail = new CommandDetail(output, log, storedPolicy(), () => rights.run)
const chooseView = initTabs(byId("tabs", HTMLElement), () => {
  output.fit()
  detail.redraw()
})
const open = new OpenCommands()
const announce = new StoredSwitch("announce")
const announcer = new Announcer((text) => setText(announced, text), announce.isOn(true))
const approvals = new Approvals((text) => setText(announced, text))
let rights: Rights = { run: false, cancel: false, approve: false }
let next: string | undefined

const query = (before?: string): ListQuery => ({ state: state.value, command: search.value.trim(), before })
const isSearch = (): boolean => search.value.trim() !== "" || state.value !== ""

const failed = (error: unknown): void => {
  const text = errorMessage(error)
  if (error instanceof ApiError && error.status === 401) {
    const hadToken = storedToken.get() !== undefined
    storedToken.forget()
    feed.end()
    showConnection("out")
    signIn.ask(hadToken ? `The server refused the token: ${text}.` : "")
  } else {
    const what = error instanceof ApiError
      ? `The server refused the request: ${text}.`
      : "The server cannot be reached. Try again."
    setText(problem, what)
  }
}

/** A narrow page shows either the list or the command. */
const narrow = matchMedia("(max-width: 56rem)")
const showDetail = (isShown: boolean): void => {
  document.body.classList.toggle("detailed", isShown)
}

const goToDetail = (): void => {
  showDetail(true)
  byId("line", HTMLElement).focus()
}

const commands = new CommandList(
  byId("commands", HTMLElement),
  (command, byKey) => {
    const { commandId, terminal } = command
    const linked = parseLink(location.hash)
    const isLinked = commandId === linked?.commandId
    const lines = isLinked ? linked.lines : undefined
    acted.textContent = ""
    byId("none", HTMLElement).hidden = true
    if (commandId !== detail.command?.commandId) {
      chooseView(terminal === undefined || lines !== undefined ? "tab-log" : "tab-output")
    }
    detail.show(command)
    actions.update(command)
    log.mark(lines)
    if (!isLinked) writeLink({ commandId, lines: undefined }, byKey ? "replace" : "push")
  },
  (byKey) => {
    if (byKey || narrow.matches) goToDetail()
  },
)

const actions = new CommandActions({
  command: () => detail.command,
  again: (command) => {
    showDetail(false)
    form.fill(command)
  },
  say: (text) => setText(acted, text),
  onFailure: (error) => {
    if (error instanceof ApiError && error.status !== 401) {
      setText(acted, `The command is still running: ${error.message}.`)
    } else failed(error)
  },
})

const form = new RunForm(
  async (id) => {
    const found = await getCommand(id)
    if (found === undefined) return
    const started = open.newest(found)
    open.take(started)
    commands.add([started])
    commands.choose(id)
    if (narrow.matches) goToDetail()
    showStatus()
    setText(announced, `Started: ${truncate(escapeInvisible(started.text), 60)}`)
  },
  failed,
  () => output.size,
)

const showStatus = (): void => {
  showOpenCounts(open)
  showEmptyList(commands.size === 0, isSearch(), rights.run)
}

const takeChange = (command: Command): void => {
  const news = open.take(command)
  if (news === "began") announcer.began(command.commandId, command.text)
  else if (news === "ended") announcer.ended(command.commandId, command.text, stateText(command))
  if (detail.command?.commandId !== command.commandId) return
  detail.update(command)
  actions.update(command)
}

const feed = new CommandFeed({
  onList: (found, opened) => {
    signIn.accepted()
    rights = found.rights
    form.allow(rights.run)
    actions.allow(rights)
    approvals.allow(rights.approve)
    problem.textContent = ""
    open.replace(opened)
    commands.replace(isSearch() ? found.commands : [...opened, ...found.commands])
    next = found.next
    more.hidden = next === undefined
    const shown = detail.command
    if (shown !== undefined) actions.update(shown)
    if (isSearch()) setText(announced, `${formatCount(found.commands.length, "command")} found`)
    showStatus()
    if (parseLink(location.hash)?.commandId !== shown?.commandId) void followLink()
  },
  onChanges: (changed) => {
    for (const command of changed) takeChange(command)
    // During a search only found commands are updated.
    commands.add(changed.filter(({ commandId }) => commands.has(commandId) || !isSearch()))
    showStatus()
  },
  onConnection: showConnection,
  onFailure: failed,
})

const signIn = new SignIn(() => feed.begin(query()), () => {
  feed.end()
  showConnection("out")
  commands.replace([])
  leaveCommand()
  form.allow(false)
  approvals.allow(false)
})

const leaveCommand = (): void => {
  commands.unchoose()
  detail.clear()
  byId("none", HTMLElement).hidden = false
}

/** Shows the command and the lines that the address leads to, or none. */
const followLink = async (): Promise<void> => {
  const link = parseLink(location.hash)
  if (link === undefined) {
    showDetail(false)
    return leaveCommand()
  }
  const { commandId } = link
  try {
    if (!commands.has(commandId)) {
      const found = await getCommand(commandId)
      if (found === undefined || parseLink(location.hash)?.commandId !== commandId) return
      commands.add([open.newest(found)])
    }
    commands.choose(commandId)
    showDetail(true)
  } catch (error) {
    const isGone = error instanceof ApiError && (error.status === 404 || error.status === 410)
    if (isGone) {
      setText(problem, `The link leads to the command ${commandId}, which this server's journal does not have.`)
    } else failed(error)
  }
}
addEventListener("popstate", () => void followLink())

const begin = (): void => feed.begin(query())
let typing: ReturnType<typeof setTimeout> | undefined
search.addEventListener("input", () => {
  clearTimeout(typing)
  typing = setTimeout(begin, 300)
})
state.addEventListener("change", begin)
initGrouping(byId("grouping", HTMLSelectElement), (chosen) => commands.group(chosen))
byId("show-all", HTMLButtonElement).addEventListener("click", () => {
  search.value = ""
  state.value = ""
  search.focus()
  begin()
})
more.addEventListener("click", async () => {
  try {
    const page = await listCommands(query(next))
    commands.addOlder(page.commands)
    next = page.next
    more.hidden = next === undefined
    setText(announced, `${formatCount(page.commands.length, "older command")} added`)
    if (more.hidden) byId("commands", HTMLElement).focus()
  } catch (error) {
    failed(error)
  }
})
byId("back", HTMLButtonElement).addEventListener("click", () => {
  showDetail(false)
  byId("commands", HTMLElement).focus()
})

initToggle("announce", announce, true, (on) => announcer.turn(on))
initToggle("aloud", new StoredSwitch("aloud"), false, (on) => output.readAloud(on))

byId("policy-help", HTMLElement).textContent = `${policyForms}; comma-separated: whichever comes first.`
initPolicyField(byId("policy", HTMLInputElement), byId("policy-problem", HTMLElement), (policy) => detail.recut(policy))
byId("example", HTMLElement).textContent = [
  `curl ${apiUrl("/exec")}`,
  `-H "authorization: Bearer $TOKEN" -H "content-type: application/json"`,
  `-d '{"command": "echo", "arguments": ["hello"]}'`,
].join(" \\\n  ")

keepTimesCurrent()
begin()
