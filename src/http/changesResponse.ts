/** Responds to `GET /commands/events` with a `CommandInfo` for each command that is requested, starts or ends. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Duration from "effect/Duration"
import { interruptOnAbort } from "../base/abort.ts"
import { emptyBytes, encodeUtf8 } from "../base/bytes.ts"
import { commandById } from "../history/findCommand.ts"
import { endTags, leaseTag, requestTags } from "../history/readRecord.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import * as Ndjson from "../wire/ndjson.ts"
import * as Sse from "../wire/sse.ts"
import { commandInfoJson } from "./commandInfo.ts"
import { streamResponseHeaders } from "./headers.ts"
import type { ResponseType } from "./negotiate.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"
import { type Bytes, streamBody } from "./streamBody.ts"

/** A command that changed: the position of the entry, and the `CommandInfo` as JSON. */
interface Change {
  readonly position: number
  readonly info: string
}

const filter = { branch: ComputeBranch.name, tags: [...requestTags, leaseTag, ...endTags] }

/** Changes after a position. If a batch has several changes of one command, only the last is emitted. */
const changes = (journal: JournalService, after: number, runs: RunSupervisor): Stream.Stream<Change, JournalError> =>
  journal.tail({ after, filter }).pipe(
    Stream.chunks,
    Stream.mapEffect((entries) => {
      const newest = new Map<string, number>()
      for (const { correlationId, position } of entries) {
        newest.delete(correlationId)
        newest.set(correlationId, position)
      }
      return Effect.forEach([...newest], ([id, position]) =>
        Effect.map(
          Effect.provideService(commandById(id), Journal, journal),
          (record): ReadonlyArray<Change> =>
            record === undefined ? [] : [{ position, info: commandInfoJson(record, runs) }],
        ))
    }),
    Stream.flatMap((found) => Stream.fromIterable(found.flat())),
  )

const sse = (some: ReadonlyArray<Change>): Bytes =>
  encodeUtf8(some.map(({ info, position }) => `id: ${position}\ndata: ${info}\n\n`).join(""))

const ndjson = (some: ReadonlyArray<Change>): Bytes => encodeUtf8(some.map(({ info }) => `${info}\n`).join(""))

export interface ChangesOptions {
  readonly runs: RunSupervisor
  readonly journal: JournalService
  readonly type: ResponseType
  readonly after: number
  readonly keepAlive: Duration.Duration
  readonly signal: AbortSignal
  readonly onEnd: () => void
}

export const changesResponse = (
  { after, journal, keepAlive, onEnd, runs, signal, type }: ChangesOptions,
): Response => {
  const silence = encodeUtf8(type === Ndjson.mediaType ? "\n" : ": keep-alive\n\n")
  const { body } = streamBody({
    pieces: changes(journal, after, runs),
    encode: type === Ndjson.mediaType ? ndjson : sse,
    encodeFailure: (cause) => Cause.hasInterruptsOnly(cause) ? emptyBytes : undefined,
    fork: (effect) => {
      const fiber = runs.forkReader(effect, true)
      fiber.addObserver(onEnd)
      interruptOnAbort(fiber, signal)
      return fiber
    },
    keepAlive: { bytes: silence, every: keepAlive, check: Effect.void },
    opening: silence,
  })
  return new Response(body, {
    headers: { ...streamResponseHeaders, "content-type": type === Ndjson.mediaType ? Ndjson.mediaType : Sse.mediaType },
  })
}
