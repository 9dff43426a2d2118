/**
 * Says for people what a call of a spell would do, and which rules an answer to the question may have remembered.
 *
 * @module
 */
import { quoteWord } from "../shell-language/ShellLanguage.ts"
import type { ApprovalRule, CallPart, InspectedCall } from "./ApprovalRule.ts"

/** Characters of a text in a question. */
const maxLength = 2_000

const cut = (text: string): string => text.length > maxLength ? `${text.slice(0, maxLength)} …` : text

/** What a call would do: its spell, and the paths, commands and scripts it would touch. */
export const aboutCall = ({ arguments: input, spell, targets }: InspectedCall): string => {
  const parts = targets.map((target) => {
    switch (target._tag) {
      case "Path":
        return target.path === "" ? "." : target.path
      case "Command":
        return [target.command, ...target.arguments].map(quoteWord).join(" ")
      case "Script":
        return target.script
    }
  })
  return cut(`${spell} ${parts.length === 0 ? JSON.stringify(input) : parts.join(", ")}`)
}

/** A glob that matches a text and nothing else. */
const literal = (text: string): string => text.replace(/[\\*?[{}]/g, "\\$&")

/** A rule that allows one part of a call again; `undefined` where no rule could tell it from others. */
const ruleFor = (call: InspectedCall, { command, path }: CallPart): ApprovalRule | undefined => {
  const { spell } = call
  // Braces of a glob cannot be escaped.
  if (path?.includes("{") === true) return undefined
  if (path !== undefined) return { decision: "allow", spell, path: `/${literal(path)}` }
  if (command === undefined) return { decision: "allow", spell }
  // Words with spaces cannot be written in a pattern of words.
  if (command === "unknown" || command.some((word) => word === "" || /\s/.test(word))) return undefined
  const words = command.map(literal)
  // A last word `*` would stand for any others.
  return { decision: "allow", spell, command: words.join(" ") }
}

/** The rules that would allow what is asked about the next time; none where that cannot be written as a rule. */
export const suggestRules = (call: InspectedCall, asked: ReadonlyArray<CallPart>): ReadonlyArray<ApprovalRule> => {
  const rules = asked.map((part) => ruleFor(call, part))
  const known = rules.filter((rule) => rule !== undefined)
  return known.length === rules.length ? known : []
}
