/**
 * Decides which request follows a response: none, or that of the redirect's target (RFC 9110, section 15.4; Fetch
 * Standard).
 */
export interface RedirectedRequest {
  readonly url: URL
  readonly method: string
  readonly body: Uint8Array | undefined
}

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Returns the request that a redirect leads to; `undefined` if a response is not a redirect, or names no URL. */
export const redirectOf = (
  { body, method, url }: RedirectedRequest,
  { headers, status }: Response,
): RedirectedRequest | undefined => {
  const location = statuses.has(status) ? headers["location"] : undefined
  if (location === undefined || !URL.canParse(location, url)) return undefined
  const target = new URL(location, url)
  const becomesGet = status === 303 || (status <= 302 && method === "POST")
  if (!becomesGet) return { url: target, method, body }
  return { url: target, method: method === "HEAD" ? method : "GET", body: undefined }
}
