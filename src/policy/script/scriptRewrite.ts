/**
 * Rewrites the commands, arithmetic and redirections of a script, and the texts of `eval` and `trap` in it, to forms
 * that bash cannot read in a second way.
 *
 * @module
 */
import {
  forceNumbers,
  NumericVariables,
  type Rewrite,
  type Script,
  type SimpleCommand,
  type Word,
} from "../../shell-language/ShellLanguage.ts"
import { insertOptionsEnd } from "./insertOptionsEnd.ts"
import { normalizeRedirect } from "./checkRedirect.ts"
import { knownTexts } from "../Argument.ts"
import { argumentsOf, textOf } from "../wordArguments.ts"

/** A word that is a text, whatever is in it. */
const literal = (value: string, { span }: Word): Word => ({
  _tag: "Word",
  parts: [{ _tag: "SingleQuoted", value, ansi: false, span }],
  braces: false,
  span,
})

/**
 * What bash is given in place of parts of a script, so that less of it has to be refused: the check is of what is
 * written here, and trusts none of it.
 */
export const makeScriptRewrite = (script: Script, canonical: (text: string) => string): Rewrite => {
  const numbers = new NumericVariables(script)
  return {
    command: (command) => canonicalizeTexts(insertOptionsEnd(command), canonical),
    arithmetic: (parts) => {
      const [first] = parts
      return first === undefined ? parts : forceNumbers({ parts }, (name) => !numbers.isNumber(name, first.span.start))
    },
    redirect: normalizeRedirect,
  }
}

/** A command that is given scripts as texts (`eval`, `trap`), with the canonical forms of these. */
export const canonicalizeTexts = (command: SimpleCommand, canonical: (text: string) => string): SimpleCommand => {
  const { words } = command
  let at = 0
  while (/^(?:command|builtin|--)$/.test(knownText(words[at]))) at++
  const name = knownText(words[at])
  const [first] = words.slice(++at)
  if (first === undefined || (name !== "eval" && name !== "trap")) return command
  if (name === "eval") {
    const texts = knownTexts(words.slice(at).flatMap(argumentsOf))
    return texts === undefined
      ? command
      : { ...command, words: [...words.slice(0, at), literal(canonical(texts.join(" ")), first)] }
  }
  if (knownText(first) === "--") at++
  const [handler, ...signals] = words.slice(at)
  const text = handler === undefined ? undefined : textOf(handler)
  if (handler === undefined || text === undefined || signals.length === 0 || /^(?:-[lp]?)?$/.test(text)) return command
  return { ...command, words: [...words.slice(0, at), literal(canonical(text), handler), ...signals] }
}

const knownText = (word: Word | undefined): string => word === undefined ? "" : textOf(word) ?? ""
