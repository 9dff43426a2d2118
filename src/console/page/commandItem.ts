/**
 * Creates the list element of a command, with its state badge.
 *
 * @module
 */
import { makeElement } from "./dom.ts"
import { type Command, isOpen } from "./decodeCommand.ts"
import { agoElement, elapsedElement } from "./times.ts"
import { escapeInvisible, formatDuration, stateText, stateTone, truncate } from "./formatText.ts"

/** Characters of a line that are shown; the whole of it is beside the list. */
const maxShown = 300

/** How a command is: a sign, a colour, and the words. */
export const stateBadge = (command: Command): HTMLElement =>
  makeElement("span", { class: `state ${stateTone(command)}` }, stateText(command))

/** The element of a command in the list. */
export const commandItem = (command: Command, isChosen: boolean): HTMLElement => {
  const { durationMillis, commandId: id, position, requested, text } = command
  const took = isOpen(command)
    ? [elapsedElement(requested)]
    : durationMillis === undefined
    ? []
    : [formatDuration(durationMillis)]
  return makeElement(
    "li",
    { role: "option", id: `command-${position}`, "data-id": id, "aria-selected": String(isChosen) },
    makeElement("span", { class: "line" }, truncate(escapeInvisible(text.replace(/\s+/g, " ")), maxShown)),
    makeElement(
      "span",
      { class: "facts" },
      stateBadge(command),
      agoElement(requested),
      ...took.map((one) => makeElement("span", {}, one)),
    ),
  )
}
