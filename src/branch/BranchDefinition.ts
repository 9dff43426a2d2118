/** Declares the types of a branch and its codecs, and converts its requests and events to journal entries and back. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Body, Draft, Entry } from "../journal/Entry.ts"
import { JournalError } from "../journal/JournalError.ts"

/** Encodes the messages of one direction to bodies of entries, and decodes them. */
export interface MessageCodec<Message> {
  readonly tags: ReadonlyArray<string>
  /** Encodes a message; the body's `_tag` is one of `tags`. */
  readonly encode: (message: Message) => Body
  /** Decodes a body that another version of the branch may have written. */
  readonly decode: (body: Body, version: number) => Result.Result<Message, Schema.SchemaError>
}

/**
 * A branch: a typed journal, and the service that is served through it.
 *
 * Readers and writers of different versions may share a journal: a request of a later version is left to newer daemons,
 * because ignoring one of its fields could change its meaning. An event of a later version is decoded if it fits this
 * version's Schema, and skipped otherwise, as are entries with unknown tags. A last event must be understood, so one that
 * does not fit fails with `TooNew`.
 */
export interface Branch<Request, Event> {
  /** Its name in the journal, such as `"compute"`. */
  readonly name: string
  /**
   * The version that is written with each entry. Raise it when an earlier reader would misread a request; give an event
   * that an earlier reader would misread another tag. Entries of earlier versions are upgraded when they are read.
   */
  readonly version: number
  /** Messages towards the leaf. */
  readonly request: MessageCodec<Request>
  /** Messages back from the leaf. */
  readonly event: MessageCodec<Event>
  /** The id that a request and its events share. */
  readonly correlationOf: (message: Request | Event) => string
  /** Tags of last events: an entry with one of them closes its request. */
  readonly lastTags: ReadonlyArray<string>
  /** Whether nothing follows this event. */
  readonly isLast: (event: Event) => boolean
}

const draft = (
  branch: { readonly name: string; readonly version: number },
  correlationId: string,
  body: Body,
): Draft => ({
  branch: branch.name,
  correlationId,
  version: branch.version,
  body,
})

/**
 * Makes the entry of a request, to be appended.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 * import { ShellExec } from "@sluice/shell"
 *
 * const request = ShellExec.make("make", ["all"], { commandId: "build-17" })
 * const { body, correlationId } = Branch.draftRequest(ComputeBranch, request)
 * console.log(correlationId, body["command"]) // build-17 make
 * ```
 */
export const draftRequest = <Request, Event>(branch: Branch<Request, Event>, request: Request): Draft =>
  draft(branch, branch.correlationOf(request), branch.request.encode(request))

/**
 * Makes the entry of an event, to be appended.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { Schema } from "effect"
 *
 * const Ping = Schema.TaggedStruct("Ping", { id: Schema.String })
 * const codec = Branch.makeSchemaCodec({ tags: ["Ping"], schema: Ping })
 * const Pings: Branch.Branch<typeof Ping.Type, typeof Ping.Type> = {
 *   name: "pings",
 *   version: 1,
 *   request: codec,
 *   event: codec,
 *   correlationOf: ({ id }) => id,
 *   lastTags: ["Ping"],
 *   isLast: () => true,
 * }
 * const { body, branch } = Branch.draftEvent(Pings, Ping.make({ id: "p1" }))
 * console.log(branch, body._tag) // pings Ping
 * ```
 */
export const draftEvent = <Request, Event>(branch: Branch<Request, Event>, event: Event): Draft =>
  draft(branch, branch.correlationOf(event), branch.event.encode(event))

const tooNew = (branch: { readonly name: string; readonly version: number }, entry: Entry): JournalError =>
  JournalError.because(
    { _tag: "TooNew", version: entry.version, known: branch.version },
    `journal: entry ${entry.position} (${entry.tag}) was written by version ${entry.version} of the ${branch.name} ` +
      `branch; this one knows ${branch.version}`,
  )

const decode = <Request, Event, Message extends Request | Event>(
  branch: Branch<Request, Event>,
  codec: MessageCodec<Message>,
  { body, correlationId, position, tag, version }: Entry,
): Result.Result<Message, JournalError> => {
  const corrupt = (what: string, text: string): JournalError =>
    JournalError.because({ _tag: "Corrupt", what, position }, `journal: entry ${position} (${tag})${text}`)
  if (body === undefined) {
    const what = "its body was pruned"
    return Result.fail(corrupt(what, `: ${what}`))
  }
  const decoded = Result.mapError(codec.decode(body, version), (error) => {
    const what = `it is not an entry of the ${branch.name} branch`
    return corrupt(what, ` cannot be read: ${what}: ${error.message}`)
  })
  if (Result.isFailure(decoded) || branch.correlationOf(decoded.success) === correlationId) return decoded
  // The answer would go to another request, and this one would never end.
  const what = "its body has another correlation id"
  return Result.fail(corrupt(what, ` cannot be read: ${what}`))
}

/**
 * Decodes the request of an entry; `undefined` when the entry is something else. Fails with `TooNew` for a request of a
 * later version, and with `Corrupt` for one that cannot be read.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 * import { ShellExec } from "@sluice/shell"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Result } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const journal = yield* Journal
 *   yield* journal.append([Branch.draftRequest(ComputeBranch, ShellExec.make("make"))])
 *   const [entry] = yield* journal.read({ after: 0 })
 *   return entry && Branch.decodeRequestEntry(ComputeBranch, entry)
 * })
 * const decoded = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
 * console.log(decoded && Result.isSuccess(decoded) && decoded.success.command) // make
 * ```
 */
export const decodeRequestEntry = <Request, Event>(
  branch: Branch<Request, Event>,
  entry: Entry,
): Result.Result<Request, JournalError> | undefined => {
  if (!belongsTo(branch, branch.request, entry)) return undefined
  return entry.version > branch.version ? Result.fail(tooNew(branch, entry)) : decode(branch, branch.request, entry)
}

/**
 * Decodes the event of an entry; `undefined` when the entry is something else, or an event of a later version that does
 * not fit. Fails with `TooNew` for a last event that does not fit, and with `Corrupt` for an event of this version or
 * an earlier one that cannot be read.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 * import { ShellExec } from "@sluice/shell"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const journal = yield* Journal
 *   yield* journal.append([Branch.draftRequest(ComputeBranch, ShellExec.make("make"))])
 *   const [entry] = yield* journal.read({ after: 0 })
 *   return entry && Branch.decodeEventEntry(ComputeBranch, entry)
 * })
 * const decoded = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
 * // The entry holds a request, not an event.
 * console.log(decoded) // undefined
 * ```
 */
export const decodeEventEntry = <Request, Event>(
  branch: Branch<Request, Event>,
  entry: Entry,
): Result.Result<Event, JournalError> | undefined => {
  if (!belongsTo(branch, branch.event, entry)) return undefined
  const event = decode(branch, branch.event, entry)
  if (Result.isSuccess(event) || entry.version <= branch.version || entry.body === undefined) return event
  return branch.lastTags.includes(entry.tag) ? Result.fail(tooNew(branch, entry)) : undefined
}

const belongsTo = (branch: { readonly name: string }, codec: { readonly tags: ReadonlyArray<string> }, entry: Entry) =>
  entry.branch === branch.name && codec.tags.includes(entry.tag)
