/**
 * Defines `sluice journal` and its subcommands for effect/cli.
 *
 * @module
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type FlagTexts, givenFlags, makeFlag, makeFlags } from "../makeFlag.ts"
import { sharedFlags, subcommands, type SubcommandSpec } from "./flags.ts"
import type { JournalWords } from "./readJournalRequest.ts"

/** Values of the flags that all subcommands have. */
interface SharedTexts {
  readonly journal: FlagTexts
  readonly json: FlagTexts
}

const idOf = (id: SubcommandSpec["id"]): Argument.Argument<FlagTexts> | undefined => {
  const text = Argument.String("ID").pipe(
    Argument.withDescription("The id of a command, a unique prefix of it, or last"),
  )
  if (id === "none") return undefined
  if (id === "fromTo") {
    return Argument.String("FROM TO").pipe(
      Argument.withDescription("The damaged journal and a new one: FILE.db or FILE.ndjson"),
      Argument.between(2, 2),
    )
  }
  return id === "needed"
    ? Argument.map(text, (one): FlagTexts => [one])
    : Argument.map(Argument.optional(text), (one): FlagTexts => Option.toArray(one))
}

const about = `Read the journal that sluice run --journal writes: every command, its output and its result.

  Location: --journal, else SLUICE_JOURNAL, else .sluice/journal.db in this directory or the nearest one above.
  postgres://USER@HOST/DATABASE takes ?schema=NAME, one journal per schema. Default: sluice

  A journal contains arguments, --env values and output in plain text, except known token formats and what --redact and
  --secret-env of sluice run, serve and daemon redact. Use prune --command-id to remove a secret that was recorded.

  Exit status: 0 success; 1 verify found damage; replay and tail ID exit with the status of the command;
  130 by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure.`

/** Makes `sluice journal`. Its handlers only report the parsed words. */
export const makeJournalCommand = (
  choose: (words: JournalWords) => void,
): Command.Command<"journal", SharedTexts, SharedTexts> => {
  const shared = { journal: makeFlag("journal", sharedFlags.journal), json: makeFlag("json", sharedFlags.json) }
  const journal = Command.make("journal").pipe(Command.withSharedFlags(shared))
  const each = Object.entries(subcommands).map(([name, spec]) => {
    const id = idOf(spec.id)
    return Command.make(
      name,
      { flags: makeFlags(spec.flags), ...(id === undefined ? undefined : { id }) },
      ({ flags, ...rest }) =>
        Effect.map(journal, (above) => {
          const ids = "id" in rest ? rest.id : undefined
          choose({ subcommand: name, ids: ids ?? [], flags: new Map([...givenFlags(above), ...givenFlags(flags)]) })
        }),
    ).pipe(
      Command.withDescription(spec.about),
      Command.withShortDescription(spec.short),
      Command.withExamples(spec.examples.map(([command, description]) => ({ command, description }))),
    )
  })
  return journal.pipe(
    Command.withDescription(about),
    Command.withShortDescription("List, show, follow, replay, verify, export, prune and repair recorded commands"),
    Command.withSubcommands(each),
  )
}
