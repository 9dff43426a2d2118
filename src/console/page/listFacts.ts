/**
 * Lists the facts of a command beside its output, and explains its failure.
 *
 * @module
 */
import { stateBadge } from "./commandItem.ts"
import { make } from "./dom.ts"
import { type Command, isOpen } from "./decodeCommand.ts"
import { agoElement, elapsedElement, formatExact } from "./times.ts"
import { adviceFor, formatDuration, formatSize } from "./formatText.ts"

type Value = string | Node | undefined

const tookOf = (command: Command): Value => {
  if (isOpen(command)) return elapsedElement(command.requested)
  return command.durationMillis === undefined ? undefined : formatDuration(command.durationMillis)
}

/** The facts of a command, as terms and what they are. */
export const listFacts = (command: Command): ReadonlyArray<HTMLElement> => {
  const { ended, executable, exitCode, commandId: id, requested, signal, stderrBytes, stdoutBytes, workingDirectory } =
    command
  const started = make("span", {}, agoElement(requested), make("span", { class: "exact" }, formatExact(requested)))
  const facts: ReadonlyArray<readonly [string, Value]> = [
    ["State", stateBadge(command)],
    ["Exit code", exitCode === undefined || exitCode === 0 && signal !== undefined ? undefined : String(exitCode)],
    ["Started", started],
    [ended === undefined ? "For" : "Took", tookOf(command)],
    ["Wrote", stdoutBytes === undefined ? undefined : formatSize(stdoutBytes + (stderrBytes ?? 0))],
    ["In", workingDirectory],
    ["Program", executable],
    ["Id", id],
  ]
  return facts.flatMap(([name, value]) =>
    value === undefined ? [] : [make("div", {}, make("dt", {}, name), make("dd", {}, value))]
  )
}

/** Why a command faulted, and what one can do; nothing when it did not. */
export const explainFailure = (command: Command): ReadonlyArray<HTMLElement> => {
  const { message, state } = command
  if (state === "lost") {
    return [make("p", {}, "The process that ran it is gone, and nobody has said how it ended.")]
  }
  if (state === "unreadable") return [make("p", {}, "What became of it is not in the journal any more.")]
  const advice = adviceFor(command)
  return [
    ...(message === undefined ? [] : [make("p", { class: "message" }, message)]),
    ...(advice === undefined ? [] : [make("p", {}, advice)]),
  ]
}
