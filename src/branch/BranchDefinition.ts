/**
 * What a branch is: a name, what is asked, what is answered. Daemon, client, leases and lifecycle are written once over it.
 *
 * @module
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Body, Draft, Entry } from "../journal/Entry.ts"
import { JournalError } from "../journal/JournalError.ts"

/** How messages of one direction become bodies of entries, and come back. */
export interface MessageCodec<Message> {
  /** The tags of its messages. */
  readonly tags: ReadonlyArray<string>
  readonly encode: (message: Message) => Body
  /** The message of a body that an older version of the branch may have written. */
  readonly decode: (body: Body, version: number) => Result.Result<Message, Schema.SchemaError>
}

/** A branch: a typed journal, and the service that is served through it. */
export interface Branch<Request, Event> {
  /** Its name in the journal, such as `"compute"`. */
  readonly name: string
  /** Version of its Schemas: raised by a change that an older reader cannot read. What is older is upgraded when read. */
  readonly version: number
  /** Towards the leaf. */
  readonly request: MessageCodec<Request>
  /** Back from it. */
  readonly event: MessageCodec<Event>
  /** What ties the events to their request. */
  readonly correlationOf: (message: Request | Event) => string
  /** Tags of the events that nothing follows: an entry with one of them closes its request. */
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

/** A request as an entry to append. */
export const draftRequest = <Request, Event>(branch: Branch<Request, Event>, request: Request): Draft =>
  draft(branch, branch.correlationOf(request), branch.request.encode(request))

/** An event as an entry to append. */
export const draftEvent = <Request, Event>(branch: Branch<Request, Event>, event: Event): Draft =>
  draft(branch, branch.correlationOf(event), branch.event.encode(event))

const decode = <Message>(
  branch: { readonly name: string; readonly version: number },
  codec: MessageCodec<Message>,
  entry: Entry,
): Result.Result<Message, JournalError> => {
  const { body, position, tag, version } = entry
  if (version > branch.version) {
    return Result.fail(JournalError.because(
      { _tag: "TooNew", version, known: branch.version },
      `journal: entry ${position} (${tag}) was written by version ${version} of the ${branch.name} branch; ` +
        `this one knows ${branch.version}`,
    ))
  }
  if (body === undefined) {
    const what = "its body was pruned"
    return Result.fail(
      JournalError.because({ _tag: "Corrupt", what, position }, `journal: entry ${position} (${tag}): ${what}`),
    )
  }
  return Result.mapError(codec.decode(body, version), (error) => {
    const what = `it is not what the ${branch.name} branch writes`
    return JournalError.because(
      { _tag: "Corrupt", what, position },
      `journal: entry ${position} (${tag}) cannot be read: ${what}: ${error.message}`,
    )
  })
}

/** The request of an entry; `undefined` when the entry is something else. */
export const decodeRequestEntry = <Request, Event>(
  branch: Branch<Request, Event>,
  entry: Entry,
): Result.Result<Request, JournalError> | undefined =>
  isOf(branch, branch.request, entry) ? decode(branch, branch.request, entry) : undefined

/** The event of an entry; `undefined` when the entry is something else. */
export const decodeEventEntry = <Request, Event>(
  branch: Branch<Request, Event>,
  entry: Entry,
): Result.Result<Event, JournalError> | undefined =>
  isOf(branch, branch.event, entry) ? decode(branch, branch.event, entry) : undefined

const isOf = (branch: { readonly name: string }, codec: { readonly tags: ReadonlyArray<string> }, entry: Entry) =>
  entry.branch === branch.name && codec.tags.includes(entry.tag)
