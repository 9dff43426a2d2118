/**
 * Checks the calls of `awk`: refuses options that it does not know, and programs that may run commands, read by pipes
 * or load extensions.
 *
 * Source: awk(1p); gawk(1).
 *
 * @module
 */
import { type Argument, isDecided } from "../Argument.ts"
import { type Launcher, plain, refused, unknownArguments } from "./Launcher.ts"

/** A text, a comment, a blank or a continued line, a word, a character. */
const token = /"(?:[^"\\\n]|\\[^\n])*"|#[^\n]*|(?:[ \t]|\\\n)+|[A-Za-z_]\w*|[^]/y

/** A regular expression. How a slash within brackets is read differs between awks. */
const regex = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?[^\]/\\\n[]*\])*\//y

/** What stands before an operand, where a slash cannot divide. */
const beforeOperand = /^[(,~!&|{};=\n]?$/

/** What stands before an operand or behind one: behind `if (x)` a slash begins a regular expression. */
const beforeEither =
  /^(?:[)?:<>+*%^$-]|BEGIN|END|break|case|continue|default|delete|do|else|exit|getline|in|length|next|nextfile|printf?|return|switch)$/

/** A slash with a text or a comment before another one: read as the other of the two, these would end elsewhere. */
const isAmbiguous = /\/[^\n]*["#][^\n]*\//y

/** A program without its texts and regular expressions; `undefined` where these cannot be told. */
const codeOf = (program: string): string | undefined => {
  let code = ""
  let last = ""
  const conditions: Array<boolean> = []
  for (let at = 0; at < program.length;) {
    const isRegex = program[at] === "/" && beforeOperand.test(last)
    isAmbiguous.lastIndex = at
    if (beforeEither.test(last) && isAmbiguous.test(program)) return undefined
    const pattern = isRegex ? regex : token
    pattern.lastIndex = at
    const found = pattern.exec(program)?.[0]
    if (found === undefined || found === '"') return undefined
    at += found.length
    if (/^(?:#|[ \t]|\\\n)/.test(found)) code += " "
    else if (isRegex || found.startsWith('"')) code += last = "0"
    else {
      if (found === "(") conditions.push(/^(?:for|if|switch|while)$/.test(last))
      code += found
      // The other ones end an operand.
      last = found === ")" && conditions.pop() !== true ? "0" : found
    }
  }
  return code
}

/** Whether a program runs nothing: no `system`, no pipe, no extension, no call by a name in a variable. */
export const isPlainAwk = (program: string): boolean => {
  const code = codeOf(program)
  return code !== undefined && !/system|getline|@|\bload\b|\binclude\b/.test(code) &&
    !code.replaceAll("||", "").includes("|")
}

/** `awk`, `gawk`, `mawk`, `original-awk`. */
export const awk: Launcher = (words) => {
  let program: Argument | undefined
  let at = 0
  let isEnded = false
  for (; at < words.length && program === undefined; at++) {
    const word = words[at]
    if (word === undefined || word.text === undefined) return unknownArguments
    const { text } = word
    if (text === "-F" || text === "-v") {
      const value = words[++at]
      if (value === undefined || (value.text === undefined && (!("head" in value) || value.many))) {
        return unknownArguments
      }
    } else if (text === "--") {
      isEnded = true
      program = words[++at]
    } else if (/^-[Fv]./s.test(text) || /^--(?:version|help|posix|traditional)$/.test(text)) continue
    else if (text.startsWith("-")) return refused(`with ${text.slice(0, 60)}`)
    else program = word
  }
  if (program === undefined) return plain
  if (program.text === undefined || !isPlainAwk(program.text)) {
    return refused("with a program that is not known to run nothing")
  }
  // Options of gawk may stand behind the program, too.
  return isEnded || words.slice(at).every((word) => isDecided(word) && !word.text?.startsWith("-"))
    ? plain
    : unknownArguments
}
