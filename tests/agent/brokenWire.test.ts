import { describe, expect, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AiSdk from "../../src/agent/AiSdk.ts"
import { ModelFault, type ModelRequest } from "../../src/agent/ModelBranch.ts"
import { modelService } from "../../src/agent/modelService.ts"
import { resolveModel, type ResolveModelOptions } from "../../src/agent/providers.ts"
import { Spell, Spellbook } from "../../src/spell/mod.ts"
import type { Answer, WireFormat } from "./support/Answer.ts"
import { anthropic } from "./support/anthropic.ts"
import { generations } from "./support/generations.ts"
import { google } from "./support/google.ts"
import { openaiChat } from "./support/openaiChat.ts"
import { openaiResponses } from "./support/openaiResponses.ts"

const book = Spellbook.make(Spell.make({
  name: "note",
  description: "Notes.",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String,
  cast: () => Effect.succeed("noted"),
}))

const answer: Answer = {
  text: "Hello wörld 😀",
  calls: [
    { id: "c1", name: "note", arguments: '{"text":"one"}' },
    { id: "c2", name: "note", arguments: '{"text":"two"}' },
  ],
}

const formats: ReadonlyArray<readonly [provider: string, format: WireFormat]> = [
  ["openai", openaiResponses],
  ["openai-chat", openaiChat],
  ["google", google],
  ["anthropic", anthropic],
  ["openai-compatible", openaiChat],
]

const request: ModelRequest = {
  _tag: "ModelRequest",
  correlationId: "r/1",
  added: [{ role: "user", content: "x" }],
  tools: ["note"],
}

/** A key whose forms are others than itself. */
const key = 'sk/test+0123456789"abcdef'

describe.each(generations)("with packages of %s", (_, load) => {
  const ask = (provider: string, fetch: NonNullable<ResolveModelOptions["fetch"]>) =>
    Effect.gen(function* () {
      const options = { apiKey: Redacted.make(key), baseUrl: "http://model.invalid/v1", fetch, load }
      const model = yield* AiSdk.make(yield* resolveModel(`${provider}/claude-sonnet-4-5`, options), {
        retry: { maxAttempts: 1 },
      })
      const service = yield* Effect.provideService(modelService(book), LanguageModel.LanguageModel, model)
      return yield* Stream.runCollect(service.request(request))
    })

  /** The bytes, after which the stream ends or breaks. */
  const bodyOf = (bytes: Uint8Array, breaks: boolean) =>
    new ReadableStream({
      pull: (controller) => {
        if (bytes.length > 0) controller.enqueue(bytes.slice())
        if (breaks) controller.error(new TypeError("terminated"))
        else controller.close()
      },
    })

  describe("an answer whose connection breaks", () => {
    it.each(formats)("is never taken for a complete one, wherever it breaks: %s", async (provider, format) => {
      const bytes = new TextEncoder().encode(format.events(answer).frames.join(""))
      let whole = 0
      for (let end = 0; end <= bytes.length; end += end > bytes.length - 40 ? 1 : 41) {
        for (const breaks of [false, true]) {
          const headers = { "content-type": "text/event-stream" }
          const fetch = () => Promise.resolve(new Response(bodyOf(bytes.subarray(0, end), breaks), { headers }))
          const exit = await Effect.runPromiseExit(ask(provider, fetch))
          if (Exit.isSuccess(exit)) {
            whole += 1
            expect(exit.value.at(-1)).toMatchObject({
              text: answer.text,
              toolCalls: [{ arguments: { text: "one" } }, { arguments: { text: "two" } }],
            })
          } else {
            const fault = Cause.squash(exit.cause)
            expect(fault).toBeInstanceOf(ModelFault)
            expect(fault).toMatchObject({ isRetryable: true })
          }
        }
      }
      expect(whole).toBeGreaterThan(0)
    })
  })

  describe("a server", () => {
    it.each(formats)("gets no key by a redirect: %s", async (provider) => {
      const asked: Array<string | undefined> = []
      const fault = await Effect.runPromise(Effect.flip(ask(provider, (_, init) => {
        asked.push(init?.redirect)
        return Promise.resolve(new Response("", { status: 307, headers: { location: "https://thief.example/x" } }))
      })))
      expect(asked).toEqual(["manual"])
      expect(fault).toMatchObject({ isRetryable: false })
      expect(fault.message).toContain("redirects to https://thief.example, which is not followed")
    })

    it.each(formats)("that quotes the key, in any form, does not leak it into an error: %s", async (provider) => {
      const forms = [key, JSON.stringify(key), encodeURIComponent(key), btoa(key), btoa(`user:${key}`)]
      const error = { message: `wrong key: ${forms.join(" ")}`, type: "x", code: "invalid_api_key" }
      const fault = await Effect.runPromise(
        Effect.flip(ask(provider, () =>
          Promise.resolve(
            new Response(JSON.stringify({ error, type: "error" }), {
              status: 401,
              headers: { "x-echo": key.replaceAll('"', "") },
            }),
          ))),
      )
      const shown = JSON.stringify(fault) + String(fault.message)
      expect(shown).toContain("wrong key")
      for (const form of forms) expect(shown).not.toContain(form)
      expect(shown).not.toContain("0123456789")
    })
  })
})
