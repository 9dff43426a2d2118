/**
 * Checks Signature Version 4 as a service does, from its description alone and with Node's crypto: nothing of the leaf or of
 * the package that signs for it.
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash, createHmac } from "node:crypto"

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: Uint8Array
}

/** The keys of a caller. */
export interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly region: string
}

const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest()
export const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** AWS's UriEncode: every byte but unreserved characters. */
const uriEncode = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) =>
    /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  ).join("")

const byCode = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

const canonicalQuery = (search: string): string =>
  search.replace(/^\?/, "").split("&").filter((pair) => pair !== "").map((pair) => {
    const [name = "", value = ""] = pair.split("=")
    return `${uriEncode(decodeURIComponent(name))}=${uriEncode(decodeURIComponent(value))}`
  }).toSorted(byCode).join("&")

/** Headers that change what a request does: a thief of a request must not change them. */
const mustBeSigned = /^(?:host|range|if-.*|x-amz-.*|content-type|content-md5)$/

/** What is wrong with the signature, as S3's code; `undefined`: nothing. `now` is the clock of the service. */
export const checkSignature = (
  { body, headers, method, url }: WireRequest,
  keys: Keys,
  now: number = Date.now(),
  service = "s3",
): string | undefined => {
  const fields =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
      .exec(headers.get("authorization") ?? "")
  if (fields === null || fields[4] !== service) return "AccessDenied"
  const [, id, day, region, , signed = "", signature] = fields
  if (id !== keys.accessKeyId) return "InvalidAccessKeyId"
  if (region !== keys.region) return "AuthorizationHeaderMalformed"
  if ((headers.get("x-amz-security-token") ?? undefined) !== keys.sessionToken) return "InvalidToken"
  const time = headers.get("x-amz-date") ?? ""
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))
  if (!time.startsWith(`${day}T`) || !(Math.abs(at - now) < 15 * 60_000)) return "RequestTimeTooSkewed"
  if (headers.get("x-amz-content-sha256") !== sha256(body)) return "XAmzContentSHA256Mismatch"
  const names = signed.split(";")
  const all = [...new Set(["host", ...headers.keys()])]
  if (all.some((name) => mustBeSigned.test(name) && !names.includes(name))) return "AccessDenied"
  const valueOf = (name: string) => name === "host" ? url.host : (headers.get(name) ?? "").trim().replace(/ +/g, " ")
  const canonical = [
    method,
    url.pathname.split("/").map((part) => uriEncode(decodeURIComponent(part))).join("/"),
    canonicalQuery(url.search),
    ...names.map((name) => `${name}:${valueOf(name)}`),
    "",
    signed,
    sha256(body),
  ].join("\n")
  const scope = `${day}/${region}/${service}/aws4_request`
  const key = [region ?? "", service, "aws4_request"].reduce(hmac, hmac(`AWS4${keys.secretAccessKey}`, day ?? ""))
  const expected = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex")
  return expected === signature ? undefined : "SignatureDoesNotMatch"
}
