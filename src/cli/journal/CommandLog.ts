/**
 * Formats the output of several running commands as lines, each labelled with its command.
 *
 * @module
 */
import { makeDecoder } from "../../history/makeDecoder.ts"
import type { OutputPiece } from "../../history/commandOutput.ts"
import { outcomeOf, requestLine, requestTags } from "../../history/readRecord.ts"
import type { OutputStream } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { Entry } from "../../journal/Entry.ts"
import { ComputeBranch } from "../../compute/ComputeBranch.ts"
import { durationText, isoText } from "./formatValues.ts"
import type { TextStyles } from "./TextStyle.ts"
import { stateSentence } from "./stateText.ts"
import { escapeInvisible } from "./escapeInvisible.ts"

/** Number of characters of an id to show: those of a UUIDv7's millisecond. */
const idLength = 13

/** Maximum length of a program's name. */
const nameLength = 16

/** Maximum length of a line; longer lines are cut in two. */
const maxLine = 65_536

/** Maximum number of commands to track; the oldest is forgotten first. */
const maxCommands = 1_000

/** Text for the program's stdout or stderr. */
export interface LogText {
  readonly stream: OutputStream
  readonly text: string
}

interface Lane {
  readonly decoder: TextDecoder
  rest: string
}

interface Known {
  readonly label: string
  readonly lanes: Readonly<Record<OutputStream, Lane>>
}

const programOf = (exec: ShellExec | undefined): string => {
  if (exec === undefined) return "?"
  return escapeInvisible(exec.useShell ? "sh" : exec.command.replace(/^.*[/\\]/, "")).slice(0, nameLength)
}

/** Formats events and output of commands as lines. */
export class CommandLog {
  readonly #styles: TextStyles
  readonly #timestamps: boolean
  readonly #known = new Map<string, Known>()
  #begun = 0
  #width = 0

  /** With `timestamps` each line starts with the time at which it was written. */
  constructor(styles: TextStyles, timestamps = false) {
    this.#styles = styles
    this.#timestamps = timestamps
  }

  /** Whether a command has a label already. */
  knows(commandId: string): boolean {
    return this.#known.has(commandId)
  }

  /** Assigns a label to a command by its request. */
  introduce(commandId: string, exec: ShellExec | undefined): Known {
    const [oldest] = this.#known.keys()
    if (this.#known.size >= maxCommands && oldest !== undefined) this.#known.delete(oldest)
    const name = `${commandId.slice(0, idLength)} ${programOf(exec)}`
    this.#width = Math.max(this.#width, name.length)
    const lane = (): Lane => ({ decoder: makeDecoder(exec?.encoding), rest: "" })
    const label = this.#styles.any(this.#begun++)(name.padEnd(this.#width))
    const known = { label, lanes: { stdout: lane(), stderr: lane() } }
    this.#known.set(commandId, known)
    return known
  }

  /** Formats the start or the end of a command. */
  mark(entry: Entry): ReadonlyArray<LogText> {
    const { correlationId } = entry
    if (requestTags.includes(entry.tag)) {
      const [exec, line] = requestLine(entry)
      return [this.#notice(entry, this.introduce(correlationId, exec), "$", line)]
    }
    if (!ComputeBranch.lastTags.includes(entry.tag)) return []
    const known = this.#of(correlationId)
    this.#known.delete(correlationId)
    const { durationMillis, state } = outcomeOf(entry)
    const after = durationMillis === undefined ? "" : ` after ${durationText(durationMillis)}`
    const rests = (["stdout", "stderr"] as const).flatMap((stream) => {
      const { decoder, rest } = known.lanes[stream]
      const text = rest + decoder.decode()
      return text === "" ? [] : [{ stream, text: `${this.#time(entry.time)}${known.label} | ${text}\n` }]
    })
    return [...rests, this.#notice(entry, known, "=", escapeInvisible(stateSentence(state)) + after)]
  }

  /** Formats the lines that a piece of output completes. */
  output(commandId: string, { bytes, stream, text, timestamp }: OutputPiece): LogText {
    const { label, lanes: { [stream]: lane } } = this.#of(commandId)
    const all = lane.rest + (text ?? lane.decoder.decode(bytes, { stream: true }))
    const lines = all.split("\n")
    lane.rest = lines.pop() ?? ""
    while (lane.rest.length > maxLine) {
      lines.push(lane.rest.slice(0, maxLine))
      lane.rest = lane.rest.slice(maxLine)
    }
    return { stream, text: lines.map((line) => `${this.#time(timestamp)}${label} | ${line}\n`).join("") }
  }

  #of(commandId: string): Known {
    return this.#known.get(commandId) ?? this.introduce(commandId, undefined)
  }

  #time(time: number): string {
    return this.#timestamps ? `${isoText(time)} ` : ""
  }

  #notice({ time }: Entry, { label }: Known, mark: string, text: string): LogText {
    return { stream: "stdout", text: `${this.#time(time)}${label} ${this.#styles.faint(`${mark} ${text}`)}\n` }
  }
}
