/**
 * Defines the tools, resources and prompts that the conformance suite expects of a server, with its names and words.
 * They are registered beside Sluice's own, and served by the same route.
 */
import {
  CallToolResult,
  ElicitRequestFormParams,
  InvalidParams,
  type McpRequestContext,
  McpServerClient,
  param,
  Tool,
  type ToolJson,
} from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { pause } from "../../support/eventually.ts"

type Content = CallToolResult["content"][number]

/** A red pixel, and an empty sound. */
const png = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="),
  (char) => char.charCodeAt(0),
)
const wav = Uint8Array.from(
  atob("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="),
  (char) => char.charCodeAt(0),
)

const text = (words: string): Content => ({ type: "text", text: words })
const image: Content = { type: "image", data: png, mimeType: "image/png" }
const embedded = (uri: string, mimeType: string, words: string): Content => ({
  type: "resource",
  resource: { uri, mimeType, text: words },
})

const noArguments: ToolJson = { type: "object", properties: {} }
const argument = (name: string): ToolJson => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
})

type Handle = (
  args: unknown,
  server: McpServer.McpServer["Service"],
) => Effect.Effect<ReadonlyArray<Content>, InvalidParams, McpRequestContext>

const field = (args: unknown, name: string): string =>
  Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.String))(args)[name] ?? ""

/** The client, where it can be asked something. */
const client = Effect.flatMap(
  Effect.serviceOption(McpServerClient),
  (found) =>
    found._tag === "None" ? new InvalidParams({ message: "this client cannot be asked" }) : found.value.getClient,
)

const refused = (error: { readonly message?: string }) => new InvalidParams({ message: String(error.message ?? error) })

const elicit = (message: string, requestedSchema: unknown): Effect.Effect<ReadonlyArray<Content>, InvalidParams> =>
  Effect.scoped(Effect.gen(function* () {
    const request = yield* Schema.decodeUnknownEffect(ElicitRequestFormParams)({
      mode: "form",
      message,
      requestedSchema,
    })
    const answer = yield* (yield* client).elicit(request)
    const content = "content" in answer ? JSON.stringify(answer.content) : "none"
    return [text(`Elicitation completed: action=${answer.action}, content=${content}`)]
  })).pipe(Effect.mapError(refused))

const option = (value: string, title: string) => ({ const: value, title })
const options = ["option1", "option2", "option3"]

const tools: ReadonlyArray<readonly [name: string, input: ToolJson, handle: Handle]> = [
  ["test_simple_text", noArguments, () => Effect.succeed([text("This is a simple text response for testing.")])],
  ["test_image_content", noArguments, () => Effect.succeed([image])],
  ["test_audio_content", noArguments, () => Effect.succeed([{ type: "audio", data: wav, mimeType: "audio/wav" }])],
  [
    "test_embedded_resource",
    noArguments,
    () => Effect.succeed([embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]),
  ],
  [
    "test_multiple_content_types",
    noArguments,
    () =>
      Effect.succeed([
        text("Multiple content types test:"),
        image,
        embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
      ]),
  ],
  ["test_tool_with_logging", noArguments, (_, server) =>
    Effect.gen(function* () {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        yield* server.notifications["notifications/message"]({ level: "info", data })
        yield* pause(50)
      }
      return [text("logged")]
    })],
  ["test_tool_with_progress", noArguments, (_, server) =>
    Effect.gen(function* () {
      const { requestMetadata } = Context.getOrElse(
        yield* Effect.context<McpRequestContext>(),
        McpServerClient,
        () => ({ requestMetadata: undefined }),
      )
      const progressToken: unknown = requestMetadata?.["progressToken"]
      for (const progress of [0, 50, 100]) {
        if (typeof progressToken === "string" || typeof progressToken === "number") {
          yield* server.notifications["notifications/progress"]({ progressToken, progress, total: 100 })
        }
        yield* pause(50)
      }
      return [text("done")]
    })],
  ["test_sampling", argument("prompt"), (args) =>
    Effect.scoped(Effect.gen(function* () {
      const answer = yield* (yield* client).createMessage({
        messages: [{ role: "user", content: { type: "text", text: field(args, "prompt") } }],
        maxTokens: 100,
      })
      return [text(`LLM response: ${JSON.stringify(answer.content)}`)]
    })).pipe(Effect.mapError(refused))],
  ["test_elicitation", argument("message"), (args) =>
    elicit(field(args, "message"), {
      type: "object",
      properties: {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      },
      required: ["username", "email"],
    })],
  ["test_elicitation_sep1034_defaults", noArguments, () =>
    elicit("defaults", {
      type: "object",
      properties: {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
    })],
  ["test_elicitation_sep1330_enums", noArguments, () =>
    elicit("enums", {
      type: "object",
      properties: {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: [option("value1", "First Option"), option("value2", "Second Option")] },
        legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
        untitledMulti: { type: "array", items: { type: "string", enum: options } },
        titledMulti: {
          type: "array",
          items: { anyOf: [option("value1", "First Choice"), option("value2", "Second Choice")] },
        },
      },
    })],
  [
    "json_schema_2020_12_tool",
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
    () => Effect.succeed([text("ok")]),
  ],
]

const addTools = Effect.gen(function* () {
  const server = yield* McpServer.McpServer
  for (const [name, inputSchema, handle] of tools) {
    yield* server.addTool({
      tool: new Tool({ name, description: name, inputSchema }),
      annotations: Context.empty(),
      handle: (args: unknown) => Effect.map(handle(args, server), (content) => new CallToolResult({ content })),
    })
  }
  yield* server.addTool({
    tool: new Tool({ name: "test_error_handling", description: "Always fails", inputSchema: noArguments }),
    annotations: Context.empty(),
    handle: () =>
      Effect.succeed(
        new CallToolResult({
          isError: true,
          content: [text("This tool intentionally returns an error for testing")],
        }),
      ),
  })
})

const prompt = (name: string, content: ReadonlyArray<Content>) =>
  McpServer.prompt({
    name,
    description: name,
    content: () => Effect.succeed(content.map((one) => ({ role: "user" as const, content: one }))),
  })

/** All of it. */
export const fixtures: Layer.Layer<never, never, McpServer.McpServer> = Layer.mergeAll(
  Layer.effectDiscard(addTools),
  McpServer.resource({
    uri: "test://static-text",
    name: "static-text",
    content: Effect.succeed({
      contents: [{
        uri: "test://static-text",
        mimeType: "text/plain",
        text: "This is the content of the static text resource.",
      }],
    }),
  }),
  McpServer.resource({
    uri: "test://static-binary",
    name: "static-binary",
    content: Effect.succeed({ contents: [{ uri: "test://static-binary", mimeType: "image/png", blob: png }] }),
  }),
  McpServer.resource({
    uri: "test://watched-resource",
    name: "watched-resource",
    content: Effect.succeed("watched"),
  }),
  McpServer.resource`test://template/${param("id", Schema.String)}/data`({
    name: "template",
    content: (uri, id) =>
      Effect.succeed({
        contents: [{
          uri,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        }],
      }),
  }),
  prompt("test_simple_prompt", [text("This is a simple prompt for testing.")]),
  prompt("test_prompt_with_image", [image, text("Please analyze the image above.")]),
  McpServer.prompt({
    name: "test_prompt_with_arguments",
    description: "Takes two arguments",
    parameters: { arg1: Schema.String, arg2: Schema.String },
    completion: { arg1: (start) => Effect.succeed(["paris", "park", "party"].filter((one) => one.startsWith(start))) },
    content: ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  }),
  McpServer.prompt({
    name: "test_prompt_with_embedded_resource",
    description: "Takes a resource",
    parameters: { resourceUri: Schema.String },
    content: ({ resourceUri }) =>
      Effect.succeed([
        {
          role: "user" as const,
          content: embedded(resourceUri, "text/plain", "Embedded resource content for testing."),
        },
        { role: "user" as const, content: text("Please process the embedded resource above.") },
      ]),
  }),
)
