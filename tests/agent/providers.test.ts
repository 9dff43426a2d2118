import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import {
  AiSdk,
  ModelBranch,
  ModelRequest,
  modelService,
  providerNames,
  resolveModel,
  type ResolveModelOptions,
} from "../../src/agent/mod.ts"
import { journalRequests } from "../../src/branch/journalRequests.ts"
import { Journal, MemoryJournal } from "../../src/compute/journal.ts"
import { Spellbook } from "../../src/spell/mod.ts"
import { generations } from "./support/generations.ts"

const key = "sk-test-0123456789"

describe.each(generations)("with packages of %s", (version, load) => {
  const withVariables = (variables: Record<string, string>) =>
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(variables))

  const resolve = (name: string, options: ResolveModelOptions = {}, variables: Record<string, string> = {}) =>
    Effect.runPromise(resolveModel(name, { load, ...options }).pipe(withVariables(variables)))

  const refuse = (name: string, options: ResolveModelOptions = {}, variables: Record<string, string> = {}) =>
    Effect.runPromise(resolveModel(name, { load, ...options }).pipe(withVariables(variables), Effect.flip))

  /** What a model is asked, and by which headers, where its `fetch` answers all with 401 and the key in the text. */
  const asked = async (name: string, options: ResolveModelOptions, variables: Record<string, string>) => {
    const requests: Array<Request> = []
    const fetch = (input: RequestInfo | URL, init?: RequestInit) => {
      requests.push(new Request(input, init))
      return Promise.resolve(
        Response.json({ error: { message: `no such key: ${key}`, type: "x", code: 1 } }, { status: 401 }),
      )
    }
    const model = resolveModel(name, { load, ...options, fetch })
    const error = await Effect.runPromise(
      Effect.flip(LanguageModel.generateText({ prompt: "hello" })).pipe(
        Effect.provide(Layer.unwrap(Effect.map(model, AiSdk.layer))),
        withVariables(variables),
      ),
    )
    const [request] = requests
    if (request === undefined) throw error
    return { error, request }
  }

  describe("resolveModel", () => {
    it.each([...providerNames])("makes a model of the generation of its package: %s", async (provider) => {
      const model = await resolve(`${provider}/m`, { apiKey: Redacted.make(key), baseUrl: "http://localhost:9" })
      expect(model.specificationVersion).toBe(version)
    })

    it.each([
      ["openai/m", "OPENAI_API_KEY", "https://api.openai.com/v1/responses"],
      ["openai-chat/m", "OPENAI_API_KEY", "https://api.openai.com/v1/chat/completions"],
      [
        "google/m",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
      ],
      ["anthropic/m", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1/messages"],
    ])("asks for %s with the key of %s at %s", async (name, variable, url) => {
      const { error, request } = await asked(name, {}, { [variable]: `${key}\n` })
      expect(request.url).toBe(url)
      expect([...request.headers].some(([, value]) => value.includes(key))).toBe(true)
      expect(error).toMatchObject({ _tag: "AiError", reason: { _tag: "AuthenticationError" } })
    })

    it.each([...providerNames])("uses the key and the base URL that %s is given", async (provider) => {
      const { request } = await asked(
        `${provider}/a/b`,
        { apiKey: Redacted.make(key), baseUrl: "http://localhost:9/x" },
        {},
      )
      expect(request.url).toMatch(/^http:\/\/localhost:9\/x\//)
      expect(request.url + await request.text()).toContain("a/b")
    })

    it("needs no key for the caller's own server", async () => {
      const { request } = await asked("openai-compatible/llama", {}, {
        OPENAI_COMPATIBLE_BASE_URL: "http://localhost:9/v1",
      })
      expect([request.url, request.headers.get("authorization")]).toEqual([
        "http://localhost:9/v1/chat/completions",
        null,
      ])
    })

    it.each([...providerNames])(
      "keeps a key out of every error of %s, even if the server quotes it",
      async (provider) => {
        const { error } = await asked(
          `${provider}/m`,
          { apiKey: Redacted.make(key), baseUrl: "http://localhost:9" },
          {},
        )
        const texts = [error.message, error.stack, JSON.stringify(error), String(error), inspect(error, { depth: 10 })]
        expect(texts.join("\n")).not.toContain(key)
        expect(error.message).toContain("<redacted>")
      },
    )

    it.each(["gpt-5", "opnai/gpt-5", "openai/", "/m", ""])("refuses %j and names the providers", async (name) => {
      const error = await refuse(name)
      expect(error).toMatchObject({ _tag: "ProviderError", reason: { _tag: "UnknownProvider" } })
      expect(error.message).toContain("openai-compatible/MODEL")
    })

    it("says which provider was meant", async () => {
      expect((await refuse("antropic/claude")).message).toContain('did you mean "anthropic/claude"?')
    })

    it.each([...providerNames])("says what to install for %s", async (provider) => {
      const load = (name: string) => Promise.reject(new Error(`Cannot find package '${name}'`))
      const error = await refuse(`${provider}/m`, { apiKey: Redacted.make(key), baseUrl: "http://localhost", load })
      expect(error).toMatchObject({ reason: { _tag: "MissingPackage" } })
      expect(error.message).toMatch(/npm install @ai-sdk\/[a-z-]+, where .* \(Cannot find package/)
    })

    it.each<[string, unknown]>([
      ["has no such function", {}],
      ["makes nothing", { createOpenAI: () => undefined }],
      ["makes models of another interface", {
        createOpenAI: () => ({
          chat: () => ({ specificationVersion: "v2", doGenerate: () => {}, doStream: () => {} }),
        }),
      }],
    ])("refuses a package that %s", async (_, module) => {
      const error = await refuse("openai-chat/m", { apiKey: Redacted.make(key), load: () => Promise.resolve(module) })
      expect(error).toMatchObject({ reason: { _tag: "IncompatiblePackage", install: "npm install @ai-sdk/openai@4" } })
    })

    it("names the variable of a key that is missing or empty", async () => {
      for (const variables of [{}, { ANTHROPIC_API_KEY: " \n" }]) {
        const error = await refuse("anthropic/m", {}, variables)
        expect(error).toMatchObject({ reason: { _tag: "MissingKey", variable: "ANTHROPIC_API_KEY" } })
        expect(error.message).toBe("model: no API key: set ANTHROPIC_API_KEY, or the option apiKey")
      }
    })

    it("refuses a key that cannot be in a header, without quoting it", async () => {
      const error = await refuse("openai/m", { apiKey: Redacted.make(`${key}\nX: y`) })
      expect(error).toMatchObject({ reason: { _tag: "InvalidOption", option: "apiKey" } })
      expect(error.message).not.toContain(key)
    })

    it.each(["localhost:80", "ftp://x", `http://u:${key}@x/`])(
      "refuses %j as a base URL, without quoting it",
      async (url) => {
        const error = await refuse("openai/m", { apiKey: Redacted.make("k"), baseUrl: url })
        expect(error).toMatchObject({ reason: { _tag: "InvalidOption", option: "baseUrl" } })
        expect(error.message).not.toContain(url)
      },
    )

    it("needs an address for the caller's own server", async () => {
      expect((await refuse("openai-compatible/m")).message).toContain(
        "set OPENAI_COMPATIBLE_BASE_URL, --base-url or the option baseUrl",
      )
    })

    it("keeps the key out of the model's own text", async () => {
      const model = await resolve("openai/m", { apiKey: Redacted.make(key) })
      expect(JSON.stringify(model)).not.toContain(key)
    })

    it("keeps the key out of a journal and of logs", async () => {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const fetch = () => Promise.resolve(Response.json({ error: { message: `bad ${key}` } }, { status: 401 }))
      const program = Effect.gen(function* () {
        const model = yield* resolveModel("openai/m", { apiKey: Redacted.make(key), fetch, load })
        const service = yield* modelService(Spellbook.make()).pipe(Effect.provide(AiSdk.layer(model)))
        const journaled = yield* journalRequests(ModelBranch, service)
        const request = ModelRequest.make({
          correlationId: "r1",
          added: [{ role: "user", content: "hello" }],
          tools: [],
        })
        const fault = yield* Effect.flip(Stream.runDrain(journaled.request(request)))
        yield* Effect.logError(fault)
        return (yield* Journal.read()).map(({ body }) => JSON.stringify(body))
      })
      const world = Layer.merge(MemoryJournal.layer, Logger.layer([logger]))
      const entries = await Effect.runPromise(Effect.scoped(Effect.provide(program, world)))
      expect(entries.at(-1)).toContain("bad <redacted>")
      expect([...entries, ...logged].join("\n")).not.toContain(key)
      expect(logged.length).toBe(1)
    })

    it.each([[0, "InvalidOption"], [1.5, "InvalidOption"]])(
      "refuses a limit of %j bytes",
      async (maxResponseBytes, tag) => {
        expect(await refuse("openai/m", { maxResponseBytes })).toMatchObject({ reason: { _tag: tag } })
      },
    )

    it.each([...providerNames])("bounds the answers of %s", async (provider) => {
      const fetch = () => Promise.resolve(new Response(`{"x":"${"y".repeat(10_000)}"}`))
      const options = { apiKey: Redacted.make(key), baseUrl: "http://localhost", fetch, maxResponseBytes: 9_999 }
      const model = await resolve(`${provider}/m`, options)
      const asked = LanguageModel.generateText({ prompt: "hello" }).pipe(
        Effect.flip,
        Effect.provide(AiSdk.layer(model)),
      )
      const error = await Effect.runPromise(asked)
      expect(error.reason._tag).toBe("InvalidResponseError")
      expect(error.message).toContain("larger than 9999 bytes")
    })
  })
})
