/** Writes text, lines and JSON to stdout and stderr for the subcommands of `sluice journal`. */
import * as Effect from "effect/Effect"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { LookupError } from "../../history/findCommand.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { Journal } from "../../journal/JournalService.ts"
import type { BrokenOutputError, OutputWriter } from "../ProcessOutput.ts"
import type { CliProcess, OutputFd } from "../CliProcess.ts"
import { writeMessage } from "../writeMessage.ts"
import type { UsageError } from "../UsageError.ts"

/** Errors that a subcommand may fail with. */
export type SubcommandError = JournalError | LookupError | BrokenOutputError | UsageError

/** A running subcommand; succeeds with the exit status. */
export type SubcommandEffect = Effect.Effect<number, SubcommandError, Journal>

/** The program's stdout and stderr, for subcommands. */
export class CliOutput {
  readonly cli: CliProcess
  readonly json: boolean
  readonly #output: OutputWriter

  constructor(cli: CliProcess, output: OutputWriter, json: boolean) {
    this.cli = cli
    this.json = json
    this.#output = output
  }

  /** Writes text, or bytes unchanged. */
  write(fd: OutputFd, what: string | Uint8Array): Effect.Effect<void, BrokenOutputError> {
    return this.#output.write(fd, typeof what === "string" ? encodeUtf8(what) : what)
  }

  /** Writes lines, each with its newline. */
  lines(fd: OutputFd, lines: ReadonlyArray<string>): Effect.Effect<void, BrokenOutputError> {
    return lines.length === 0 ? Effect.void : this.write(fd, lines.join("\n") + "\n")
  }

  /** Writes a value as one line of JSON. */
  value(value: unknown): Effect.Effect<void, BrokenOutputError> {
    return this.write(1, JSON.stringify(value) + "\n")
  }

  /** Writes a one-line message to stderr. */
  say(text: string): Effect.Effect<void, BrokenOutputError> {
    return writeMessage(this.#output, text)
  }
}
