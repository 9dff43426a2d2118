/** Makes the method, the URL and the headers of a request of curl. */
import { concatBytes, encodeUtf8 } from "../../../base/bytes.ts"
import { textToBinary } from "../../binaryString.ts"
import type { System } from "../../System.ts"
import { decodePart } from "../http/decodePart.ts"
import { type BodyPart, RequestBody } from "../http/RequestBody.ts"
import { UtilityExit } from "../shared/UtilityExit.ts"
import { parseTime } from "../shared/parseTime.ts"
import type { CurlConfig } from "./CurlConfig.ts"
import { CurlError } from "./CurlError.ts"
import type { CurlIo } from "./CurlIo.ts"
import { collectData, formParts, readHeaders } from "./requestData.ts"

export const curlVersion = "7.88.1"

export type Header = readonly [name: string, value: string]

/** The parts of a request that are the same for all URLs of a group. */
export interface RequestPlan {
  readonly data: Uint8Array | undefined
  readonly form: { readonly boundary: string; readonly parts: ReadonlyArray<BodyPart> } | undefined
  readonly custom: ReadonlyArray<string>
}

export const planRequest = async (io: CurlIo, config: CurlConfig): Promise<RequestPlan> => {
  const { system } = io
  const methods = [
    ...(config.has("get") ? [] : config.data.length > 0 ? ["POST (-d, --data)"] : []),
    ...(config.form.length > 0 ? ["multipart formpost (-F, --form)"] : []),
    ...(config.slots.some(({ upload }) => upload !== undefined) ? ["PUT (-T, --upload-file)"] : []),
    ...(config.has("head") ? ["HEAD (-I, --head)"] : []),
  ]
  const [first, second] = methods
  if (second !== undefined) {
    io.warn(`You can only select one HTTP request method! You asked for both ${first} and ${second}.`)
    throw new UtilityExit(2)
  }
  const data = await collectData(system, config.data, io.warn)
  const custom = await readHeaders(system, config.values("header"), io.warn)
  if (config.form.length === 0) return { data, form: undefined, custom }
  const random = new Uint8Array(8)
  system.random(random)
  const boundary = `------------------------${
    Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")
  }`
  return { data, form: { boundary, parts: formParts(system, config.form, boundary) }, custom }
}

const scheme = /^([a-z][a-z\d+.-]*):\/{1,3}/i

/** Whether `--proto` allows a scheme: `=https`, `-http`, `-all,https`. */
const allowsScheme = (list: string | undefined, wanted: string): boolean => {
  let allowed = true
  for (const given of (list ?? "").split(",").filter((word) => word !== "")) {
    const [, sign = "", name = ""] = /^([=+-]*)(.*)$/.exec(given.toLowerCase()) ?? []
    const isMeant = name === "all" || name === wanted
    if (sign.includes("=")) allowed = isMeant
    else if (isMeant) allowed = !sign.includes("-")
  }
  return allowed
}

export const requireScheme = (url: URL, list: string | undefined): void => {
  const name = url.protocol.slice(0, -1)
  if (/^https?$/.test(name) && allowsScheme(list, name)) return
  throw new CurlError(1, `Protocol "${name}" not supported or disabled in libcurl`)
}

/** Parses a URL as curl does; its user and password are returned apart. */
export const parseUrl = (
  text: string,
  config: CurlConfig,
): { readonly url: URL; readonly user: string | undefined } => {
  const trimmed = text.trim()
  const whole = scheme.test(trimmed) ? trimmed : `${config.value("proto-default") ?? "http"}://${trimmed}`
  // deno-lint-ignore no-control-regex -- the parser of URLs drops them in silence
  if (/[\x00-\x20\x7f]/.test(whole) || !URL.canParse(whole)) {
    throw new CurlError(3, "URL using bad/illegal format or missing URL")
  }
  const url = new URL(whole)
  requireScheme(url, config.value("proto"))
  const { password, username } = url
  const user = username === "" && password === "" ? undefined : `${decodePart(username)}:${decodePart(password)}`
  url.username = url.password = url.hash = ""
  return { url, user }
}

/** Maximum characters of a query: a URL is parsed in one step, and the network policy allows 65,536 by default. */
const maxQueryLength = 262_144

/** Adds `-G` data and `--url-query` to the query. */
export const addQuery = (url: URL, queries: Iterable<string>): void => {
  let { search } = url
  for (const query of queries) {
    search = search === "" ? query : `${search}&${query}`
    if (search.length > maxQueryLength) {
      throw new CurlError(43, `the query is longer than ${maxQueryLength} characters; send data without -G`)
    }
  }
  url.search = search
}

const httpDate = (nanos: bigint): string => new Date(Number(nanos / 1_000_000n)).toUTCString()

/** The condition of `-z`: a date, or the time of a file. */
export const timeCondition = (
  system: System,
  given: string | undefined,
): { readonly header: Header; readonly nanos: bigint } | undefined => {
  if (given === undefined) return undefined
  const isOlder = given.startsWith("-")
  const text = given.replace(/^[-+=]/, "")
  const stat = system.stat(text)
  const nanos = typeof stat === "object" ? stat.modified : parseTime(text, system.now())
  if (nanos === undefined) return undefined
  return { header: [isOlder ? "If-Unmodified-Since" : "If-Modified-Since", httpDate(nanos)], nanos }
}

const basic = (user: string): string => `Basic ${btoa(textToBinary(user))}`

/** The method and the body of the first request. */
export const requestBody = (
  system: System,
  config: CurlConfig,
  { custom, data, form }: RequestPlan,
  upload: string | undefined,
): { readonly method: string; readonly body: RequestBody | undefined } => {
  const isChunked = custom.some((line) => /^transfer-encoding:\s*chunked\s*$/i.test(line))
  const make = (parts: ReadonlyArray<BodyPart>): RequestBody => new RequestBody(system, parts, isChunked)
  if (config.has("head")) return { method: "HEAD", body: undefined }
  if (upload !== undefined) return { method: "PUT", body: make([{ path: upload === "." ? "-" : upload }]) }
  if (form !== undefined) return { method: "POST", body: make(form.parts) }
  if (data !== undefined && !config.has("get")) return { method: "POST", body: make([data]) }
  return { method: "GET", body: undefined }
}

export interface HeaderOptions {
  readonly url: URL
  readonly config: CurlConfig
  readonly plan: RequestPlan
  readonly body: RequestBody | undefined
  /** Whether the URL has the origin of the first one, for which alone the credentials are. */
  readonly isFirstOrigin: boolean
  readonly user: string | undefined
  readonly range: string | undefined
  readonly condition: Header | undefined
  readonly referer: string | undefined
  readonly cookies: string | undefined
}

/** Headers in the order of curl, without those that the kernel sends. */
export const requestHeaders = (options: HeaderOptions): ReadonlyArray<Header> => {
  const { body, condition, config, cookies, isFirstOrigin, plan, range, referer, url, user } = options
  const isJson = config.data.some(([option]) => option === "json")
  const bearer = config.value("oauth2-bearer")
  const headers: Array<Header> = []
  if (isFirstOrigin && user !== undefined) headers.push(["Authorization", basic(user)])
  else if (isFirstOrigin && bearer !== undefined) headers.push(["Authorization", `Bearer ${bearer}`])
  if (range !== undefined) headers.push(["Range", `bytes=${range}`])
  const agent = config.value("user-agent") ?? `curl/${curlVersion}`
  if (agent !== "") headers.push(["User-Agent", agent])
  headers.push(["Accept", isJson ? "application/json" : "*/*"])
  if (config.has("compressed")) headers.push(["Accept-Encoding", "deflate, gzip"])
  if (referer !== undefined && referer !== "") headers.push(["Referer", referer])
  if (cookies !== undefined) headers.push(["Cookie", cookies])
  if (condition !== undefined) headers.push(condition)
  if (body !== undefined && plan.form !== undefined) {
    headers.push(["Content-Type", `multipart/form-data; boundary=${plan.form.boundary}`])
  } else if (body !== undefined && plan.data !== undefined) {
    headers.push(["Content-Type", isJson ? "application/json" : "application/x-www-form-urlencoded"])
  }
  return withCustom(headers, options, url)
}

/** Applies `-H`: `Name: value` sets or adds, `Name:` removes, `Name;` sends it empty. */
const withCustom = (
  headers: ReadonlyArray<Header>,
  { body, isFirstOrigin, plan }: HeaderOptions,
  url: URL,
): ReadonlyArray<Header> => {
  const own: Array<Header> = []
  const replaced = new Set<string>()
  for (const line of plan.custom) {
    const [, name = "", mark, rest = ""] = /^([^:;]*)([:;])([^]*)$/.exec(line) ?? []
    const value = rest.trim()
    const lower = name.trim().toLowerCase()
    if (mark === undefined || lower === "" || (mark === ";" && value !== "")) continue
    if (/^(authorization|cookie)$/.test(lower) && !isFirstOrigin) continue
    replaced.add(lower)
    if (mark === ":" && value === "") continue
    const isSame = (lower === "host" && value === url.host) ||
      (lower === "transfer-encoding" && value.toLowerCase() === "chunked") ||
      (lower === "content-length" && value === String(body?.length ?? 0))
    // The kernel sends these by itself, and refuses others.
    if (!isSame && (lower !== "content-type" || body !== undefined || plan.data === undefined)) own.push([name, value])
  }
  return [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...own]
}

/** The head of a request as `-v` shows it. */
export const shownHead = (
  method: string,
  url: URL,
  headers: ReadonlyArray<Header>,
  body: RequestBody | undefined,
): ReadonlyArray<string> => {
  const length = body === undefined
    ? []
    : [body.length === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`]
  const fields = headers.map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`, ...fields, ...length, ""]
}

export const headBytes = (lines: ReadonlyArray<string>): Uint8Array => {
  const pieces = lines.map((line) => encodeUtf8(`${line}\r\n`))
  return concatBytes(pieces, pieces.reduce((sum, { length }) => sum + length, 0))
}
