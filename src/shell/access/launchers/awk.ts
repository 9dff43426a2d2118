/**
 * `awk`: whether a program runs commands.
 *
 * Source: awk(1p); gawk(1).
 *
 * @module
 */
import { type Argument, isDecided } from "../Argument.ts"
import { type Launcher, plain, refused, untold } from "./Launcher.ts"

/**
 * Whether a program runs nothing: no `system`, no pipe, no extension, no call by a name in a variable. Strings count as
 * program: what only looks like a pipe is refused too.
 */
export const isPlainAwk = (program: string): boolean =>
  !/system|getline|@|\bload\b|\binclude\b/.test(program) && !program.replaceAll("||", "").includes("|")

/** `awk`, `gawk`, `mawk`, `original-awk`. */
export const awk: Launcher = (words) => {
  let program: Argument | undefined
  let at = 0
  for (; at < words.length && program === undefined; at++) {
    const word = words[at]
    if (word === undefined || word.text === undefined) return untold
    const { text } = word
    if (text === "-F" || text === "-v") {
      const value = words[++at]
      if (value === undefined || (value.text === undefined && (!("head" in value) || value.many))) return untold
    } else if (text === "--") program = words[++at]
    else if (/^-[Fv]./s.test(text) || /^--(?:version|help|posix|traditional)$/.test(text)) continue
    else if (text.startsWith("-")) return refused(`with ${text.slice(0, 60)}`)
    else program = word
  }
  if (program === undefined) return plain
  if (program.text === undefined || !isPlainAwk(program.text)) {
    return refused("with a program that is not known to run nothing")
  }
  // Options of gawk may stand behind the program, too.
  return words.slice(at).every((word) => isDecided(word) && !word.text?.startsWith("-")) ? plain : untold
}
