/** Parses the details of HTTP responses and of failed `fetch` calls that error messages and retries use. */
import * as Result from "effect/Result"
import { errorMessage } from "../base/errorMessage.ts"
import { readErrorCode } from "../base/readErrorCode.ts"

export const maxQuotedLength = 300

export const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: () => "not JSON" })

/** Formats the error of a `fetch` call with its cause and its code: most runtimes put the reason into the cause. */
export const causeText = (error: unknown): string => {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const text = cause === undefined || errorMessage(error).includes(errorMessage(cause))
    ? errorMessage(error)
    : `${errorMessage(error)}: ${errorMessage(cause)}`
  const code = readErrorCode(cause) ?? readErrorCode(error)
  return `${text.slice(0, maxQuotedLength)}${code === undefined || text.includes(code) ? "" : ` (${code})`}`
}

export const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304)

/** The address that a redirection leads to, without the query, which may hold a secret. */
export const locationOf = ({ headers }: Response, from: URL): string => {
  try {
    const { origin, pathname } = new URL(headers.get("location") ?? "", from)
    return `${origin}${pathname}`.slice(0, maxQuotedLength)
  } catch {
    return "another address"
  }
}

export const retryAfterMillisOf = ({ headers }: Response): number | undefined => {
  const millis = Number(headers.get("retry-after") ?? Number.NaN) * 1000
  return Number.isFinite(millis) && millis >= 0 ? millis : undefined
}
