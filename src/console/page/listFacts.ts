/** Lists the facts of a command as elements (state, times, exit code, directory), and explains its failure. */
import { sessionName } from "./commandGroups.ts"
import { stateBadge } from "./commandItem.ts"
import { makeDescriptions, makeElement } from "./dom.ts"
import { type Command, isOpen } from "./decodeCommand.ts"
import { agoElement, elapsedElement, formatExact } from "./times.ts"
import { adviceFor, formatDuration, formatSize } from "./formatText.ts"

type Value = string | Node | undefined

const tookOf = (command: Command): Value => {
  if (isOpen(command)) return elapsedElement(command.requested)
  return command.durationMillis === undefined ? undefined : formatDuration(command.durationMillis)
}

export const listFacts = (command: Command): ReadonlyArray<HTMLElement> => {
  const { ended, executable, exitCode, commandId: id, requested, signal, stderrBytes, stdoutBytes, workingDirectory } =
    command
  const started = makeElement(
    "span",
    { class: "started" },
    agoElement(requested),
    makeElement("span", { class: "exact" }, formatExact(requested)),
  )
  return makeDescriptions([
    ["State", stateBadge(command)],
    ["Exit code", exitCode === undefined || exitCode === 0 && signal !== undefined ? undefined : String(exitCode)],
    ["Started", started],
    [ended === undefined ? "For" : "Took", tookOf(command)],
    ["Wrote", stdoutBytes === undefined ? undefined : formatSize(stdoutBytes + (stderrBytes ?? 0))],
    ["In", workingDirectory],
    ["Program", executable],
    ["Session", sessionName(command)],
    ["Token", command.requestedBy],
    ["User", command.user],
    ["Id", id],
  ])
}

/** Explains why a command faulted, with advice; empty if it did not. */
export const explainFailure = (command: Command): ReadonlyArray<HTMLElement> => {
  const { message, state } = command
  if (state === "lost") {
    return [makeElement("p", {}, "The process that ran it is gone, and its result is unknown.")]
  }
  if (state === "unreadable") return [makeElement("p", {}, "Its result has been pruned from the journal.")]
  const advice = adviceFor(command)
  return [
    ...(message === undefined ? [] : [makeElement("p", { class: "message" }, message)]),
    ...(advice === undefined ? [] : [makeElement("p", {}, advice)]),
  ]
}
