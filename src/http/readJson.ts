/** Reads the body of a request as JSON in UTF-8, within a size and a time, and refuses other types and encodings. */
import * as Result from "effect/Result"
import type { HonoRequest } from "hono"
import type { SharedTimeout } from "./SharedTimeout.ts"
import { readBody } from "../server/readBody.ts"
import { type HttpRefusal, refuse } from "./problem.ts"

// The rest of the body is not read: it would be parsed as the next request.
const headers = { connection: "close" }

const tooLarge = (max: number): HttpRefusal => refuse(413, "too-large", `at most ${max} bytes are read`, { headers })

const unsupported = (detail: string, more?: Readonly<Record<string, string>>): HttpRefusal =>
  refuse(415, "unsupported-media-type", detail, more === undefined ? {} : { headers: more })

const refuseType = (request: HonoRequest): HttpRefusal | undefined => {
  const given = request.header("content-type") ?? ""
  const [type = "", ...parameters] = given.split(";").map((part) => part.trim().toLowerCase())
  // Only this type: a page of another origin cannot send it without a preflight request.
  if (type !== "application/json") return unsupported("send content-type: application/json")
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return unsupported("JSON is UTF-8")
  const encoding = request.header("content-encoding")?.trim().toLowerCase() ?? "identity"
  return encoding === "identity"
    ? undefined
    : unsupported("send the body without content-encoding", { "accept-encoding": "identity" })
}

const bytesOf = async (request: HonoRequest, declared: number, max: number): Promise<Uint8Array | undefined> => {
  const { raw } = request
  // A body that a middleware has read is in Hono's cache. A body with a declared length cannot be longer (HTTP ends it
  // there), so its bytes need not be counted.
  if (raw.bodyUsed || declared > 0) return new Uint8Array(await request.arrayBuffer())
  return await readBody(raw.body, max)
}

const slow = "the body did not arrive in time"

const decoder = new TextDecoder("utf-8", { fatal: true })

export interface BodyBounds {
  readonly maxBodyBytes: number
  readonly bodyTimeout: SharedTimeout
}

/** Reads JSON in UTF-8 within the limits, or fails with the refusal. */
export const readJson = async (
  request: HonoRequest,
  { bodyTimeout, maxBodyBytes }: BodyBounds,
): Promise<Result.Result<unknown, HttpRefusal>> => {
  const wrong = refuseType(request)
  if (wrong !== undefined) return Result.fail(wrong)
  const declared = Number(request.header("content-length") ?? 0)
  if (declared > maxBodyBytes) return Result.fail(tooLarge(maxBodyBytes))
  let bytes: Uint8Array | "late" | undefined
  try {
    bytes = await bodyTimeout.race(bytesOf(request, declared, maxBodyBytes))
  } catch {
    return Result.fail(refuse(400, "invalid", "the body could not be read to its end"))
  }
  if (bytes === "late") return Result.fail(refuse(408, "slow-body", slow, { headers }))
  if (bytes === undefined || bytes.length > maxBodyBytes) return Result.fail(tooLarge(maxBodyBytes))
  try {
    return Result.succeed(JSON.parse(decoder.decode(bytes)))
  } catch {
    return Result.fail(refuse(400, "invalid", "the body is not JSON in UTF-8"))
  }
}
