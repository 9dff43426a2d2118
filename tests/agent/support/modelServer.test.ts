/** The official clients of the providers understand the server: so it speaks their formats. */
import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import { afterEach, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import type { Answer, Reply } from "./Answer.ts"
import { key, type ModelServer, serveModels } from "./modelServer.ts"

let server: ModelServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const start = async (reply: Reply) => {
  server = await serveModels(() => reply)
  return server
}

const usage = { input: 100, cached: 60, output: 20, reasoning: 5 }
const parameters = { type: "object" as const, properties: { path: { type: "string" } }, required: ["path"] }
const answer: Answer = {
  reasoning: { text: "I should read it. ✓", signature: "c2ln" },
  text: "Reading: ä 🚀.",
  calls: [{ id: "c1", name: "read_file", arguments: '{"path":"a.txt"}' }],
  usage,
}

/** Each client in one form: what it read of an answer. */
interface Read {
  readonly text: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly arguments: unknown }>
  readonly finish: unknown
  readonly input: number | undefined
  readonly cached: number | undefined
}

type Client = (url: string, isStream: boolean, apiKey: string) => Promise<Read>

const chat: Client = async (url, isStream, apiKey) => {
  const client = new OpenAI({ apiKey, baseURL: `${url}/openai`, maxRetries: 0, dangerouslyAllowBrowser: true })
  const request = {
    model: "m",
    messages: [{ role: "user" as const, content: "read a.txt" }],
    tools: [{ type: "function" as const, function: { name: "read_file", description: "Reads.", parameters } }],
  }
  const completion = isStream
    ? await client.chat.completions.stream({ ...request, stream_options: { include_usage: true } })
      .finalChatCompletion()
    : await client.chat.completions.create(request)
  const [choice] = completion.choices
  return {
    text: choice?.message.content ?? choice?.message.refusal ?? "",
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [{ name: call.function.name, arguments: JSON.parse(call.function.arguments) }] : []
    ),
    finish: choice?.finish_reason,
    input: completion.usage?.prompt_tokens,
    cached: completion.usage?.prompt_tokens_details?.cached_tokens,
  }
}

const responses: Client = async (url, isStream, apiKey) => {
  const client = new OpenAI({ apiKey, baseURL: `${url}/openai`, maxRetries: 0, dangerouslyAllowBrowser: true })
  const request = {
    model: "m",
    input: "read a.txt",
    tools: [{ type: "function" as const, name: "read_file", description: "Reads.", parameters, strict: false }],
  }
  const response = isStream
    ? await client.responses.stream(request).finalResponse()
    : await client.responses.create(request)
  return {
    text: response.output_text ||
      response.output.flatMap((item) =>
        item.type === "message" ? item.content.map((part) => part.type === "refusal" ? part.refusal : part.text) : []
      ).join(""),
    calls: response.output.flatMap((item) =>
      item.type === "function_call" ? [{ name: item.name, arguments: JSON.parse(item.arguments) }] : []
    ),
    finish: response.incomplete_details?.reason ?? response.status,
    input: response.usage?.input_tokens,
    cached: response.usage?.input_tokens_details.cached_tokens,
  }
}

const gemini: Client = async (url, isStream, apiKey) => {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${url}/google` } })
  const request = {
    model: "m",
    contents: "read a.txt",
    config: {
      tools: [{
        functionDeclarations: [{ name: "read_file", description: "Reads.", parametersJsonSchema: parameters }],
      }],
    },
  }
  const parts = []
  let last
  if (isStream) {
    for await (const chunk of await client.models.generateContentStream(request)) {
      parts.push(...chunk.candidates?.[0]?.content?.parts ?? [])
      last = chunk
    }
  } else {
    last = await client.models.generateContent(request)
    parts.push(...last.candidates?.[0]?.content?.parts ?? [])
  }
  return {
    text: parts.map(({ text, thought }) => thought === true ? "" : text ?? "").join(""),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ name: call.name ?? "", arguments: call.args }]
    ),
    finish: last?.candidates?.[0]?.finishReason,
    input: last?.usageMetadata?.promptTokenCount,
    cached: last?.usageMetadata?.cachedContentTokenCount,
  }
}

const messages: Client = async (url, isStream, apiKey) => {
  const client = new Anthropic({ apiKey, baseURL: `${url}/anthropic`, maxRetries: 0, dangerouslyAllowBrowser: true })
  const request = {
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: "read a.txt" }],
    tools: [{ name: "read_file", description: "Reads.", input_schema: parameters }],
  }
  const message = isStream
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request)
  return {
    text: message.content.map((block) => block.type === "text" ? block.text : "").join(""),
    calls: message.content.flatMap((block) =>
      block.type === "tool_use" ? [{ name: block.name, arguments: block.input }] : []
    ),
    finish: message.stop_reason,
    input: message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0),
    cached: message.usage.cache_read_input_tokens ?? undefined,
  }
}

const clients: ReadonlyArray<readonly [name: string, client: Client, finishes: Readonly<Record<string, string>>]> = [
  ["openai (chat completions)", chat, { call: "tool_calls", length: "length", filter: "content_filter" }],
  ["openai (responses)", responses, { call: "completed", length: "max_output_tokens", filter: "content_filter" }],
  ["@google/genai", gemini, { call: "STOP", length: "MAX_TOKENS", filter: "SAFETY" }],
  ["@anthropic-ai/sdk", messages, { call: "tool_use", length: "max_tokens", filter: "refusal" }],
]

describe.each(clients)("the official client %s", (_, client, finishes) => {
  it.each([false, true])("reads text, reasoning, calls and usage (streamed: %j)", async (isStream) => {
    const { url } = await start({ answer })
    expect(await client(url, isStream, key)).toEqual({
      text: answer.text,
      calls: [{ name: "read_file", arguments: { path: "a.txt" } }],
      finish: finishes["call"],
      input: 100,
      cached: 60,
    })
  })

  it.each([false, true])("reads why an answer ended (streamed: %j)", async (isStream) => {
    const cut = await start({ answer: { text: "half", finish: "length" } })
    expect(await client(cut.url, isStream, key)).toMatchObject({ text: "half", finish: finishes["length"] })
    await cut.stop()
    const filtered = await start({ answer: { text: "I", finish: "content-filter" } })
    expect(await client(filtered.url, isStream, key)).toMatchObject({ finish: finishes["filter"] })
  })

  it("reads errors in the provider's format", async () => {
    const { requests, url } = await start({ failure: { status: 429, message: "slow down" } })
    await expect(client(url, false, key)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining("slow down"),
    })
    await expect(client(url, false, "sk-other")).rejects.toMatchObject({ status: 401 })
    expect(requests.length).toBe(1)
  })
})

describe("the server", () => {
  it.each([
    ["/openai/chat/completions", { model: "m", messages: [{ role: "tool", tool_call_id: "x", content: "" }] }],
    ["/openai/responses", { model: "m", input: [{ type: "function_call_output", call_id: "x", output: "" }] }],
    ["/google/v1beta/models/m:generateContent", {
      contents: [{ role: "model", parts: [{ functionCall: { name: "f", args: {} } }] }],
    }],
    ["/anthropic/messages", { model: "m", max_tokens: 1, messages: [{ role: "assistant", content: "x" }] }],
  ])("refuses at %s what the provider would refuse", async (path, body) => {
    const { url } = await start({ answer: {} })
    const headers = {
      "authorization": `Bearer ${key}`,
      "x-api-key": key,
      "anthropic-version": "2023-06-01",
      "x-goog-api-key": key,
    }
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body), headers })
    expect([response.status, JSON.stringify(await response.json())]).toEqual([400, expect.stringContaining("error")])
  })
})
