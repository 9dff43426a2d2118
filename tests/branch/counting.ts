/**
 * A branch that knows nothing of shells: it is asked to count.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Entry, type Journal, type JournalError, type JournalService, MemoryJournal } from "@sluice/shell/journal"
import type * as Scope from "effect/Scope"
import {
  type Branch,
  type Client,
  type ClientTimeouts,
  type Daemon,
  type DaemonOptions,
  draftBranchEntry,
  type EndCause,
  type HostIdentity,
  makeClient,
  makeDaemon,
  makeSchemaCodec,
} from "../../src/branch/Branch.ts"

export const Count = Schema.TaggedStruct("Count", {
  id: Schema.String,
  to: Schema.Int,
  again: Schema.optionalKey(Schema.Boolean),
})
export type Count = typeof Count.Type

export const CountEvent = Schema.Union([
  Schema.TaggedStruct("Counted", { id: Schema.String, n: Schema.Int }),
  Schema.TaggedStruct("Finished", { id: Schema.String, by: Schema.String }),
  Schema.TaggedStruct("Failed", { id: Schema.String, why: Schema.String, detail: Schema.String }),
])
export type CountEvent = typeof CountEvent.Type

export const Counting: Branch<Count, CountEvent> = {
  name: "counting",
  version: 1,
  request: makeSchemaCodec({ tags: ["Count"], schema: Count }),
  event: makeSchemaCodec({ tags: ["Counted", "Finished", "Failed"], schema: CountEvent }),
  correlationOf: ({ id }) => id,
  lastTags: ["Finished", "Failed"],
  isLast: ({ _tag }) => _tag !== "Counted",
}

export const count = (id: string, to = 3, again = false): Count => ({
  _tag: "Count",
  id,
  to,
  ...(again ? { again } : undefined),
})

const detailOf = (ending: EndCause): string => {
  switch (ending._tag) {
    case "Cancelled":
      return ending.by ?? ""
    case "HostLost":
      return `${ending.lost.daemonId} ${ending.attempts} ${ending.recovered.ended ?? "unseen"}`
    case "NotTaken":
      return `${ending.why} ${ending.afterMillis}`
    case "Throttled":
      return `${ending.maxConcurrency} ${ending.maxOpen}`
    case "JournalFailed":
      return ending.error.reason._tag
    default:
      return ""
  }
}

export const makeLastEvent = ({ id }: Count, ending: EndCause): Effect.Effect<CountEvent> =>
  Effect.succeed({ _tag: "Failed", id, why: ending._tag, detail: detailOf(ending) })

/** Counts to the end at once. */
export const countAll = (by: string) => ({ id, to }: Count): Stream.Stream<CountEvent> =>
  Stream.range(1, to).pipe(
    Stream.map((n): CountEvent => ({ _tag: "Counted", id, n })),
    Stream.concat(Stream.succeed<CountEvent>({ _tag: "Finished", id, by })),
  )

/** Counts to one, and waits until the gate is opened. */
export const countWhenOpen =
  (by: string, gate: Deferred.Deferred<void>) => (request: Count): Stream.Stream<CountEvent> =>
    Stream.concat(
      Stream.succeed<CountEvent>({ _tag: "Counted", id: request.id, n: 0 }),
      Stream.unwrap(Effect.as(Deferred.await(gate), countAll(by)(request))),
    )

type Options = Partial<DaemonOptions<Count, CountEvent, never>>

/** A daemon that counts. */
export const countingDaemon = (options: Options = {}) =>
  makeDaemon(Counting, {
    handle: countAll(options.name ?? "daemon"),
    makeLastEvent,
    canRerun: ({ again }) => again === true,
    ...options,
  })

/** A daemon that counts, and has begun. */
export const startedDaemon = (options?: Options) =>
  Effect.tap(countingDaemon(options), (daemon: Daemon) => daemon.start)

export const countingClient = (times: ClientTimeouts = {}): Effect.Effect<Client<Count, CountEvent>, never, Journal> =>
  Effect.orDie(makeClient(Counting, { makeLastEvent, ...times }))

/** Asks, and collects the events. */
export const ask = (client: Client<Count, CountEvent>, request: Count) =>
  Effect.map(Stream.runCollect(client.request(request)), (answers) => answers.map(({ event }) => event))

/** What the journal holds of a request, as tags. */
export const tagsOf = (journal: JournalService, correlationId: string) =>
  Effect.map(
    journal.read({ filter: { correlationId } }),
    (entries: ReadonlyArray<Entry>) => entries.map(({ tag }) => tag),
  )

/** A process of a machine that is not visible here. */
export const elsewhere: HostIdentity = {
  host: "elsewhere",
  machine: "m2",
  bootId: "b2",
  pidNamespace: "none",
  pid: 4_242,
  processStart: "1",
}

/** The entry of a daemon that has started there. */
export const startElsewhere = (maxOpen?: number, daemonId = "far") =>
  draftBranchEntry(Counting, daemonId, {
    _tag: "DaemonStarted",
    daemonId,
    host: elsewhere,
    leaseMillis: 15_000,
    ...(maxOpen === undefined ? undefined : { maxOpen }),
    settledThrough: 0,
  })

/** Runs something on a journal of its own; what it began has ended before the journal is closed. */
export const inJournal = <A, E>(
  effect: Effect.Effect<A, E, Journal | Scope.Scope>,
): Effect.Effect<A, E | JournalError> =>
  Effect.provide(Effect.scoped(effect), MemoryJournal.layerWith({ maxEntries: Infinity }))

/** Lets what is forked run until nothing more happens by itself. */
export const settle = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })
