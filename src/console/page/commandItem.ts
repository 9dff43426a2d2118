/**
 * Draws a command as an item of the list.
 *
 * @module
 */
import { make } from "./dom.ts"
import { type Command, isOpen } from "./decodeCommand.ts"
import { agoElement, elapsedElement } from "./times.ts"
import { escapeInvisible, formatDuration, stateText, stateTone, truncate } from "./formatText.ts"

/** Characters of a line that are shown; the whole of it is beside the list. */
const mostShown = 300

/** How a command is: a sign, a colour, and the words. */
export const stateBadge = (command: Command): HTMLElement =>
  make("span", { class: `state ${stateTone(command)}` }, stateText(command))

/** The element of a command in the list. */
export const commandItem = (command: Command, isChosen: boolean): HTMLElement => {
  const { durationMillis, commandId: id, position, requested, text } = command
  const took = isOpen(command)
    ? [elapsedElement(requested)]
    : durationMillis === undefined
    ? []
    : [formatDuration(durationMillis)]
  return make(
    "li",
    { role: "option", id: `command-${position}`, "data-id": id, "aria-selected": String(isChosen) },
    make("span", { class: "line" }, truncate(escapeInvisible(text.replace(/\s+/g, " ")), mostShown)),
    make(
      "span",
      { class: "facts" },
      stateBadge(command),
      agoElement(requested),
      ...took.map((one) => make("span", {}, one)),
    ),
  )
}
