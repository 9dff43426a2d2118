/** Appends the content of a request to a journal as bytes, and reads it back complete and in order. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { sha256Stream } from "../base/sha256.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { AppendOptions, JournalService } from "../journal/JournalService.ts"
import { redactorOf } from "../journal/redaction/RememberedSecrets.ts"
import { type BodyRedaction, redactBytes } from "./redactBodies.ts"
import type { ContentCodec, ContentPiece, RequestContent } from "./ServiceBranch.ts"
import { splitBytes } from "./splitBytes.ts"

const entryBytes = 65_536

const entriesAtOnce = 16

/** The journal of the content of requests, and its codec. */
interface ContentJournal<Request> {
  readonly journal: JournalService
  readonly branch: { readonly name: string; readonly version: number }
  readonly codec: ContentCodec<Request>
}

/**
 * The content of a request, each piece appended before it is passed on; an empty piece, which is not passed on, marks
 * the end. `first` are the options of the first append.
 */
export const appendContent = <Request extends { readonly correlationId: string }>(
  { branch: { name, version }, codec, journal }: ContentJournal<Request>,
  request: Request,
  content: Stream.Stream<Uint8Array, unknown>,
  { first = {}, redact = (body) => body }: { readonly first?: AppendOptions; readonly redact?: BodyRedaction } = {},
): Stream.Stream<Uint8Array, unknown> => {
  const { correlationId } = request
  let offset = 0
  let isFirst = true
  const append = (data: Uint8Array, isFinal: boolean): Effect.Effect<unknown, JournalError> =>
    Effect.suspend(() => {
      const body = redact(codec.encode(request, offset, data, isFinal))
      const options = isFirst ? first : {}
      isFirst = false
      offset += data.length
      return journal.append([{ branch: name, correlationId, version, body }], options)
    })
  return splitBytes(content, entryBytes).pipe(
    Stream.tap((data) => append(data, false)),
    Stream.onEnd(Effect.suspend(() => append(new Uint8Array(0), true))),
  )
}

export const detachContent = <Request>(
  { content: codec }: { readonly content: ContentCodec<Request> | undefined },
  request: Request,
  options: RequestContent = {},
): { readonly request: Request } & RequestContent =>
  (options.content === undefined ? codec?.detach?.(request) : undefined) ?? { request, content: options.content }

const entriesOf = <Request>(
  { branch, codec: { decode, tag }, journal }: ContentJournal<Request>,
  correlationId: string,
): Stream.Stream<ContentPiece & { readonly position: Position }, JournalError | Error> => {
  const filter = { branch: branch.name, correlationId, tags: [tag] }
  return Stream.paginate(0, (after) =>
    Effect.gen(function* () {
      const entries = yield* journal.read({ after, filter, maxEntries: entriesAtOnce })
      const pieces: Array<ContentPiece & { readonly position: Position }> = []
      for (const { body, position } of entries) {
        const piece = body === undefined ? undefined : decode(body)
        if (piece === undefined || Result.isFailure(piece)) {
          return yield* Effect.fail(new Error(`entry ${position} of the content cannot be read`))
        }
        pieces.push({ ...piece.success, position })
      }
      const last = entries.at(-1)
      return [pieces, last === undefined ? Option.none<number>() : Option.some(last.position)] as const
    }))
}

/** The content bytes of a request, which its client appended before the request. Fails if some of them are missing. */
export const readContent = <Request>(
  place: ContentJournal<Request>,
  correlationId: string,
): Stream.Stream<Uint8Array, JournalError | Error> =>
  Stream.suspend(() => {
    let length = 0
    let isWhole = false
    const checkEnd = Effect.suspend(() =>
      isWhole ? Effect.void : Effect.fail(new Error("the content in the journal has no end"))
    )
    return entriesOf(place, correlationId).pipe(
      Stream.takeUntil(({ isFinal }) => isFinal),
      Stream.mapEffect(({ data, isFinal, offset, position }) => {
        if (offset !== length) {
          return Effect.fail(new Error(`entry ${position} of the content begins at byte ${offset}, not at ${length}`))
        }
        length += data.length
        isWhole = isFinal
        return Effect.succeed(data)
      }),
      Stream.filter((data) => data.length > 0),
      Stream.onEnd(checkEnd),
    )
  })

/**
 * Whether a content equals the journaled one of the request whose answer ends at a position. If that request failed before
 * all of its content was read, only the part that was read is compared.
 */
export const isRecordedContent = <Request>(
  place: ContentJournal<Request>,
  correlationId: string,
  end: Position,
  content: Stream.Stream<Uint8Array, unknown>,
): Effect.Effect<boolean, JournalError | Error> =>
  Effect.gen(function* () {
    let recorded = { hash: sha256Stream(), length: 0, isWhole: false }
    yield* entriesOf(place, correlationId).pipe(
      Stream.takeWhile(({ position }) => position < end),
      Stream.runForEach(({ data, isFinal, offset }) =>
        Effect.sync(() => {
          // An id may have been used before, or its request made again.
          if (offset === 0) recorded = { hash: sha256Stream(), length: 0, isWhole: false }
          recorded.hash.update(data)
          recorded.length += data.length
          recorded.isWhole = isFinal
        })
      ),
    )
    const given = sha256Stream()
    let length = 0
    yield* redactBytes(content, redactorOf(place.journal)).pipe(
      Stream.takeWhile(() => recorded.isWhole || length < recorded.length),
      Stream.runForEach((data) =>
        Effect.sync(() => {
          given.update(data.subarray(0, Math.max(0, recorded.length - length)))
          length += data.length
        })
      ),
      // A content that fails now also failed then: both are compared up to that point.
      Effect.ignore,
    )
    return given.digest() === recorded.hash.digest() && (!recorded.isWhole || length === recorded.length)
  })
