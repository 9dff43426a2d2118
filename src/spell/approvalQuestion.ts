/** Describes a call for the user who is asked about it, and the rules that an answer may have remembered. */
import { escapeInvisible } from "../base/escapeInvisible.ts"
import { quoteWord } from "../shell-language/ShellLanguage.ts"
import type { ApprovalRule, CallPart, InspectedCall } from "./ApprovalRule.ts"
import { shapeOutput } from "./shapeOutput.ts"
import type { SpellTarget } from "./SpellTarget.ts"

/** UTF-16 units of a text in a question. A longer text is shown by its beginning and its end, with a mark between. */
const maxLength = 8_000

/** Formats a text of several lines as a block, so that no line of it looks like a line of the question. */
const block = (text: string): string =>
  /[\r\n\u2028\u2029]/.test(text)
    ? `\n${text.split("\n").map((line) => `  | ${escapeInvisible(line)}`).join("\n")}`
    : escapeInvisible(text)

const place = (cwd: string | undefined): string => cwd === undefined ? "" : `in ${quoteWord(escapeInvisible(cwd))}: `

const aboutTarget = (target: SpellTarget): string => {
  switch (target._tag) {
    case "Path":
      return target.path === "" ? "." : quoteWord(escapeInvisible(target.path))
    case "Command":
      return `${place(target.cwd)}${block([target.command, ...target.arguments].map(quoteWord).join(" "))}`
    case "Script":
      return `${place(target.cwd)}${block(target.script)}`
    case "Code":
      return `${place(target.cwd)}${escapeInvisible(target.language)} ${block(target.code)}`
    case "Input":
      return `${escapeInvisible(target.process)} ${block(target.text)}`
  }
}

/**
 * The effects of a call: its spell, and the paths, commands and scripts that it would touch; `linked` are paths through a
 * link.
 */
export const aboutCall = (
  { arguments: input, spell, targets }: InspectedCall,
  linked: ReadonlyArray<string> = [],
): string => {
  const parts = targets.length === 0 ? escapeInvisible(JSON.stringify(input)) : targets.map(aboutTarget).join(", ")
  const links = linked.map((path) => `; a link leads from ${quoteWord(path)} to another place`).join("")
  return shapeOutput(`${spell} ${parts}${links}`, maxLength, (omitted) => `${omitted} characters are not shown`).text
}

/** A glob that matches a text and nothing else. */
const literal = (text: string): string => text.replace(/[\\*?[{]/g, "\\$&")

/** A rule that allows one part of a call again; `undefined` if no rule can distinguish it from others. */
const ruleFor = (
  call: InspectedCall,
  { command, cwd, isLinked, path, recursive }: CallPart,
): ApprovalRule | undefined => {
  const { spell } = call
  if (path !== undefined) {
    // Braces of a glob cannot be escaped, and a link may lead elsewhere the next time.
    if (path.includes("{") || isLinked === true) return undefined
    const plain = path.replace(/^\.?\/|^\.$/, "")
    return {
      decision: "allow",
      spell,
      path: recursive === true ? `/${plain === "" ? "" : `${literal(plain)}/`}**` : `/${literal(plain)}`,
    }
  }
  if (command === undefined) return { decision: "allow", spell }
  // Words with spaces cannot be written in a pattern of words.
  if (command === "unknown" || command.some((word) => word === "" || /\s/.test(word))) return undefined
  const words = command.map(literal).join(" ")
  return cwd === undefined
    ? { decision: "allow", spell, command: words }
    : { decision: "allow", spell, arguments: { cwd: literal(cwd) }, command: words }
}

/** The rules that would allow the call the next time; empty if no rule can express it. */
export const suggestRules = (call: InspectedCall, asked: ReadonlyArray<CallPart>): ReadonlyArray<ApprovalRule> => {
  const rules = asked.map((part) => ruleFor(call, part))
  const known = rules.filter((rule) => rule !== undefined)
  return known.length === rules.length ? known : []
}
