/** A local server that speaks the formats of OpenAI, Google and Anthropic, and answers by a script. */
import { type Context, Hono } from "hono"
import { serve, type Served } from "../../http/serve.ts"
import type { Failure, Reply, WireFormat } from "./Answer.ts"
import { anthropic } from "./anthropic.ts"
import { google } from "./google.ts"
import { openaiChat } from "./openaiChat.ts"
import { openaiResponses } from "./openaiResponses.ts"

/** The key that the server takes. */
export const key = "sk-test-0123456789abcdef"

export interface ModelRequest {
  readonly path: string
  readonly body: unknown
  readonly isStream: boolean
}

export interface ModelServer extends Served {
  readonly url: string
  /** The requests that were well formed and authorized. */
  readonly requests: Array<ModelRequest>
  /** The answers whose client went away before they ended. */
  readonly abandoned: { count: number }
}

const sleep = (millis: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Bytes of a text in pieces that respect neither events nor characters. */
const bodyOf = (text: string, delay: number, drip: number, onCancel: () => void): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  const size = bytes.length < 100_000 ? 97 : 65_521
  const gone = new AbortController()
  let offset = 0
  return new ReadableStream({
    pull: async (controller) => {
      const wait = offset === 0 ? delay : drip
      if (wait > 0) await sleep(wait, gone.signal)
      if (gone.signal.aborted) return
      if (offset >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(offset, offset += size))
    },
    cancel: () => {
      gone.abort()
      onCancel()
    },
  })
}

const fail = (format: WireFormat, failure: Failure): Response =>
  new Response(failure.body ?? JSON.stringify(format.failure(failure)), {
    status: failure.status,
    headers: { "content-type": "application/json", ...failure.headers },
  })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Serves on a free port. `script` answers each request; `turn` counts them from 0. */
export const serveModels = async (
  script: (request: ModelRequest, turn: number) => Reply,
): Promise<ModelServer> => {
  const requests: Array<ModelRequest> = []
  const abandoned = { count: 0 }
  const handle = (format: WireFormat) => async (context: Context) => {
    const url = new URL(context.req.url)
    const given = format.authorize(context.req.raw.headers, url)
    if (given !== key) {
      return fail(format, { status: 401, code: "invalid_api_key", message: `Incorrect API key: ${given}` })
    }
    const body: unknown = await context.req.json()
    const wrong = format.check(body)
    if (wrong !== undefined) return fail(format, { status: 400, message: wrong })
    const isStream = url.pathname.includes(":stream") ||
      (isObject(body) && "stream" in body && body.stream === true)
    const request = { path: url.pathname, body, isStream }
    const reply = script(request, requests.length)
    requests.push(request)
    if ("failure" in reply) return fail(format, reply.failure)
    const { answer, cut, delay = 0, drip = 0, streamError } = reply
    let isGone = false
    const gone = () => {
      if (!isGone) abandoned.count += 1
      isGone = true
    }
    // A client that went away before the answer has begun cancels no body.
    const { signal } = context.req.raw
    if (signal.aborted) gone()
    else signal.addEventListener("abort", gone)
    if (!isStream) {
      const text = reply.body ?? JSON.stringify(format.whole(answer))
      return new Response(bodyOf(text, delay, drip, gone), { headers: { "content-type": "application/json" } })
    }
    const { frames, last } = format.events(answer)
    const kept = cut === undefined && streamError === undefined ? frames : frames.slice(0, last)
    const text = kept.join("")
    const sent = cut === "event"
      ? text.slice(0, text.length - Math.floor((kept.at(-1)?.length ?? 0) / 2))
      : text + (streamError === undefined ? "" : format.streamError(streamError))
    return new Response(bodyOf(sent, delay, drip, gone), { headers: { "content-type": "text/event-stream" } })
  }
  const app = new Hono()
  app.post("/openai/chat/completions", handle(openaiChat))
  app.post("/openai/responses", handle(openaiResponses))
  app.post("/google/*", handle(google))
  app.post("/anthropic/messages", handle(anthropic))
  app.post("/anthropic/v1/messages", handle(anthropic))
  const served = await serve((request) => app.fetch(request))
  return { ...served, url: `http://127.0.0.1:${served.port}`, requests, abandoned }
}

/** The five providers of `resolveModel`, with the path of their format on the server. */
export const providerPaths: ReadonlyArray<readonly [provider: string, path: string]> = [
  ["openai", "/openai"],
  ["openai-chat", "/openai"],
  ["google", "/google/v1beta"],
  ["anthropic", "/anthropic"],
  ["openai-compatible", "/openai"],
]
