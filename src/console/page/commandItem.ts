/** Makes the list element of a command, and the badge of its state. */
import { makeElement } from "./dom.ts"
import { type Command, isOpen } from "./decodeCommand.ts"
import { agoElement, elapsedElement } from "./times.ts"
import { escapeInvisible, formatDuration, stateText, stateTone, truncate } from "./formatText.ts"

/** Maximum characters of a command line in the list. */
const maxShown = 300

export const stateBadge = (command: Command): HTMLElement =>
  makeElement("span", { class: `state ${stateTone(command)}` }, stateText(command))

export const makeCommandItem = (command: Command, isChosen: boolean): HTMLElement => {
  const { durationMillis, commandId: id, position, requested, requestedBy, text } = command
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
      ...[...took, ...(requestedBy === undefined ? [] : [`by ${requestedBy}`])].map((one) =>
        makeElement("span", {}, one)
      ),
    ),
  )
}
