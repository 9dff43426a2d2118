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

/** What all paths begin with that are found: the starting points, `.` where there is none. */
const headOf = (words: ReadonlyArray<Argument>): string => {
  const first = words.findIndex(({ text }) => text !== undefined && /^[-(!,)]/.test(text))
  const places = (first < 0 ? words : words.slice(0, first)).map((word) =>
    word.text ?? ("head" in word ? word.head : "")
  )
  return places.every((place) => /^[./]/.test(place)) ? "./" : ""
}

/** A path that was found, and what `{}` becomes within a word. */
const withPlaces = (head: string) => (word: Argument): Argument => {
  const { text } = word
  const place = text?.indexOf("{}") ?? -1
  return text === undefined || place < 0 ? word : { head: place === 0 ? head : text.slice(0, place), many: false }
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
    commands.push(command.map(withPlaces(headOf(words))))
  }
  return commands.length === 0 ? plain : { _tag: "Runs", commands }
}
