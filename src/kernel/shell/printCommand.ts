/** Prints a simple command as bash does, for `BASH_COMMAND` and messages: one space between words, redirections last. */
import { type FileRedirect, parse } from "../../shell-language/ShellLanguage.ts"

/** Prints a redirection; `text` is the script. */
export const printRedirect = ({ fd, operator, target, variable }: FileRedirect, text: string): string => {
  const to = text.slice(target.span.start, target.span.end)
  const from = variable === undefined ? fd : `{${variable}}`
  if (operator === "<>") return `${from ?? 0}<> ${to}`
  if (operator !== ">&" && operator !== "<&") return `${from ?? ""}${operator} ${to}`
  const shown = from ?? (!/^(?:[0-9]+-?|-)$/.test(to) ? "" : operator === ">&" ? 1 : 0)
  return `${shown}${to === "-" ? ">&" : operator}${to}`
}

/** Returns the text of other commands, and of commands with a here-document, unchanged; a subshell of one line gets bash's spaces. */
export const printCommand = (text: string): string => {
  const parsed = parse(text)
  const command = parsed._tag === "Success" ? parsed.success.statements[0]?.pipelines[0]?.commands[0] : undefined
  if (
    command?._tag === "Subshell" && command.redirects.length === 0 && command.span.end === text.length &&
    !text.includes("\n")
  ) {
    return `( ${text.slice(1, -1).trim().replace(/;$/, "")} )`
  }
  if (command?._tag !== "SimpleCommand" || command.span.end < text.length) return text
  const redirects: Array<string> = []
  for (const redirect of command.redirects) {
    if (redirect._tag === "HereDocument") return text
    redirects.push(printRedirect(redirect, text))
  }
  const words = [...command.assignments, ...command.words].map(({ span }) => text.slice(span.start, span.end))
  return [...words, ...redirects].join(" ")
}
