/**
 * Makes the presenter of effect/cli for `sluice`: prints help and version on stdout, and a usage error as one line on
 * stderr.
 */
import * as CliOutput from "effect/cli/CliOutput"
import type { CliError } from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import { encodeUtf8 } from "../base/bytes.ts"
import type { OutputWriter } from "./ProcessOutput.ts"
import { tryMessage } from "./writeMessage.ts"

const suggested = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`

/** Formats an error of effect/cli as one line. */
export const describeUsageError = (error: CliError): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `unknown flag ${error.option}${suggested(error.suggestions)}`
    case "UnknownSubcommand":
      return `unknown command ${error.subcommand}${suggested(error.suggestions)}`
    case "MissingArgument":
      if (error.argument === "ID") return "missing ID: give the id of a command, or last for the newest"
      return error.argument === "SCRIPT"
        ? "missing script: quote it, as in sluice sandbox 'seq 9 | wc -l'"
        : error.argument === "COMMAND"
        ? "missing command: write it after the flags, as in sluice run -- git log"
        : `missing ${error.argument}`
    default:
      return error.message
  }
}

/**
 * Makes the presenter of effect/cli: help and version go to stdout, errors to stderr. A usage error is one line instead
 * of the whole help.
 */
export const makePresenter = (output: OutputWriter, colors: boolean): CliOutput.Presenter => {
  const formatter = CliOutput.defaultFormatter({ colors })
  const print = (fd: 1 | 2, text: string): Effect.Effect<void> =>
    Effect.ignore(output.write(fd, encodeUtf8(`${text.trim()}\n`)))
  return {
    present: (event) => {
      switch (event._tag) {
        case "Help":
          return print(event.reason === "Requested" ? 1 : 2, formatter.formatHelpDoc(event.helpDoc))
        case "Version":
          return print(1, formatter.formatVersion(event.name, event.version))
        case "InvalidInvocation": {
          const problems = event.errors.map(describeUsageError).join("; ")
          return tryMessage(output, `${problems} (see ${event.commandPath.join(" ")} --help)`)
        }
      }
    },
  }
}
