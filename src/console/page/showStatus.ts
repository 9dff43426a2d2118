/** Shows the state of the connection, the number of open commands, and a hint when the list is empty. */
import { byId, setText } from "./dom.ts"
import type { OpenCommands } from "./OpenCommands.ts"
import type { ConnectionState } from "./CommandFeed.ts"
import { formatCount } from "./formatText.ts"

const links: Readonly<Record<ConnectionState | "out", string>> = {
  connecting: "Connecting",
  live: "Live",
  lost: "Connection lost: trying again",
  out: "Not signed in",
}

export const showConnection = (link: ConnectionState | "out"): void => {
  const element = byId("link", HTMLElement)
  element.dataset["link"] = link
  setText(element, links[link])
}

export const showOpenCounts = (open: OpenCommands): void => {
  const running = open.count("running")
  const waiting = open.count("waiting")
  setText(
    byId("running", HTMLElement),
    running + waiting === 0
      ? "Nothing runs now"
      : `${formatCount(running, "command runs", "commands run")} now${waiting === 0 ? "" : `, ${waiting} waiting`}`,
  )
  document.title = running === 0 ? "Sluice" : `(${running}) Sluice`
}

export const showEmptyList = (isEmpty: boolean, isSearch: boolean, mayRun: boolean): void => {
  byId("empty", HTMLElement).hidden = !isEmpty || isSearch
  byId("not-found", HTMLElement).hidden = !isEmpty || !isSearch
  byId("no-right", HTMLElement).hidden = mayRun
  byId("begin-here", HTMLElement).hidden = !mayRun
}
