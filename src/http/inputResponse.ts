/** Feeds the body of `POST /commands/:id/input` to the stdin of a running command. */
import * as Result from "effect/Result"
import type { HonoRequest } from "hono"
import type { CommandId } from "../command/CommandId.ts"
import type { InputTaken } from "../wire/mod.ts"
import type { InputChannel } from "./InputChannel.ts"
import { jsonResponse } from "./headers.ts"
import { type HttpRefusal, problemResponse, refuse } from "./problem.ts"
import { flagOf, wholeNumberOf } from "./query.ts"

const maxPieceBytes = 65_536

/** Only this type: a page of another origin cannot send it without a preflight request. */
const bytesType = "application/octet-stream"

const closed: HttpRefusal = refuse(409, "input-closed", "the command takes no more input")

/** Writes the bytes of a body, except those that the command has already read. Resolves with the refusal, if any. */
const feed = async (
  input: InputChannel,
  body: ReadableStream<Uint8Array> | null,
  offset: number | undefined,
  signal: AbortSignal,
): Promise<HttpRefusal | undefined> => {
  const gap = offset === undefined ? 0 : offset - input.taken
  if (gap > 0) return refuse(409, "input-gap", `${input.taken} bytes were taken: the ${gap} before these are missing`)
  let skip = -gap
  const reader = body?.getReader()
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    const bytes = next.value.subarray(Math.min(skip, next.value.length))
    skip -= next.value.length - bytes.length
    for (let start = 0; start < bytes.length; start += maxPieceBytes) {
      // A copy: the runtime may reuse its buffer.
      const piece = bytes.slice(start, start + maxPieceBytes)
      if (await input.write(piece, signal, offset !== undefined || !input.isShared) === "closed") {
        reader?.cancel().catch(() => {})
        return closed
      }
    }
  }
  return undefined
}

/** Feeds a command, and responds when it has read all bytes. */
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
    return problemResponse(refuse(429, "busy", "too many requests wait to write to this command", { headers }))
  }
  const refusal = await input.inTurn(async () => {
    // A repeated write after the end of input succeeds.
    const isRepeated = offset.success !== undefined && !input.isOpen && offset.success < input.taken
    if (!input.isOpen && !isRepeated && !(flagOf(request, "end") === true && body === null)) return closed
    const wrong = await feed(input, body, offset.success, signal)
    if (wrong === undefined && flagOf(request, "end") === true) input.end()
    return wrong
  }).catch(() => refuse(400, "invalid", "the body could not be read to its end"))
  if (refusal !== undefined) return problemResponse(refusal)
  const taken: InputTaken = { commandId: id, taken: input.taken, stdin: input.isOpen ? "open" : "closed" }
  return jsonResponse(taken)
}
