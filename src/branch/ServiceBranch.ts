/** Declares a branch whose service has one function: a request in, a stream of events or one fault out. */
import type * as Cause from "effect/Cause"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Body } from "../journal/Entry.ts"
import { OptionError } from "../base/OptionError.ts"
import { branchEntryTags } from "./BranchEntry.ts"
import type { Branch } from "./BranchDefinition.ts"
import { makeSchemaCodec, type SchemaCodecOptions } from "./makeSchemaCodec.ts"

/**
 * The end of an answer that came in pieces. Only journals have this entry, because there the tag alone shows whether a
 * request has ended.
 */
export interface StreamEnd {
  /** Its tag. */
  readonly _tag: "StreamEnd"
  /** The request that ended. */
  readonly correlationId: string
}

/** Schema of {@link StreamEnd}. */
const StreamEnd: Schema.TaggedStruct<"StreamEnd", { readonly correlationId: typeof Schema.String }> = Schema
  .TaggedStruct("StreamEnd", { correlationId: Schema.String })

/** Content that is sent with a request but is not part of it. */
export interface RequestContent {
  /** Bytes of the request, pulled as they are used. */
  readonly content?: Stream.Stream<Uint8Array, unknown> | undefined
  /**
   * Maximum bytes that the caller accepts in one event, so that a service need not cut them into pieces. The service
   * may still do so: a journal and a network have limits of their own. Default: the service decides.
   */
  readonly maxEventBytes?: number | undefined
}

/** A service with one function. */
export interface RequestService<Request, Event, Fault> {
  /** Answers a request. */
  readonly request: (request: Request, options?: RequestContent) => Stream.Stream<Event, Fault>
}

export const requestFailureKinds = [
  "Broken",
  "Cancelled",
  "HostLost",
  "JournalFailed",
  "NotTaken",
  "AlreadyOpen",
] as const

/**
 * The reason why a request ended without an answer of its service: the daemon was lost, the request was cancelled, the
 * journal failed.
 */
export interface RequestFailure {
  /** The kind of the failure. */
  readonly kind: (typeof requestFailureKinds)[number]
  /** Describes the end, for people and models: `it was cancelled (consumer)`. */
  readonly what: string
  /** The defect of a service that broke. */
  readonly cause?: Cause.Cause<unknown> | undefined
}

/** Some of the bytes beside a request. */
export interface ContentPiece {
  /** The number of bytes before it. */
  readonly offset: number
  /** The bytes. */
  readonly data: Uint8Array
  /** Whether nothing follows it. */
  readonly isFinal: boolean
}

/** Stores the content bytes of a request in a journal. */
export interface ContentCodec<Request> {
  /** The tag of an entry with some of the bytes. */
  readonly tag: string
  /** Whether bytes come beside a request. */
  readonly hasContent: (request: Request) => boolean
  /** The body of an entry with the bytes from an offset. */
  readonly encode: (request: Request, offset: number, data: Uint8Array, isFinal: boolean) => Body
  /** The bytes of an entry. */
  readonly decode: (body: Body) => Result.Result<ContentPiece, unknown>
  /**
   * Moves the bytes of a request, which may be too many for one entry, into entries of their own; `undefined` if they
   * stay in the request. Default: requests have no bytes in them.
   */
  readonly detach?: ((request: Request) => DetachedRequest<Request> | undefined) | undefined
}

/** A request, and its bytes beside it. */
export interface DetachedRequest<Request> {
  /** The request without its bytes. */
  readonly request: Request
  /** Its bytes. */
  readonly content: Stream.Stream<Uint8Array>
}

/** Options of {@link makeServiceBranch}. */
export interface ServiceBranchOptions<Request extends Message, Event extends Message, Fault extends Message> {
  /** The name in journals: `"filesystem"`. */
  readonly name: string
  /**
   * The name of its declaration, for messages that say which line to write. Default: from `name`, as `SpellcastingBranch` of
   * `"spellcasting"`.
   */
  readonly constantName?: string | undefined
  /** The version of its Schemas. Default: 1. */
  readonly version?: number | undefined
  /** Schemas of its requests. */
  readonly request: SchemaCodecOptions<Request>
  /** Schemas of its events. */
  readonly event: SchemaCodecOptions<Event>
  /** Schema of its fault. */
  readonly fault: SchemaCodecOptions<Fault>
  /** Tags of events that are pieces of an answer. Default: none. */
  readonly pieces?: ReadonlyArray<Event["_tag"]> | undefined
  /** Tags of events that are shown while a request runs and are in no journal. Default: none. */
  readonly transient?: ReadonlyArray<Event["_tag"]> | undefined
  /** The fault of a request that failed outside of the service. */
  readonly makeFault: (request: Request, failure: RequestFailure) => Fault
  /** Whether a request may be answered again after its daemon was lost. Default: never. */
  readonly canRerun?: ((request: Request) => boolean) | undefined
  /** Stores the content bytes of a request. Default: requests have none. */
  readonly content?: ContentCodec<Request> | undefined
  /**
   * Names of the fields of bodies that hold bytes in base64, in which a journal's redactor looks for text. In a body with
   * `isFinal` they are a piece of several. Default: there are none.
   */
  readonly bytes?: ReadonlyArray<string> | undefined
}

/** A message: its tag, and the id that an event shares with its request. */
export interface Message {
  /** The kind of the message. */
  readonly _tag: string
  /** The id that an event shares with its request. */
  readonly correlationId: string
}

/** A branch with a service of one function. */
export interface ServiceBranch<Request extends Message, Event extends Message, Fault extends Message>
  extends Branch<Request, Event | Fault | StreamEnd> {
  /** The name of its declaration, for messages. */
  readonly constantName: string
  /** Makes the fault of a request that failed outside of the service. */
  readonly makeFault: (request: Request, failure: RequestFailure) => Fault
  /** Whether a request may be answered again after its daemon was lost. */
  readonly canRerun: (request: Request) => boolean
  /** Stores the content bytes of a request; `undefined` if requests have none. */
  readonly content: ContentCodec<Request> | undefined
  /** Names of the fields of bodies that hold bytes in base64. */
  readonly bytes: ReadonlyArray<string>
  /** Whether an event is a piece of an answer. */
  readonly isPiece: (event: Event | Fault | StreamEnd) => boolean
  /** Whether an event is in no journal. */
  readonly isTransient: (event: Event | Fault | StreamEnd) => boolean
  /** The tags of faults. */
  readonly faultTags: ReadonlyArray<string>
  /** Whether a message is a fault. */
  readonly isFault: (event: Event | Fault | StreamEnd) => event is Fault
  /** Whether a message is the end of an answer in pieces. */
  readonly isStreamEnd: (event: Event | Fault | StreamEnd) => event is StreamEnd
}

const constantNameOf = (name: string): string =>
  `${name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase())}Branch`

/** A journal distinguishes entries by their tags alone. */
const checkTags = (name: string, tags: ReadonlyArray<string>): void => {
  const all = [...tags, "StreamEnd", ...branchEntryTags]
  const double = all.find((tag, at) => all.indexOf(tag) !== at)
  if (double === undefined) return
  const what = `two kinds of entries have the tag "${double}"; give each a tag of its own`
  throw new OptionError("tags", `branch "${name}": ${what}`)
}

/**
 * Makes a branch with a service of one function.
 *
 * @throws {OptionError} when two kinds of entries share a tag, or use one that every branch has
 *
 * @example
 * ```ts
 * import { makeServiceBranch } from "@sluice/shell/branch"
 * import { Schema } from "effect"
 *
 * const Id = { correlationId: Schema.String }
 * const Ask = Schema.TaggedStruct("Ask", { ...Id, question: Schema.String })
 * const Answer = Schema.TaggedStruct("Answer", { ...Id, text: Schema.String })
 * const Refusal = Schema.TaggedStruct("Refusal", { ...Id, message: Schema.String })
 * const AskBranch = makeServiceBranch<typeof Ask.Type, typeof Answer.Type, typeof Refusal.Type>({
 *   name: "ask",
 *   request: { tags: ["Ask"], schema: Ask },
 *   event: { tags: ["Answer"], schema: Answer },
 *   fault: { tags: ["Refusal"], schema: Refusal },
 *   makeFault: ({ correlationId }, { what }) => Refusal.make({ correlationId, message: what }),
 * })
 * console.log(AskBranch.lastTags.join()) // Answer,Refusal,StreamEnd
 * ```
 */
export const makeServiceBranch = <Request extends Message, Event extends Message, Fault extends Message>(
  options: ServiceBranchOptions<Request, Event, Fault>,
): ServiceBranch<Request, Event, Fault> => {
  const { bytes = [], canRerun = () => false, content, makeFault, name, pieces = [], transient = [], version = 1 } =
    options
  type Answer = Event | Fault | StreamEnd
  const contentTags = content === undefined ? [] : [content.tag]
  checkTags(name, [...options.request.tags, ...options.event.tags, ...options.fault.tags, ...contentTags])
  const event = makeSchemaCodec(options.event)
  const fault = makeSchemaCodec(options.fault)
  const end = makeSchemaCodec({ tags: ["StreamEnd"], schema: StreamEnd })
  const isStreamEnd = (message: Answer): message is StreamEnd => message._tag === "StreamEnd"
  const isFault = (message: Answer): message is Fault => options.fault.tags.includes(message._tag)
  const isPiece = (message: Answer): boolean => pieces.includes(message._tag)
  const isTransient = (message: Answer): boolean => transient.includes(message._tag)
  const unended: ReadonlyArray<string> = [...pieces, ...transient]
  const wholes = options.event.tags.filter((tag) => !unended.includes(tag))
  const lastTags = [...wholes, ...options.fault.tags, "StreamEnd"]
  return {
    name,
    constantName: options.constantName ?? constantNameOf(name),
    version,
    request: makeSchemaCodec(options.request),
    event: {
      tags: [...options.event.tags, ...options.fault.tags, "StreamEnd"],
      encode: (message) =>
        isStreamEnd(message) ? end.encode(message) : isFault(message) ? fault.encode(message) : event.encode(message),
      decode: (body, version): Result.Result<Answer, Schema.SchemaError> =>
        body._tag === "StreamEnd"
          ? end.decode(body, version)
          : options.fault.tags.includes(body._tag)
          ? fault.decode(body, version)
          : event.decode(body, version),
    },
    correlationOf: ({ correlationId }) => correlationId,
    lastTags,
    isLast: (message) => lastTags.includes(message._tag),
    makeFault,
    canRerun,
    content,
    bytes,
    isPiece,
    isTransient,
    faultTags: options.fault.tags,
    isFault,
    isStreamEnd,
  }
}
