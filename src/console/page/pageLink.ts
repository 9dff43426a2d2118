/** Reads and writes links to a command and to lines of its output: `#command=ID&line=12-18`. */
import { commandIdPattern } from "../../command/plain/commandId.ts"

export interface LineRange {
  readonly from: number
  readonly to: number
}

export interface PageLink {
  readonly commandId: string
  readonly lines: LineRange | undefined
}

/** Reads the fragment of an address, which is untrusted; `undefined` if it leads to no command. */
export const parseLink = (fragment: string): PageLink | undefined => {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""))
  const commandId = parameters.get("command") ?? ""
  if (!commandIdPattern.test(commandId)) return undefined
  const [, first, last = first] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(parameters.get("line") ?? "") ?? []
  if (first === undefined) return { commandId, lines: undefined }
  const [from, to] = [Number(first), Number(last)]
  return { commandId, lines: { from: Math.min(from, to), to: Math.max(from, to) } }
}

export const formatLink = ({ commandId, lines }: PageLink): string => {
  const line = lines === undefined ? "" : `&line=${lines.from}${lines.to === lines.from ? "" : `-${lines.to}`}`
  return `#command=${encodeURIComponent(commandId)}${line}`
}

/** Writes a link into the address, if it is another one: as a new entry of the history, or in place of the newest. */
export const writeLink = (link: PageLink, how: "push" | "replace"): void => {
  const fragment = formatLink(link)
  if (fragment === location.hash) return
  if (how === "push") history.pushState(null, "", fragment)
  else history.replaceState(null, "", fragment)
}
