/**
 * `POST /commands/:id/input`: bytes for the stdin of a command that runs here.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { HonoRequest } from "hono"
import type { CommandId } from "../command/CommandId.ts"
import type { InputTaken } from "../wire/Wire.ts"
import type { InputChannel } from "./InputChannel.ts"
import { responseHeaders } from "./headers.ts"
import { JSON_TYPE } from "./negotiate.ts"
import { problemResponse, type Refusal, refuse } from "./problem.ts"
import { flagOf, wholeNumberOf } from "./query.ts"

/** Most bytes that are handed over at once. */
const maxPieceBytes = 65_536

/** Only this type: a page of another site cannot send it without the browser asking first. */
const bytesType = "application/octet-stream"

const closed: Refusal = refuse(409, "input-closed", "the command takes no more input")

/** Hands over what a body brings beyond what was taken before; answers with why it could not. */
const feed = async (
  input: InputChannel,
  body: ReadableStream<Uint8Array> | null,
  offset: number | undefined,
  signal: AbortSignal,
): Promise<Refusal | undefined> => {
  const gap = offset === undefined ? 0 : offset - input.taken
  if (gap > 0) return refuse(409, "input-gap", `${input.taken} bytes were taken, so ${gap} before these are missing`)
  let skip = -gap
  const reader = body?.getReader()
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    const bytes = next.value.subarray(Math.min(skip, next.value.length))
    skip -= next.value.length - bytes.length
    for (let start = 0; start < bytes.length; start += maxPieceBytes) {
      // A copy: the runtime may use its buffer again.
      const piece = bytes.slice(start, start + maxPieceBytes)
      if (await input.write(piece, signal) === "closed") {
        reader?.cancel().catch(() => {})
        return closed
      }
    }
  }
  return undefined
}

/** Feeds a command, and answers when it has taken all of it. */
export const inputResponse = async (
  id: CommandId,
  input: InputChannel | undefined,
  request: HonoRequest,
): Promise<Response> => {
  const { body, signal } = request.raw
  const offset = wholeNumberOf(request, "offset")
  if (Result.isFailure(offset)) return problemResponse(offset.failure)
  const type = (request.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase()
  if (body !== null && type !== bytesType && request.header("content-length") !== "0") {
    return problemResponse(refuse(415, "unsupported-media-type", `send content-type: ${bytesType}`))
  }
  if (input === undefined) return problemResponse(closed)
  if (input.isCrowded) {
    const headers = { "retry-after": "1" }
    return problemResponse(refuse(429, "busy", "as many requests as may feed the command wait already", { headers }))
  }
  const refusal = await input.inTurn(async () => {
    // What was sent again after the end is known to have been taken.
    const isRepeated = offset.success !== undefined && !input.isOpen && offset.success < input.taken
    if (!input.isOpen && !isRepeated && !(flagOf(request, "end") === true && body === null)) return closed
    const wrong = await feed(input, body, offset.success, signal)
    if (wrong === undefined && flagOf(request, "end") === true) input.end()
    return wrong
  }).catch(() => refuse(400, "invalid", "the body could not be read to its end"))
  if (refusal !== undefined) return problemResponse(refusal)
  const taken: InputTaken = { commandId: id, taken: input.taken, stdin: input.isOpen ? "open" : "closed" }
  return new Response(JSON.stringify(taken), { headers: { ...responseHeaders, "content-type": JSON_TYPE } })
}
