/**
 * Converts refusals of GitHub and GitLab to faults: credentials, rights, rate limits, conflicts.
 *
 * Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api,
 * https://docs.gitlab.com/api/rest/#status-codes
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { escapeInvisible } from "../base/escapeInvisible.ts"
import type { HttpFault, HttpResponse } from "../fetch/HttpEntry.ts"
import { gitFault } from "./GitBranch.ts"
import { type GitFault, GitFaultKind, type GitRequest } from "./GitEntry.ts"

const kinds: ReadonlyArray<readonly [pattern: RegExp, kind: GitFaultKind]> = [
  [
    /not a fast.?forward|reference update failed|has changed since|file with this name|file already exists/i,
    "Conflict",
  ],
  [/directory with this name|BadObjectState|tree.* is not valid|malformed path/i, "InvalidRequest"],
  [/already exists/i, "AlreadyExists"],
  [/no commits between/i, "NothingToCommit"],
  [/no commit found|does(n't| not) exist|invalid reference|on a branch|not found|is empty/i, "NotFound"],
  [/"field":\s?"(head|base)",\s?"code":\s?"invalid"/i, "NotFound"],
]

const advice: { readonly [K in GitFaultKind]?: string } = {
  Conflict: "nothing was committed: read it again, and commit on its present state",
  Denied: "give FetchLeaf a token with the right to do this",
  NotFound: "it is not there, or the token may not see it",
}

const kindOf = (status: number, text: string): GitFaultKind => {
  if (status === 401 || status === 403) return "Denied"
  if (status === 404) return "NotFound"
  if (status === 406 || status === 413) return "TooLarge"
  if (status >= 500) return "Unreachable"
  const known = kinds.find(([pattern]) => pattern.test(text))?.[1]
  return known ?? (status === 409 ? "Conflict" : status === 400 || status === 422 ? "InvalidRequest" : "Failed")
}

const isThrottled = ({ headers, status }: HttpResponse, text: string): boolean =>
  status === 429 || (status === 403 &&
    (headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined || /rate limit/i.test(text)))

const maxRetryAfterMillis = 86_400_000

const retryAfterMillisOf = ({ headers }: HttpResponse, now: number): number | undefined => {
  const after = headers["retry-after"]
  const reset = headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]
  const at = after === undefined
    ? Number(reset ?? NaN) * 1_000
    : /^\d+$/.test(after)
    ? now + Number(after) * 1_000
    : Date.parse(after)
  return Number.isFinite(at) ? Math.ceil(Math.min(Math.max(at - now, 0), maxRetryAfterMillis)) : undefined
}

const Said = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** The message of a host in one line; a body that is not the host's JSON is not shown. */
const messageOf = (text: string): string => {
  const said = Option.getOrUndefined(Schema.decodeUnknownOption(Said)(text))
  const parts = [said?.["message"] ?? said?.["error"], said?.["errors"]].filter((part) => part !== undefined)
  const all = parts.map((part) => typeof part === "string" ? part : JSON.stringify(part)).join(" ")
  return escapeInvisible(all.replace(/\s+/g, " ").slice(0, 300))
}

interface Refusing {
  readonly name: string
  readonly text: (said: string) => string
}

export const refusalOf = (request: GitRequest, host: Refusing, response: HttpResponse, now: number): GitFault => {
  const { status } = response
  const text = new TextDecoder().decode(response.body.subarray(0, 10_000))
  const answered = `${host.name} answered ${status}`
  if (isThrottled(response, text)) {
    const millis = retryAfterMillisOf(response, now)
    const until = millis === undefined ? "ask later" : `ask again in ${Math.ceil(millis / 1_000)} s`
    return gitFault(request, "Throttled", `${answered}, its rate limit: ${until}`, millis)
  }
  const kind = kindOf(status, text)
  const said = status === 401 ? "" : host.text(messageOf(text))
  return gitFault(request, kind, [answered + (said && `: ${said}`), advice[kind]].filter(Boolean).join("; "))
}

export const transportFault = (request: GitRequest, { faultKind, message }: HttpFault): GitFault => {
  const kind = faultKind === "NotAllowed" ? "Denied" : Schema.is(GitFaultKind)(faultKind) ? faultKind : "Failed"
  return gitFault(request, kind, message)
}
