/** Summarizes a journaled request, and finds the request for which a command was made. */
import * as Effect from "effect/Effect"
import type { Entry } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { RootRequest } from "./CommandRecord.ts"

const maxAbout = 200

export const shorten = (text: string): string => text.length > maxAbout ? `${text.slice(0, maxAbout)}…` : text

/** A summary of a request of any branch except that of commands: its path, its name, its task. */
export const describeRequest = ({ body }: Entry): string => {
  if (body === undefined) return "(pruned)"
  const { about, arguments: input, name, path, task } = body
  const words = typeof about === "string" ? [about] : [
    ...[name, path, task].filter((word) => typeof word === "string"),
    ...(input === undefined ? [] : [JSON.stringify(input)]),
  ]
  return shorten(words.join(" "))
}

/** The request that begins the tree of ids of a command, `ID` of `ID/…`; `undefined` if the journal has none. */
export const findRoot = (
  journal: JournalService,
  commandId: string,
): Effect.Effect<RootRequest | undefined, JournalError> => {
  const slash = commandId.indexOf("/")
  if (slash < 1) return Effect.undefined
  const correlationId = commandId.slice(0, slash)
  return Effect.map(
    journal.read({ filter: { correlationId }, maxEntries: 1 }),
    ([entry]) => entry === undefined ? undefined : { correlationId, tag: entry.tag, about: describeRequest(entry) },
  )
}
