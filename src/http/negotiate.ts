/**
 * In which form a run is answered.
 *
 * @module
 */
import * as Result from "effect/Result"
import { parseAccept } from "hono/utils/accept"
import { framesMediaType, ndjsonMediaType, sseMediaType } from "../wire/Wire.ts"
import { type Refusal, refuse } from "./problem.ts"

/** Media type of one result, the default. */
export const JSON_TYPE = "application/json"

/** A form of events. */
export type EventsType = typeof ndjsonMediaType | typeof sseMediaType | typeof framesMediaType

/** A form of answer. */
export type ResponseType = typeof JSON_TYPE | EventsType

const allForms: readonly [ResponseType, ...ReadonlyArray<ResponseType>] = [
  JSON_TYPE,
  ndjsonMediaType,
  sseMediaType,
  framesMediaType,
]

const specificity = (range: string, form: ResponseType): number => {
  if (range === form) return 3
  if (range === `${form.slice(0, form.indexOf("/"))}/*`) return 2
  return range === "*/*" || range === "*" ? 1 : 0
}

/**
 * Chooses by `Accept` (RFC 9110, 12.5.1): the form with the highest weight, each weighed by the range that names it
 * most closely. Among equals, one that is named wins over one that a wildcard covers, then the one that is named
 * first; the first of `forms` (JSON) where all is equal, and where nothing is asked for.
 */
export const negotiate = (
  accept: string | undefined,
  forms: readonly [ResponseType, ...ReadonlyArray<ResponseType>] = allForms,
): Result.Result<ResponseType, Refusal> => {
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

/** The form of a command's events: an event stream, where that is as good as any other. */
export const negotiateEvents = (accept: string | undefined): Result.Result<ResponseType, Refusal> =>
  negotiate(accept, [sseMediaType, ndjsonMediaType, framesMediaType])

/** The form of what happens to commands: the same, without frames, as none of it is output. */
export const negotiateChanges = (accept: string | undefined): Result.Result<ResponseType, Refusal> =>
  negotiate(accept, [sseMediaType, ndjsonMediaType])

const isAbove = (a: readonly [number, number, number], b: readonly [number, number, number]): boolean => {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    if (value !== other) return value > other
  }
  return false
}
