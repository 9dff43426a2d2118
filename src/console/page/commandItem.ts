/**
 * A command as a line of the list.
 *
 * @module
 */
import { make } from "./dom.ts"
import { type Command, isOpen } from "./json.ts"
import { lasting, timeOf } from "./times.ts"
import { cut, mood, span, spelled, stateText } from "./words.ts"

/** Characters of a line that are shown; the whole of it is beside the list. */
const mostShown = 300

/** How a command is: a sign, a colour, and the words. */
export const stateOf = (command: Command): HTMLElement =>
  make("span", { class: `state ${mood(command)}` }, stateText(command))

/** The element of a command in the list. */
export const commandItem = (command: Command, isChosen: boolean): HTMLElement => {
  const { durationMillis, commandId: id, position, requested, text } = command
  const took = isOpen(command) ? [lasting(requested)] : durationMillis === undefined ? [] : [span(durationMillis)]
  return make(
    "li",
    { role: "option", id: `command-${position}`, "data-id": id, "aria-selected": String(isChosen) },
    make("span", { class: "line" }, cut(spelled(text.replace(/\s+/g, " ")), mostShown)),
    make("span", { class: "facts" }, stateOf(command), timeOf(requested), ...took.map((one) => make("span", {}, one))),
  )
}
