/** Writes text, lines, JSON and journal entries to stdout and stderr for subcommands. */
import * as Effect from "effect/Effect"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { LookupError } from "../../history/findCommand.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { Journal } from "../../journal/JournalService.ts"
import type { BrokenOutputError, OutputWriter } from "../ProcessOutput.ts"
import type { CliProcess, OutputFd } from "../CliProcess.ts"
import { writeMessage } from "../writeMessage.ts"
import type { UsageError } from "../UsageError.ts"
import { canonicalJson } from "../../base/canonicalJson.ts"
import type { Entry } from "../../journal/Entry.ts"
import { LineEncoder } from "../../journal/stores/ndjson/encodeLine.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"

export type SubcommandError = JournalError | LookupError | BrokenOutputError | UsageError

export type SubcommandEffect = Effect.Effect<number, SubcommandError, Journal>

export class CliOutput {
  readonly cli: CliProcess
  readonly json: boolean
  readonly #output: OutputWriter

  constructor(cli: CliProcess, output: OutputWriter, json: boolean) {
    this.cli = cli
    this.json = json
    this.#output = output
  }

  /** Width of the terminal on stdout; `Infinity` where that is not a terminal. */
  get width(): number {
    return this.cli.isTerminal(1) ? this.cli.columns() ?? 80 : Infinity
  }

  write(fd: OutputFd, what: string | Uint8Array): Effect.Effect<void, BrokenOutputError> {
    return this.#output.write(fd, typeof what === "string" ? encodeUtf8(what) : what)
  }

  lines(fd: OutputFd, lines: ReadonlyArray<string>): Effect.Effect<void, BrokenOutputError> {
    return lines.length === 0 ? Effect.void : this.write(fd, lines.join("\n") + "\n")
  }

  value(value: unknown): Effect.Effect<void, BrokenOutputError> {
    return this.write(1, JSON.stringify(value) + "\n")
  }

  say(text: string): Effect.Effect<void, BrokenOutputError> {
    return writeMessage(this.#output, text)
  }
}

export const entryLines = (entries: ReadonlyArray<Entry>): string => {
  const writer = new LineEncoder()
  return entries.map(({ body, ...entry }) =>
    writer.line({ ...entry, body: body === undefined ? "" : canonicalJson(body) }, false)
  ).join("")
}

/** The message without its prefix. A remedy in a store's message is kept. */
export const describeDamage = ({ message, reason }: JournalError): string => {
  const isLost = reason._tag === "Corrupt" && reason.position !== undefined && !message.includes("sluice journal ")
  const remedy = isLost ? '; "sluice journal salvage FROM TO" copies what can be read into a new journal' : ""
  return `${message.replace(/^journal: /, "")}${remedy}`
}

/** A line of text; tabs stay. */
export const shownText = (cli: CliProcess, text: string): string =>
  cli.isTerminal(1) ? text.split("\t").map(escapeInvisible).join("\t") : text
