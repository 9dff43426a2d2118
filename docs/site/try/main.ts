/** Starts the page: a sandbox in the reader's browser, a terminal, and the files panel. */
import { byId } from "../../../src/console/page/dom.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { FilesPanel } from "./FilesPanel.ts"
import { ShellTerminal } from "./ShellTerminal.ts"

const files = {
  "README.md": "# Files of this page\n\nThey live in its memory, and are gone when it is closed.\n",
  "people.json": '[{ "name": "Ada", "born": 1815 }, { "name": "Grace", "born": 1906 }]\n',
  "costs.csv": "item,cost\ntea,2.50\nbread,3.10\n",
  "sum.awk": 'BEGIN { FS = "," }\nNR > 1 { sum += $2 }\nEND { print sum }\n',
}

const sandbox = await Sandbox.open({
  files,
  env: { TERM: "xterm-256color", LANG: "C.UTF-8" },
  limits: { maxTotalFileBytes: 268_435_456, maxOutputBytes: Infinity },
})
const panel = new FilesPanel(sandbox)
new ShellTerminal(
  byId("terminal", HTMLElement),
  sandbox,
  () => panel.refresh(),
)
document.body.dataset["state"] = "ready"
