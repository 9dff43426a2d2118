/**
 * Decides, by the headers of a response, whether, for how long and for which requests a private cache may keep it (RFC
 * 9111). No library fits, because libraries read the system's time.
 */

/** Headers by their names in lower case. */
type Headers = Readonly<Record<string, string>>

interface Message {
  readonly headers: Headers
}

/** The directives of `Cache-Control`, and their values. */
export const directives = ({ headers }: Message): ReadonlyMap<string, string> =>
  new Map(
    (headers["cache-control"] ?? "").toLowerCase().split(",").map((each) => {
      const [name = "", value = ""] = each.trim().split("=")
      return [name, value.replaceAll('"', "")]
    }),
  )

/** The headers of a request that a response depends on; `undefined` where it depends on all. */
export const variedBy = ({ headers: asked }: Message, { headers }: Message): string | undefined => {
  const names = (headers["vary"] ?? "").toLowerCase().split(",").map((name) => name.trim()).filter((name) =>
    name !== ""
  )
  if (names.includes("*")) return undefined
  const given = new Map(Object.entries(asked).map(([name, value]) => [name.toLowerCase(), value]))
  return JSON.stringify(names.toSorted().map((name) => [name, given.get(name) ?? null]))
}

/** Milliseconds for which a response is fresh, from when it was received. */
export const lifetime = (response: Message, at: number): number => {
  const control = directives(response)
  if (control.has("no-cache")) return 0
  const age = Number(response.headers["age"] ?? 0)
  const maxAge = control.get("max-age")
  if (maxAge !== undefined) return /^\d+$/.test(maxAge) ? (Number(maxAge) - (age > 0 ? age : 0)) * 1_000 : 0
  const expires = Date.parse(response.headers["expires"] ?? "")
  const date = Date.parse(response.headers["date"] ?? "")
  return Number.isNaN(expires) ? 0 : expires - (Number.isNaN(date) ? at : date)
}

/** A condition with the value of a header; none if a request cannot contain the value. */
const condition = (name: string, value: string | undefined): Headers =>
  value === undefined || /[^\t\x20-\x7e]/.test(value) ? {} : { [name]: value }

/** The headers of a request for a response only if it has changed. */
export const validators = ({ headers }: Message): Headers => ({
  ...condition("if-none-match", headers["etag"]),
  ...condition("if-modified-since", headers["last-modified"]),
})

/** Normalizes a URL, so that all its spellings are equal. */
export const cacheKey = (url: string): string => URL.canParse(url) ? new URL(url).href : url

/** Whether a request changes nothing. */
export const isSafe = ({ method }: { readonly method: string }): boolean => /^(GET|HEAD|OPTIONS|TRACE)$/.test(method)

/** Whether a cache may answer a request: a plain request for the whole resource. */
export const isAnswerable = (
  { body, headers, method }: Message & { readonly method: string; readonly body?: Uint8Array | undefined },
): boolean =>
  method === "GET" && body === undefined && !Object.keys(headers).some((name) => /^(if-|range$)/i.test(name))

/** Whether a private cache may keep a response that was received at a given time, and whether keeping it is useful. */
export const isStorable = (response: Message & { readonly status: number }, at: number): boolean =>
  /^(200|203|204|300|301|308|404|405|410|414|501)$/.test(String(response.status)) &&
  !directives(response).has("no-store") &&
  (lifetime(response, at) > 0 || Object.keys(validators(response)).length > 0)
