/** Official clients for spells, and a session with them that casts every built-in spell. */
import { expect } from "@effect/vitest"
import * as New from "@modelcontextprotocol/client"
import * as NewStdio from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Schema from "effect/Schema"
import { Spellbook } from "../../src/spell/mod.ts"
import { type CallOptions, headersOf, programOf } from "./support.ts"

/** What a spell answered. */
export interface SpellAnswer {
  readonly isError: boolean
  readonly text: string
  readonly structured: unknown
}

/** The tools of a server, as far as tests look at them. */
const Tools = Schema.Array(Schema.Struct({
  name: Schema.String,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  inputSchema: Schema.Record(Schema.String, Schema.Unknown),
  outputSchema: Schema.optional(Schema.Record(Schema.String, Schema.Unknown)),
  annotations: Schema.optional(Schema.Record(Schema.String, Schema.Unknown)),
}))

/** A question that a client is asked, and what it answers. */
export type Elicit = (question: { readonly message: string; readonly requestedSchema: unknown }) => {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: Record<string, string>
}

/** The same of both clients. */
export interface SpellClient {
  readonly tools: () => Promise<typeof Tools.Type>
  readonly cast: (name: string, args: Record<string, unknown>, options?: CallOptions) => Promise<SpellAnswer>
  readonly close: () => Promise<void>
}

const Result = Schema.Struct({
  content: Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })),
  structuredContent: Schema.optional(Schema.Unknown),
  isError: Schema.optional(Schema.Boolean),
})

const answerOf = (result: unknown): SpellAnswer => {
  const { content, isError = false, structuredContent } = Schema.decodeUnknownSync(Result)(result)
  return { isError, text: content.map(({ text }) => text).join(""), structured: structuredContent }
}

const toolsOf = Schema.decodeUnknownSync(Tools)

const who = { name: "test", version: "1" }

const ofSdk = async (transport: Parameters<Client["connect"]>[0], elicit?: Elicit): Promise<SpellClient> => {
  const client = new Client(who, { capabilities: elicit === undefined ? {} : { elicitation: {} } })
  if (elicit !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      if (!("requestedSchema" in params)) throw new Error("not a form")
      return { ...elicit(params) }
    })
  }
  await client.connect(transport)
  return {
    tools: async () => toolsOf((await client.listTools()).tools),
    cast: async (name, args, options) => answerOf(await client.callTool({ name, arguments: args }, undefined, options)),
    close: () => client.close(),
  }
}

const ofClient = async (
  transport: Parameters<New.Client["connect"]>[0],
  elicit?: Elicit,
  options?: New.ClientOptions,
): Promise<SpellClient> => {
  const capabilities = elicit === undefined ? {} : { elicitation: { form: {} } }
  const client = new New.Client(who, { capabilities, ...options })
  if (elicit !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      if (!("requestedSchema" in params)) throw new Error("not a form")
      return { ...elicit(params) }
    })
  }
  await client.connect(transport)
  return {
    tools: async () => toolsOf((await client.listTools()).tools),
    cast: async (name, args, options) => answerOf(await client.callTool({ name, arguments: args }, options)),
    close: () => client.close(),
  }
}

/** The protocol without sessions, in which a server asks by its answer. */
const sessionless: New.ClientOptions = { versionNegotiation: { mode: { pin: "2026-07-28" } } }

/** Makes a client of each kind. */
export const spellClients: Readonly<
  Record<"sdk" | "client" | "client without sessions", {
    readonly http: (url: string, token: string, elicit?: Elicit) => Promise<SpellClient>
    readonly stdio: (flags: ReadonlyArray<string>, elicit?: Elicit) => Promise<SpellClient>
  }>
> = {
  sdk: {
    http: (url, token, elicit) => ofSdk(new StreamableHTTPClientTransport(new URL(url), headersOf(token)), elicit),
    stdio: (flags, elicit) => ofSdk(new StdioClientTransport(programOf({}, flags)), elicit),
  },
  client: {
    http: (url, token, elicit) =>
      ofClient(new New.StreamableHTTPClientTransport(new URL(url), headersOf(token)), elicit),
    stdio: (flags, elicit) => ofClient(new NewStdio.StdioClientTransport(programOf({}, flags)), elicit),
  },
  "client without sessions": {
    http: (url, token, elicit) =>
      ofClient(new New.StreamableHTTPClientTransport(new URL(url), headersOf(token)), elicit, sessionless),
    stdio: (flags, elicit) => ofClient(new NewStdio.StdioClientTransport(programOf({}, flags)), elicit, sessionless),
  },
}

/** Casts every built-in spell, each at least once with success, and looks at what it did. */
export const castAll = async (client: SpellClient): Promise<void> => {
  const tools = await client.tools()
  expect(tools.map(({ name }) => name)).toEqual([...Spellbook.standard.spells.keys()])
  for (const { annotations, description, inputSchema, name, outputSchema } of tools) {
    const { destructive, idempotent, readOnly } = Spellbook.standard.spells.get(name) ?? {}
    expect({ name, annotations }).toMatchObject({
      name,
      annotations: { readOnlyHint: readOnly, destructiveHint: destructive, idempotentHint: idempotent },
    })
    expect({ name, inputSchema, outputSchema }).toMatchObject({
      name,
      inputSchema: { type: "object", additionalProperties: false },
      outputSchema: { type: "object" },
    })
    expect(description).not.toBe("")
  }

  const cast = new Set<string>()
  const ok = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    const { isError, structured, text } = await client.cast(name, args)
    expect({ name, isError, text }).toMatchObject({ isError: false })
    cast.add(name)
    return structured
  }
  expect(await ok("write_file", { path: "src/a.txt", content: "one\ntwo\n" })).toEqual({
    path: "src/a.txt",
    bytesWritten: 8,
  })
  expect(await ok("edit_file", { path: "src/a.txt", edits: [{ oldText: "two", newText: "2" }] }))
    .toMatchObject({ replacements: 1, diff: expect.stringContaining("+2") })
  expect(await ok("read_file", { path: "src/a.txt" })).toMatchObject({ text: expect.stringContaining("2\t2") })
  expect(await ok("list_directory", { path: "src" })).toMatchObject({ entries: ["a.txt"] })
  expect(await ok("search_files", { pattern: "^on." })).toMatchObject({ text: expect.stringContaining("1:one") })
  const patch = "*** Begin Patch\n*** Update File: src/a.txt\n@@\n-one\n+1\n 2\n*** End Patch\n"
  expect(await ok("apply_patch", { patch })).toMatchObject({ files: [{ change: "updated", path: "src/a.txt" }] })
  expect(await ok("run_command", { command: "echo", arguments: ["$HOME"] })).toMatchObject({ stdout: "$HOME\n" })
  expect(await ok("run_script", { script: "echo one | cat; exit 3" })).toMatchObject({ exitCode: 3, stdout: "one\n" })
  expect(await ok("execute_code", { language: "bash", code: "echo $((6 * 7))" })).toMatchObject({ stdout: "42\n" })
  const { id } = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(
    await ok("start_process", { command: "cat", input: true }),
  )
  await ok("send_input", { id, text: "to and fro\n" })
  expect(await ok("read_output", { id, position: 0, waitSeconds: 10 })).toMatchObject({
    output: expect.stringContaining("to and fro"),
  })
  await ok("stop_process", { id })
  expect(await ok("delete_file", { path: "src", recursive: true })).toEqual({ deletedCount: 2 })
  expect([...cast].sort()).toEqual([...Spellbook.standard.spells.keys()].sort())

  const missing = await client.cast("read_file", { path: "none" })
  expect(missing.isError).toBe(true)
  expect(missing.text).toMatch(/^error: "?read_file: read none: there is nothing at this path/)
  expect(missing.text).toContain("reason: Failed\n")
  const misspelt = await client.cast("read_file", { paht: "a" })
  expect(misspelt).toMatchObject({ isError: true, text: expect.stringMatching(/perhaps meant by .*paht/) })
  expect(misspelt.text).toContain("reason: InvalidArguments\n")
}
