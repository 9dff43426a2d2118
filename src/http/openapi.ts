/** Builds the OpenAPI 3.1.1 document of the routes from the Schemas that they decode and encode with. */
import * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import { isJsonObject } from "../base/jsonSchema.ts"
import { ShellOutput } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { ShellEvent } from "../command/ShellFault.ts"
import { TerminalSize } from "../command/Terminal.ts"
import {
  CommandAccepted,
  CommandInfo,
  CommandPage,
  ExecRequestOptions,
  Health,
  InputTaken,
  Problem,
  TerminalTicket,
  wireVersion,
} from "../wire/mod.ts"
import { maxDisconnectGraceMillis } from "../wire/ExecRequestOptions.ts"
import * as Frames from "../wire/frames.ts"
import * as Ndjson from "../wire/ndjson.ts"
import * as Sse from "../wire/sse.ts"
import { prometheusType } from "./prometheus.ts"

type Json = Schema.Json

export interface OpenApiPart {
  readonly paths: Readonly<Record<string, Json>>
  readonly schemas: Readonly<Record<string, Schema.Constraint>>
}

const schemas: Readonly<Record<string, Schema.Constraint>> = {
  ShellExec,
  ExecRequestOptions,
  ShellEvent,
  ShellOutput,
  CommandInfo,
  CommandPage,
  CommandAccepted,
  InputTaken,
  TerminalSize,
  TerminalTicket,
  Health,
  Problem,
}

export const ref = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` })

export const json = (name: string): Json => ({ "application/json": { schema: ref(name) } })

export const answer = (description: string, content?: Json): Json => ({ description, ...(content ? { content } : {}) })

const problems: Json = { $ref: "#/components/responses/Problem" }

export const query = (name: string, description: string, schema: Json): Json => ({
  name,
  in: "query",
  description,
  schema,
})

export const text: { readonly type: "string" } = { type: "string" }
export const flag: Json = { type: "string", enum: ["", "true", "1"] }
export const count: Json = { type: "integer", minimum: 0 }

const idParameter: Json = { name: "id", in: "path", required: true, description: "The command id", schema: text }

const resume: ReadonlyArray<Json> = [
  {
    name: "Last-Event-ID",
    in: "header",
    description: "The id of the last event that the reader received",
    schema: text,
  },
  query("after", "The same, for readers that cannot send the header", count),
]

export const operation = (
  operationId: string,
  summary: string,
  responses: Readonly<Record<string, Json>>,
  more: Readonly<Record<string, Json>> = {},
): Json => ({ operationId, summary, ...more, responses: { ...responses, "4XX": problems, default: problems } })

/** OpenAPI 3.1 describes bytes by a schema without a type. */
const frames: Json = { schema: { description: "Two lengths, an event as JSON, its text; see architecture/server.md" } }

const changes = { [Sse.mediaType]: { schema: text }, [Ndjson.mediaType]: { schema: text } }
const events: Json = { ...changes, [Frames.mediaType]: frames }
const noToken = { security: [] }

const paths: Readonly<Record<string, Json>> = {
  "/exec": {
    post: operation("runCommand", "Run a command", {
      "200": answer("The command ran: one result, or its events as they come", {
        "application/json": { schema: ref("ShellOutput") },
        [Ndjson.mediaType]: { schema: { description: "One event a line", ...ref("ShellEvent") } },
        [Sse.mediaType]: { schema: { description: "`data` is an event as JSON", ...text } },
        [Frames.mediaType]: frames,
      }),
      "202": answer("It runs, detached", json("CommandAccepted")),
    }, {
      parameters: [
        query("window", "Group the output into windows, as in `lines:50`", text),
        query("detached", "Respond at once; the command keeps running", flag),
        query("disconnectGraceMillis", "How long the command may run without a reader", {
          ...Object(count),
          maximum: maxDisconnectGraceMillis,
        }),
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { allOf: [ref("ShellExec"), ref("ExecRequestOptions")] } } },
      },
    }),
  },
  "/commands": {
    get: operation("listCommands", "Commands, the newest first", {
      "200": answer("A page of them", json("CommandPage")),
    }, {
      parameters: [
        query("state", `Any of these, joined by commas: open, ${CommandInfo.fields.state.literals.join(", ")}`, text),
        query("since", "Requested at or after this time: milliseconds since 1970, or a date", text),
        query("until", "Requested before this time", text),
        query("command", "A pattern for the program or the line, with * and ?", text),
        query("maxCommands", "Maximum of commands", { type: "integer", minimum: 1, maximum: 500, default: 50 }),
        query("before", "The `next` of the previous page", text),
      ],
    }),
  },
  "/commands/events": {
    get: operation("followCommands", "Commands as they start and end", {
      "200": answer("A CommandInfo for each change", changes),
    }, {
      parameters: resume,
    }),
  },
  "/commands/{id}": {
    parameters: [idParameter],
    get: operation("getCommand", "One command", { "200": answer("The command", json("CommandInfo")) }),
    delete: operation("endCommand", "End a command", {
      "200": answer("It had ended already", json("CommandInfo")),
      "202": answer("The command is being cancelled", json("CommandInfo")),
    }, { parameters: [query("force", "Kill it at once, without the grace period", flag)] }),
  },
  "/commands/{id}/events": {
    parameters: [idParameter],
    get: operation("followCommand", "The events of a command: past events, then new ones as they come", {
      "200": answer("The events; ids are the same for every reader", events),
      "204": answer("The reader has received all of them"),
    }, { parameters: resume }),
  },
  "/commands/{id}/input": {
    parameters: [idParameter],
    post: operation("feedCommand", "Bytes for stdin; the response follows when the command has taken them", {
      "200": answer("The command has taken them", json("InputTaken")),
    }, {
      parameters: [
        query("end", "Close stdin after them", flag),
        query("offset", "Offset of these bytes in the input: bytes already taken are skipped", count),
      ],
      requestBody: { content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } },
    }),
  },
  "/commands/{id}/terminal": {
    parameters: [idParameter],
    post: operation("openTerminal", "A ticket for the WebSocket of the command's terminal", {
      "200": answer("The subprotocols, valid once", json("TerminalTicket")),
    }),
    get: operation("attachTerminal", "The WebSocket of the command's terminal", {
      "101": answer("Binary messages; see architecture/server.md"),
    }, {
      ...noToken,
      parameters: [
        query("after", "The position of the last output that the client received", count),
        query("client", "A random name of the client, whose input is then counted", text),
        {
          name: "Sec-WebSocket-Protocol",
          in: "header",
          required: true,
          description: "The protocols of the ticket",
          schema: text,
        },
      ],
    }),
  },
  "/commands/{id}/resize": {
    parameters: [idParameter],
    post: operation("resizeTerminal", "Change the size of the command's terminal", {
      "204": answer("The size was changed; the command gets SIGWINCH"),
    }, { requestBody: { required: true, content: json("TerminalSize") } }),
  },
  "/commands/{id}/signal": {
    parameters: [idParameter],
    post: operation("signalTerminal", "Signal the command on a terminal", {
      "204": answer("It was signalled"),
    }, {
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["signal"],
              properties: { signal: { type: "string", pattern: "^SIG" } },
            },
          },
        },
      },
    }),
  },
  "/metrics": {
    get: operation("getMetrics", "Metrics", {
      "200": answer("Prometheus text", { [prometheusType]: { schema: text } }),
    }),
  },
  "/health": {
    get: operation("getHealth", "Whether the server accepts commands", {
      "200": answer("They are", json("Health")),
      "503": answer("The server is shutting down", json("Health")),
    }, noToken),
  },
  "/openapi.json": {
    get: operation("getOpenApi", "This document", {
      "200": answer("OpenAPI 3.1", { "application/json": { schema: { type: "object" } } }),
    }, noToken),
  },
}

const withoutTag = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const required: unknown = schema["required"]
  return Array.isArray(required) ? { ...schema, required: required.filter((name) => name !== "_tag") } : schema
}

const components = (schemas: OpenApiPart["schemas"]): Json => {
  const all: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const document = Schema.toJsonSchemaDocument(schema)
    const { definitions, schemas: [first] } = JsonSchema.toMultiDocumentOpenApi3_1({
      dialect: document.dialect,
      schemas: [document.schema],
      definitions: document.definitions,
    })
    Object.assign(all, definitions)
    all[name] = first
  }
  const exec = all["ShellExecEncoded"]
  if (isJsonObject(exec)) all["ShellExecEncoded"] = withoutTag(exec)
  return {
    schemas: JSON.parse(JSON.stringify(all)),
    responses: {
      Problem: answer("What went wrong", { "application/problem+json": { schema: ref("Problem") } }),
    },
    securitySchemes: { token: { type: "http", scheme: "bearer" } },
  }
}

export interface OpenApiDocument {
  /** Adds the operations of other routes of the same server. */
  readonly add: (part: OpenApiPart) => void
  /** The document as JSON; built at the first call after an addition. */
  readonly text: () => string
}

export const makeOpenApi = (): OpenApiDocument => {
  let all: OpenApiPart = { paths, schemas }
  let known: string | undefined
  return {
    add: (part) => {
      known = undefined
      all = { paths: { ...all.paths, ...part.paths }, schemas: { ...all.schemas, ...part.schemas } }
    },
    text: () =>
      known ??= JSON.stringify({
        openapi: "3.1.0",
        info: {
          title: "Sluice execution server",
          version: String(wireVersion),
          license: { name: "MIT", identifier: "MIT" },
        },
        // Relative to the document itself.
        servers: [{ url: "." }],
        paths: all.paths,
        components: components(all.schemas),
        security: [{ token: [] }],
      }),
  }
}
