/** Formats the starts, output lines and ends of several commands, each labelled, for `sluice journal tail`. */
import type { OutputPiece } from "../../history/commandOutput.ts"
import { outcomeOf, requestLine, requestTags } from "../../history/readRecord.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { Entry } from "../../journal/Entry.ts"
import { ComputeBranch } from "../../compute/ComputeBranch.ts"
import { durationText, isoText } from "./formatValues.ts"
import { LineAssembler, type LogText } from "./LineAssembler.ts"
import type { TextStyles } from "./TextStyle.ts"
import { stateSentence } from "./stateText.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"

/** Number of characters of an id to show: the millisecond of a UUIDv7. */
const idLength = 13

const nameLength = 16

/** Maximum number of commands to track; the oldest is forgotten first. */
const maxCommands = 1_000

interface LabelledCommand {
  readonly label: string
  readonly lines: LineAssembler
}

const programOf = (exec: ShellExec | undefined): string => {
  if (exec === undefined) return "?"
  return escapeInvisible(exec.useShell ? "sh" : exec.command.replace(/^.*[/\\]/, "")).slice(0, nameLength)
}

export class CommandLog {
  readonly #styles: TextStyles
  readonly #timestamps: boolean
  readonly #known = new Map<string, LabelledCommand>()
  #begun = 0
  #width = 0

  /** With `timestamps` each line starts with the time of its first piece. */
  constructor(styles: TextStyles, timestamps = false) {
    this.#styles = styles
    this.#timestamps = timestamps
  }

  knows(commandId: string): boolean {
    return this.#known.has(commandId)
  }

  introduce(commandId: string, exec: ShellExec | undefined): LabelledCommand {
    const [oldest] = this.#known.keys()
    if (this.#known.size >= maxCommands && oldest !== undefined) this.#known.delete(oldest)
    const name = `${commandId.slice(0, idLength)} ${programOf(exec)}`
    this.#width = Math.max(this.#width, name.length)
    const label = this.#styles.any(this.#begun++)(name.padEnd(this.#width))
    const lines = new LineAssembler(exec?.encoding, (line, time) => `${this.#time(time)}${label} | ${line}`)
    const known = { label, lines }
    this.#known.set(commandId, known)
    return known
  }

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
    return [...known.lines.end("\n"), this.#notice(entry, known, "=", escapeInvisible(stateSentence(state)) + after)]
  }

  output(commandId: string, piece: OutputPiece): LogText {
    return this.#of(commandId).lines.take(piece)
  }

  #of(commandId: string): LabelledCommand {
    return this.#known.get(commandId) ?? this.introduce(commandId, undefined)
  }

  #time(time: number): string {
    return this.#timestamps ? `${isoText(time)} ` : ""
  }

  #notice({ time }: Entry, { label }: LabelledCommand, mark: string, text: string): LogText {
    return { stream: "stdout", text: `${this.#time(time)}${label} ${this.#styles.faint(`${mark} ${text}`)}\n` }
  }
}
