/** Warns of white space at the ends of added lines, and of spaces before tabs. Source: git-config(1), `core.whitespace`. */
import { binaryToText } from "../../../binaryString.ts"
import type { Session } from "../Session.ts"

/** Lines that are shown; more are counted. */
const maxShown = 5

/** Shows the errors of a patch; returns their number. */
export const checkWhitespace = async (git: Session, name: string, lines: ReadonlyArray<string>): Promise<number> => {
  let found = 0
  for (const [at, line] of lines.entries()) {
    if (at % 1_024 === 0) await git.pause()
    if (!line.startsWith("+") || line.startsWith("+++ ")) continue
    const body = line.slice(1).replace(/\n$/, "")
    const isTrailing = /[ \t\r\f\v]$/.test(body)
    const hasSpaces = /^[ \t]* \t/.test(body)
    if (!isTrailing && !hasSpaces) continue
    if (++found > maxShown) continue
    const what = [...isTrailing ? ["trailing whitespace"] : [], ...hasSpaces ? ["space before tab in indent"] : []]
    git.warn(`${name}:${at + 1}: ${what.join(", ")}.\n${binaryToText(body)}`)
  }
  return found
}

export const reportWhitespace = (git: Session, found: number): void => {
  const more = found - maxShown
  if (more > 0) git.warn(`warning: squelched ${more} whitespace error${more === 1 ? "" : "s"}`)
  if (found > 0) git.warn(`warning: ${found} line${found === 1 ? " adds" : "s add"} whitespace errors.`)
}
