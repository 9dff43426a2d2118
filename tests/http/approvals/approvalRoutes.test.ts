import { createConfig, lintFromString } from "@redocly/openapi-core"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Schema from "effect/Schema"
import { Hono } from "hono"
import { approvalRoutes, shellRoutes } from "../../../src/http/mod.ts"
import { Journal, MemoryJournal } from "../../../src/journal/Journal.ts"
import { MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import * as KernelShell from "../../../src/leaves/kernel/KernelShell.ts"
import {
  ApprovalPolicy,
  Approver,
  type ApproverService,
  runCommand,
  Spellbook,
  type SpellFault,
  writeFile,
} from "../../../src/spell/mod.ts"

const book = Spellbook.make(writeFile, runCommand)
const world = Layer.merge(MemoryFileSystem.layer, KernelShell.layer)
const headers = { authorization: "Bearer s3cret" }

/** Casts a spell that needs approval. */
const castWith = (approver: ApproverService, name: string, input: Schema.Json): Promise<Schema.Json | SpellFault> =>
  Effect.gen(function* () {
    const spells = yield* ApprovalPolicy.guardService(ApprovalPolicy.ask, book)(yield* Spellbook.service(book))
    return yield* Effect.catch(Spellbook.castWith(spells, name, input), (fault) => Effect.succeed(fault))
  }).pipe(Effect.provideService(Approver.Approver, approver), Effect.provide(world), Effect.runPromise)

interface Asked {
  readonly correlationId: string
  readonly about: string
  readonly asked: number
  readonly suggestions: ReadonlyArray<unknown>
}

type App = Pick<Hono, "request">

const waiting = async (app: App, path = "/approvals"): Promise<Asked> => {
  for (;;) {
    const response = await app.request(path, { headers })
    expect(response.status).toBe(200)
    const { approvals }: { approvals: ReadonlyArray<Asked> } = await response.json()
    const [first] = approvals
    if (first !== undefined) return first
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const reply = async (app: App, id: string, body: unknown, path = "/approvals"): Promise<Response> =>
  await app.request(`${path}/${encodeURIComponent(id)}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  })

it("lists waiting questions, and accepts answers", async () => {
  await using routes = approvalRoutes({ token: "s3cret" })
  const allowed = castWith(routes.questions, "write_file", { path: "a", content: "x" })
  const question = await waiting(routes)
  expect(question).toMatchObject({ about: "write_file a", spell: "write_file", arguments: { path: "a", content: "x" } })
  expect(question.asked).toBeGreaterThan(0)
  expect((await reply(routes, question.correlationId, { decision: "allow" })).status).toBe(204)
  expect(await allowed).toEqual({ path: "a", bytesWritten: 1 })

  const denied = castWith(routes.questions, "run_command", { command: "true" })
  const second = await waiting(routes)
  await reply(routes, second.correlationId, { decision: "deny", reason: "not today" })
  expect(await denied).toMatchObject({ faultKind: "Denied", message: expect.stringContaining("not today") })

  const late = await reply(routes, second.correlationId, { decision: "allow" })
  expect([late.status, (await late.json()).type]).toEqual([404, "urn:sluice:request:unknown-approval"])
})

it("needs the right to approve", async () => {
  await using routes = approvalRoutes({
    tokens: [
      { name: "agent", token: "a", rights: ["read", "run", "cancel", "files:read", "files:write"] },
      { name: "ada", token: "s3cret", rights: ["approve"] },
    ],
  })
  const cast = castWith(routes.questions, "run_command", { command: "true" })
  const { correlationId } = await waiting(routes)
  for (const token of ["a", "wrong", undefined]) {
    const own = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const status = token === "a" ? 403 : 401
    expect((await routes.request("/approvals", { headers: own })).status).toBe(status)
    const answered = await routes.request(`/approvals/${encodeURIComponent(correlationId)}`, {
      method: "POST",
      headers: { ...own, "content-type": "application/json" },
      body: `{"decision":"allow"}`,
    })
    expect(answered.status).toBe(status)
  }
  expect((await Effect.runPromise(routes.questions.list)).length).toBe(1)
  await reply(routes, correlationId, { decision: "deny" })
  await cast
})

it("refuses an invalid reply, and leaves the approval request open", async () => {
  await using routes = approvalRoutes({ token: "s3cret" })
  const cast = castWith(routes.questions, "run_command", { command: "true" })
  const { correlationId } = await waiting(routes)
  for (
    const body of [
      {},
      { decision: "yes" },
      { decision: "allow", remember: "always" },
      { decision: "allow", rule: { decision: "allow", comand: "ls" } },
      { decision: "allow", more: 1 },
      [],
      null,
    ]
  ) expect([body, (await reply(routes, correlationId, body)).status]).toEqual([body, 400])
  const form = await routes.request(`/approvals/${encodeURIComponent(correlationId)}`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/plain" },
    body: `{"decision":"allow"}`,
  })
  expect(form.status).toBe(415)
  expect((await routes.request("/approvals", { method: "POST", headers })).status).toBe(405)
  expect((await reply(routes, correlationId, { decision: "deny" })).status).toBe(204)
  await cast
})

it("answers the questions of a journal, by the name of the token, beside the shell routes", async () => {
  const runtime = ManagedRuntime.make(MemoryJournal.layer)
  await using _ = { [Symbol.asyncDispose]: () => runtime.dispose() }
  const journal = Layer.succeed(Journal, await runtime.runPromise(Effect.service(Journal)))
  const tokens = [{ name: "ada", token: "s3cret", rights: ["approve"] }, { name: "old", token: "0ld" }] as const
  await using server = shellRoutes({ layer: KernelShell.layer, journal, tokens })
  await using approvals = approvalRoutes({ server })
  const app = new Hono().route("/api", server).route("/api", approvals)
  await approvals.start()
  const elsewhere = Effect.flatMap(
    Effect.service(Approver.Approver),
    (approver) => Effect.promise(() => castWith(approver, "write_file", { path: "a", content: "x" })),
  )
  const cast = Effect.runPromise(
    elsewhere.pipe(Effect.provide(Approver.layerDaemonWith({ acceptTimeout: "30 seconds" })), Effect.provide(journal)),
  )
  const { correlationId } = await waiting(app, "/api/approvals")
  // A token that names no rights, as tokens of agents do, approves nothing.
  expect((await app.request("/api/approvals", { headers: { authorization: "Bearer 0ld" } })).status).toBe(403)
  await reply(app, correlationId, { decision: "allow" }, "/api/approvals")
  expect(await cast).toEqual({ path: "a", bytesWritten: 1 })
  const entries = await Effect.runPromise(
    Effect.provide(Journal.read({ filter: { branch: "approval", correlationId } }), journal),
  )
  expect(entries.map(({ tag }) => tag)).toEqual(["ApprovalRequest", "LeaseTaken", "ApprovalAnswer"])
  expect(entries.at(-1)?.body).toMatchObject({ decision: "allow", by: "ada" })
  expect((await app.request("/api/health")).status).toBe(200)
})

it("takes no more questions and answers once it is disposed of", async () => {
  const routes = approvalRoutes({ token: "s3cret" })
  await routes.dispose()
  expect((await routes.request("/approvals", { headers })).status).toBe(503)
})

it("refuses options that it does not have", () => {
  // @ts-expect-error no such option
  expect(() => approvalRoutes({ tokn: "s3cret" })).toThrow('did you mean "token"?')
})

it("is in the OpenAPI document of its server, in which a linter finds nothing", async () => {
  await using server = shellRoutes({ layer: KernelShell.layer, token: "s3cret" })
  await using _ = approvalRoutes({ server })
  const source = await (await server.request("/openapi.json")).text()
  const { components, paths } = JSON.parse(source)
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/approvals", "/approvals/{id}"]))
  for (const [, name = ""] of source.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect(components.schemas).toHaveProperty([name])
  }
  const config = await createConfig({ extends: ["recommended-strict"] })
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config })
  expect(problems.map(({ message }) => message)).toEqual([])
})
