/** Resolves a model name such as `openai/gpt-5` with the AI SDK package of its provider. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { quote } from "../base/quote.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { didYouMean, findSimilar } from "../base/findNearest.ts"
import { requireCount } from "../base/OptionError.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import type { AiSdkModel } from "./AiSdk.ts"
import { ProviderError, type ProviderErrorReason } from "./ProviderError.ts"

interface Provider {
  readonly package: string
  /** The function of the package that takes a key and makes models. */
  readonly factory: string
  /** The function of a provider that makes a model by its name. */
  readonly method: string
  /** The prefix of the variables that hold the key and the base URL. */
  readonly variables: string
  /** Whether servers of this kind may be used without a key, and have no default address. */
  readonly isLocal?: boolean
}

/** The newest major version of a package whose models have the interface `LanguageModelV4`. */
const newest = (name: string): string => name === "@ai-sdk/openai-compatible" ? `${name}@3` : `${name}@4`

const openai = { package: "@ai-sdk/openai", factory: "createOpenAI", variables: "OPENAI" }

const providers: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  ["openai", { ...openai, method: "responses" }],
  ["openai-chat", { ...openai, method: "chat" }],
  ["google", {
    package: "@ai-sdk/google",
    factory: "createGoogleGenerativeAI",
    method: "languageModel",
    variables: "GOOGLE_GENERATIVE_AI",
  }],
  ["anthropic", {
    package: "@ai-sdk/anthropic",
    factory: "createAnthropic",
    method: "languageModel",
    variables: "ANTHROPIC",
  }],
  ["openai-compatible", {
    package: "@ai-sdk/openai-compatible",
    factory: "createOpenAICompatible",
    method: "languageModel",
    variables: "OPENAI_COMPATIBLE",
    isLocal: true,
  }],
])

/**
 * The names of providers that {@link resolveModel} knows.
 *
 * @example
 * ```ts
 * import { providerNames } from "@sluice/shell/agent"
 *
 * console.log(providerNames.includes("anthropic")) // true
 * ```
 */
export const providerNames: ReadonlyArray<string> = [...providers.keys()]

/**
 * The names of the variables from which {@link resolveModel} reads keys.
 *
 * @example
 * ```ts
 * import { keyVariables } from "@sluice/shell/agent"
 *
 * console.log(keyVariables.includes("OPENAI_API_KEY")) // true
 * ```
 */
export const keyVariables: ReadonlyArray<string> = [
  ...new Set([...providers.values()].map(({ variables }) => `${variables}_API_KEY`)),
]

/** Options of {@link resolveModel}. */
export interface ResolveModelOptions {
  /** The key. Default: `OPENAI_API_KEY`, `GOOGLE_GENERATIVE_AI_API_KEY`, `ANTHROPIC_API_KEY`, … of `Config`. */
  readonly apiKey?: Redacted.Redacted<string> | undefined
  /** URL of the API. Default: `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`, … of `Config`, else the provider's own. */
  readonly baseUrl?: string | undefined
  /** Sends the requests. Default: the `fetch` of the runtime. */
  readonly fetch?: ((input: RequestInfo | URL, init?: RequestInit) => Promise<Response>) | undefined
  /** Maximum bytes of an answer. Default: 64 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** Imports a package by its name. Default: `import(name)`. */
  readonly load?: ((name: string) => Promise<unknown>) | undefined
}

const failed = (reason: ProviderErrorReason, message: string) => Effect.fail(new ProviderError({ reason, message }))

const parseName = (name: string) => {
  const slash = name.indexOf("/")
  const provider = providers.get(name.slice(0, Math.max(0, slash)))
  const model = name.slice(slash + 1)
  if (slash > 0 && provider !== undefined && model !== "") return Effect.succeed({ provider, model })
  const known = providerNames.map((each) => `${each}/MODEL`).join(", ")
  const nearest = slash > 0 && provider === undefined ? findSimilar(name.slice(0, slash), providerNames) : undefined
  const meant = nearest === undefined ? undefined : `${nearest}/${model}`
  return failed(
    { _tag: "UnknownProvider" },
    `model: ${quote(name)} is not the name of a model: ${known}${didYouMean(meant)}`,
  )
}

/** Reads a variable; `undefined` where it is missing. The error of `Config` could quote the value. */
const readVariable = <A>(name: string, config: Config.Config<A>): Effect.Effect<A | undefined, ProviderError> =>
  Effect.matchEffect(Config.option(config), {
    onSuccess: (found) => Effect.succeed(Option.getOrUndefined(found)),
    onFailure: () => failed({ _tag: "InvalidOption", option: name }, `model: ${name} cannot be read`),
  })

/** A key goes into a header: anything but visible ASCII would make `fetch` throw an error that quotes it. */
const keyPattern = /^[\x21-\x7e]+$/

const readKey = ({ isLocal = false, variables }: Provider, given: Redacted.Redacted<string> | undefined) =>
  Effect.gen(function* () {
    const variable = `${variables}_API_KEY`
    const found = given ?? (yield* readVariable(variable, Config.Redacted(variable)))
    const key = found === undefined ? "" : Redacted.value(found).trim()
    if (key === "") {
      if (isLocal) return undefined
      return yield* failed({ _tag: "MissingKey", variable }, `model: no API key: set ${variable}, or the option apiKey`)
    }
    if (keyPattern.test(key)) return key
    const where = given === undefined ? variable : "apiKey"
    return yield* failed(
      { _tag: "InvalidOption", option: where },
      `model: ${where} is not an API key: it has characters other than visible ASCII`,
    )
  })

const readBaseUrl = ({ isLocal = false, variables }: Provider, given: string | undefined) =>
  Effect.gen(function* () {
    const variable = `${variables}_BASE_URL`
    const text = given ?? (yield* readVariable(variable, Config.String(variable)))
    const option = given === undefined ? variable : "baseUrl"
    if (text === undefined || text === "") {
      if (!isLocal) return undefined
      return yield* failed(
        { _tag: "InvalidOption", option: "baseUrl" },
        `model: no address: set ${variable}, --base-url or the option baseUrl, as in http://localhost:11434/v1`,
      )
    }
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return text
    return yield* failed(
      { _tag: "InvalidOption", option },
      `model: ${option} is not an address: write an http or https URL without user and password`,
    )
  })

const field = (value: unknown, name: string): unknown =>
  (typeof value === "object" && value !== null) || typeof value === "function" ? Reflect.get(value, name) : undefined

const isModel = (value: unknown): value is AiSdkModel =>
  /^v[34]$/.test(String(field(value, "specificationVersion"))) && typeof field(value, "doGenerate") === "function" &&
  typeof field(value, "doStream") === "function"

/** The name stays a variable: a bundler would include the package, or fail where it is not installed. */
const importPackage = (name: string): Promise<unknown> => import(name)

const loadPackage = (name: string, load: (name: string) => Promise<unknown>) =>
  Effect.tryPromise({
    try: () => load(name),
    catch: (error) => {
      const install = `npm install ${name}`
      return new ProviderError({
        reason: { _tag: "MissingPackage", install },
        message:
          `model: the package ${name} cannot be imported: ${install}, where @sluice/shell is (with -g where that is global) ` +
          `(${errorMessage(error)})`,
      })
    },
  })

type Fetch = NonNullable<ResolveModelOptions["fetch"]>

/** The target of a redirect for an error message, without what may be secret. */
const targetOf = (response: Response, input: RequestInfo | URL): string => {
  const from = input instanceof Request ? input.url : String(input)
  const location = response.headers.get("location") ?? ""
  return URL.canParse(location, from) ? new URL(location, from).origin : "another address"
}

/**
 * Limits the answers of a `fetch`, because the AI SDK keeps each whole in memory. Follows no redirect, because the
 * headers with keys would be sent to another server.
 */
const limitBody = (send: Fetch, maxBytes: number): Fetch => async (input, init) => {
  const response = await send(input, { ...init, redirect: "manual" })
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    const message =
      `the server redirects to ${
        targetOf(response, input)
      }, which is not followed because the key would be sent there; ` +
      "set the base URL to the final address"
    throw Object.assign(new Error(message), { name: "AI_InvalidArgumentError" })
  }
  if (response.body === null) return response
  let bytes = 0
  const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes <= maxBytes) return controller.enqueue(chunk)
      const message = `the answer is larger than ${maxBytes} bytes (maxResponseBytes)`
      controller.error(Object.assign(new Error(message), { name: "AI_InvalidResponseDataError" }))
    },
  })
  const { headers, status, statusText } = response
  return new Response(response.body.pipeThrough(limit), { headers, status, statusText })
}

/**
 * Makes the model that a name asks for: `openai/MODEL` (responses API), `openai-chat/MODEL` (chat completions),
 * `google/MODEL`, `anthropic/MODEL`, or `openai-compatible/MODEL` for any server that speaks chat completions. Imports
 * the package of the provider: `@ai-sdk/openai`, `@ai-sdk/google`, `@ai-sdk/anthropic` or `@ai-sdk/openai-compatible`.
 *
 * @example
 * ```ts
 * import { AiSdk, resolveModel } from "@sluice/shell/agent"
 * import { Effect, Layer, Redacted } from "effect"
 * import { LanguageModel } from "effect/ai"
 *
 * const choices = [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }]
 * // Leave out `fetch` to ask the provider.
 * const fetch = () => Promise.resolve(Response.json({ id: "r", created: 0, model: "m", choices }))
 * const model = resolveModel("openai-chat/gpt-5", { apiKey: Redacted.make("key"), fetch })
 * const answer = LanguageModel.generateText({ prompt: "Say hello." }).pipe(
 *   Effect.provide(Layer.unwrap(Effect.map(model, AiSdk.layer))),
 * )
 * console.log((await Effect.runPromise(answer)).text) // Hello.
 * ```
 */
export const resolveModel = (
  name: string,
  { apiKey, baseUrl, fetch = (input, init) => globalThis.fetch(input, init), load = importPackage, ...limits }:
    ResolveModelOptions = {},
): Effect.Effect<AiSdkModel, ProviderError> =>
  Effect.gen(function* () {
    const maxResponseBytes = yield* Effect.mapError(
      attemptOptions(() =>
        requireCount("resolveModel", "maxResponseBytes", limits.maxResponseBytes ?? 67_108_864, { min: 1 })
      ),
      ({ message, option }) => new ProviderError({ reason: { _tag: "InvalidOption", option }, message }),
    )
    const { model, provider } = yield* parseName(name)
    const key = yield* readKey(provider, apiKey)
    const url = yield* readBaseUrl(provider, baseUrl)
    const loaded = yield* loadPackage(provider.package, load)
    const make = field(loaded, provider.factory) ?? field(field(loaded, "default"), provider.factory)
    const settings = {
      ...(key === undefined ? undefined : { apiKey: key }),
      ...(url === undefined ? undefined : { baseURL: url }),
      fetch: limitBody(fetch, maxResponseBytes),
      ...(provider.isLocal === true
        ? { name: "openai-compatible", includeUsage: true, supportsStructuredOutputs: true }
        : undefined),
    }
    const made: unknown = typeof make === "function" ? make(settings) : undefined
    const method = field(made, provider.method)
    const sdkModel: unknown = typeof method === "function" ? Reflect.apply(method, made, [model]) : undefined
    if (!isModel(sdkModel)) {
      const install = `npm install ${newest(provider.package)}`
      return yield* failed(
        { _tag: "IncompatiblePackage", install },
        `model: this version of ${provider.package} does not implement LanguageModelV3 or LanguageModelV4: ` +
          install,
      )
    }
    return {
      specificationVersion: sdkModel.specificationVersion,
      provider: sdkModel.provider,
      modelId: sdkModel.modelId,
      doGenerate: (options) => sdkModel.doGenerate(options),
      doStream: (options) => sdkModel.doStream(options),
      // A server may quote the key that it refuses, in any form.
      redact: Redactor.secrets(key === undefined ? [] : [{ value: key }]).text,
    }
  })
