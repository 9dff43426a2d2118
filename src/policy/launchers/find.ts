/**
 * Finds the commands that `find` runs by `-exec`, `-execdir`, `-ok` and `-okdir`, with what is known of the paths in
 * place of `{}`, and refuses calls that cannot be told.
 *
 * Source: find(1), of GNU and BSD.
 *
 * @module
 */
import { type Argument, isDecided } from "../Argument.ts"
import { type Launcher, plain, refused, unknownArguments } from "./Launcher.ts"

const runsCommand = /^-(?:exec|execdir|ok|okdir)$/

/** What stands before the starting points. */
const before = /^-(?:[HLP]|O\d*)$/

/** What all paths begin with that are found: the starting points, `.` where there is none. */
const headOf = (words: ReadonlyArray<Argument>): string => {
  const from = words.findIndex(({ text }) => text === undefined || !before.test(text))
  const rest = from < 0 ? [] : words.slice(from)
  const first = rest.findIndex(({ text }) => text !== undefined && /^[-(!,)]/.test(text))
  const places = (first < 0 ? rest : rest.slice(0, first)).map((word) => word.text ?? ("head" in word ? word.head : ""))
  // Other options before them (`-D x`, `--`, BSD's `-f x`) are not told apart from what they find.
  const isPlain = places.length > 0 || !/^-(?:-|D|[EHLPXdfsx]+)$/.test(rest[first]?.text ?? "")
  return isPlain && places.every((place) => /^[./]/.test(place)) ? "./" : ""
}

/** A path that was found, and what `{}` becomes within a word. */
const withPlaces = (head: string) => (word: Argument): Argument => {
  const { text } = word
  const place = text?.indexOf("{}") ?? -1
  return text === undefined || place < 0 ? word : { head: place === 0 ? head : text.slice(0, place), many: false }
}

/** Whether a word is known well enough: it can neither end a command nor be an option. */
const isArgument = (word: Argument): boolean =>
  word.text !== undefined || (isDecided(word) && "head" in word && !/^[;{]/.test(word.head))

/** `find`. */
export const find: Launcher = (words) => {
  const commands: Array<ReadonlyArray<Argument>> = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined || word.text === undefined) {
      if (word !== undefined && isDecided(word)) continue
      return unknownArguments
    }
    if (word.text === "-files0-from") return refused("with starting points from a file")
    if (!runsCommand.test(word.text)) continue
    const action = word.text
    const command: Array<Argument> = []
    for (at++;; at++) {
      const next = words[at]
      if (next === undefined) return refused(`with ${action} that has no end`)
      if (next.text === ";") break
      if (next.text === "+" && command.at(-1)?.text === "{}") {
        if (action.startsWith("-exec")) break
        return refused(`with + behind ${action}`)
      }
      if (!isArgument(next)) return unknownArguments
      command.push(next)
    }
    // BSD's does not put `./` before the names of -execdir.
    commands.push(command.map(withPlaces(action.endsWith("dir") ? "" : headOf(words))))
  }
  return commands.length === 0 ? plain : { _tag: "Runs", commands }
}
