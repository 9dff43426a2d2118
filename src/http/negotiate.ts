/** Chooses the media type of a response from the `Accept` header (RFC 9110, 12.5.1). */
import * as Result from "effect/Result"
import { parseAccept } from "hono/utils/accept"
import * as Frames from "../wire/frames.ts"
import * as Ndjson from "../wire/ndjson.ts"
import * as Sse from "../wire/sse.ts"
import { type HttpRefusal, refuse } from "./problem.ts"

/** Media type of a single result, the default. */
export const jsonType = "application/json"

export type EventsType = typeof Ndjson.mediaType | typeof Sse.mediaType | typeof Frames.mediaType

export type ResponseType = typeof jsonType | EventsType

const allForms: readonly [ResponseType, ...ReadonlyArray<ResponseType>] = [
  jsonType,
  Ndjson.mediaType,
  Sse.mediaType,
  Frames.mediaType,
]

const specificity = (range: string, form: ResponseType): number => {
  if (range === form) return 3
  if (range === `${form.slice(0, form.indexOf("/"))}/*`) return 2
  return range === "*/*" || range === "*" ? 1 : 0
}

/**
 * Chooses the media type with the highest weight, each weighed by the most specific range that covers it. Ties go to a
 * type that is named over one that a wildcard covers, then to the one that is named first, then to the first of `forms`
 * (JSON), which is also the default without `Accept`.
 */
export const negotiate = (
  accept: string | undefined,
  forms: readonly [ResponseType, ...ReadonlyArray<ResponseType>] = allForms,
): Result.Result<ResponseType, HttpRefusal> => {
  if (accept === undefined || accept.trim() === "") return Result.succeed(forms[0])
  const ranges = parseAccept(accept)
  let best: { readonly form: ResponseType; readonly rank: readonly [number, number, number] } | undefined
  for (const form of forms) {
    let close = 0
    let rank: readonly [number, number, number] = [0, 0, 0]
    for (const [index, { q, type }] of ranges.entries()) {
      const closeness = specificity(type.toLowerCase(), form)
      if (closeness > close) {
        close = closeness
        rank = [q, closeness, -index]
      }
    }
    if (rank[0] > 0 && (best === undefined || isAbove(rank, best.rank))) best = { form, rank }
  }
  return best === undefined
    ? Result.fail(refuse(406, "not-acceptable", `accept one of ${forms.join(", ")}`))
    : Result.succeed(best.form)
}

export const negotiateEvents = (accept: string | undefined): Result.Result<ResponseType, HttpRefusal> =>
  negotiate(accept, [Sse.mediaType, Ndjson.mediaType, Frames.mediaType])

/** The media type of changes; without frames, since changes have no output. */
export const negotiateChanges = (accept: string | undefined): Result.Result<ResponseType, HttpRefusal> =>
  negotiate(accept, [Sse.mediaType, Ndjson.mediaType])

const isAbove = (a: readonly [number, number, number], b: readonly [number, number, number]): boolean => {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    if (value !== other) return value > other
  }
  return false
}
