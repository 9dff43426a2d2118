/**
 * `find`: its `-exec` and the like.
 *
 * Source: find(1).
 *
 * @module
 */
import { type Argument, isDecided } from "../Argument.ts"
import { type Launcher, plain, refused, untold } from "./Launcher.ts"

const runsCommand = /^-(?:exec|execdir|ok|okdir)$/

/** A path that was found, and what `{}` becomes within a word: it never begins with a dash by itself. */
const withPlaces = (word: Argument): Argument => {
  const { text } = word
  const place = text?.indexOf("{}") ?? -1
  return text === undefined || place < 0 ? word : { head: place === 0 ? "./" : text.slice(0, place), many: false }
}

/** `find`. */
export const find: Launcher = (words) => {
  const commands: Array<ReadonlyArray<Argument>> = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined || word.text === undefined) {
      if (word !== undefined && isDecided(word)) continue
      return untold
    }
    if (!runsCommand.test(word.text)) continue
    const command: Array<Argument> = []
    for (at++;; at++) {
      const next = words[at]
      if (next === undefined) return refused(`with ${word.text} that has no end`)
      if (next.text === ";" || (next.text === "+" && command.at(-1)?.text === "{}")) break
      if (next.text === undefined && !isDecided(next)) return untold
      command.push(next)
    }
    commands.push(command.map(withPlaces))
  }
  return commands.length === 0 ? plain : { _tag: "Runs", commands }
}
