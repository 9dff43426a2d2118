/**
 * Checks the calls of `awk`: refuses options that it does not know, and programs that may run commands, read by pipes,
 * write files or load extensions.
 *
 * Source: awk(1p); gawk(1).
 */
import { isPlainAwk } from "./awkProgram.ts"
import { type Launcher, plain, refused } from "./Launcher.ts"

export const awk: Launcher = (words) => {
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
  // Options of gawk may stand behind the program, too.
  const option = isEnded ? undefined : words.slice(at).find((word) => word.startsWith("-"))
  return option === undefined ? plain : refused(`with ${option.slice(0, 60)}`)
}
