/**
 * Checks calls of `awk`: refuses unknown options, and programs that may run commands, read pipes, write files or load
 * extensions. Source: awk(1p); gawk(1).
 */
import { type LauncherRule, plain, refused } from "./LauncherRule.ts"

/**
 * Control characters, some of which are blanks to some awks, and a byte above ASCII before a possible second byte of a
 * character in an East Asian encoding.
 */
// deno-lint-ignore no-control-regex
const unreadable = /[\x00-\x08\x0b-\x1f\x7f-\x9f]|[^\x00-\x7f][[\\\]]/

/** A text, a comment, a blank or a continued line, a word, an operator whose parts are other operators, a character. */
const token = /"(?:[^"\\\n]|\\[^\n])*"|#[^\n]*|(?:[ \t]|\\\n)+|[A-Za-z_]\w*|\|\||>=|[\n\d{}()[\];,.+*/%^!<>=&?:~$-]/y

/**
 * A regular expression without a slash in brackets, and whose brackets end before the expression does in every reading.
 */
const regex = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:[^\]/\\\n[]|\\[a-z]|\[:[a-z]+:\])*\])*\//y

/** The tokens before an operand, after which a slash cannot be a division. */
const beforeOperand = /^(?:[(,~!&{};=\n]?|\|\||>=)$/

/** Words that are not operands by themselves, and functions that some awk accepts without brackets. */
const notOperands: ReadonlySet<string> = new Set(
  `BEGIN BEGINFILE END ENDFILE break case continue default delete do else exit for func function getline if in next nextfile
  print printf return switch while atan2 close cos exp fflush gsub index int length log match rand sin split sprintf sqrt
  srand sub substr tolower toupper`.split(/\s+/),
)

/** Whether a token ends an operand, so that a slash divides: a word, a number, a subscript, a text or a bracket (`0`). */
const endsOperand = (last: string): boolean => /^[\w\].]/.test(last) && !notOperands.has(last)

const toOwnOutput = />[ \t]*"\/dev\/std(?:err|out)"[ \t]*(?=[;}\n#]|$)/y

/** An operator after which a statement goes on in the next line, in some awk. */
const goesOn = /^(?:[,{&?:]|\|\|)$/

/**
 * Whether a program runs nothing (no `system`, no pipe, no extension, no call by name) and opens no file (no `getline`, no
 * `>`).
 */
const isPlainAwk = (program: string): boolean => {
  if (unreadable.test(program)) return false
  let last = ""
  /** For each open bracket, whether a condition is in it. */
  const brackets: Array<boolean> = []
  /**
   * Number of brackets that were open at the `print` of the current statement: within a further bracket `>` compares.
   */
  let printing: number | undefined
  for (let at = 0; at < program.length;) {
    const isRegex = program[at] === "/" && beforeOperand.test(last)
    // Either the slash divides, or it begins an expression that never ends: then nothing runs.
    if (program[at] === "/" && !isRegex && !endsOperand(last) && program.includes("/", at + 1)) return false
    const pattern = isRegex ? regex : token
    pattern.lastIndex = toOwnOutput.lastIndex = at
    const found = (printing === undefined ? undefined : toOwnOutput.exec(program)?.[0]) ?? pattern.exec(program)?.[0]
    if (found === undefined || found === "system" || found === "getline") return false
    at += found.length
    if (/^(?:#|[ \t]|\\\n)/.test(found)) continue
    if (found === ">" && printing !== undefined && brackets.length <= printing) return false
    if (found === "\n") {
      if (!goesOn.test(last)) printing = undefined
      // After `if (x)` mawk ignores the end of a line.
      if (last === ")") continue
    }
    if (found === ";" || found === "}") printing = undefined
    if (found === "print" || found === "printf") printing = brackets.length
    if (found === "(") brackets.push(/^(?:for|if|switch|while)$/.test(last))
    if (isRegex) last = "/"
    else if (found.startsWith('"') || (found === ")" && brackets.pop() !== true)) last = "0"
    else last = found
  }
  return true
}

export const awk: LauncherRule = (words) => {
  let program: string | undefined
  let at = 0
  let isEnded = false
  for (; at < words.length && program === undefined; at++) {
    const text = words[at] ?? ""
    if (text === "-F" || text === "-v") {
      if (words[++at] === undefined) return refused(`with ${text} that has no value`)
    } else if (text === "--") {
      isEnded = true
      program = words[++at]
    } else if (/^-[Fv]./s.test(text) || /^--(?:version|help|posix|traditional)$/.test(text)) continue
    else if (text.startsWith("-")) return refused(`with ${text.slice(0, 60)}`)
    else program = text
  }
  if (program === undefined) return plain
  if (!isPlainAwk(program)) {
    return refused("with a program that is not known to be safe")
  }
  // Options of gawk may stand after the program, too.
  const option = isEnded ? undefined : words.slice(at).find((word) => word.startsWith("-"))
  return option === undefined ? plain : refused(`with ${option.slice(0, 60)}`)
}
