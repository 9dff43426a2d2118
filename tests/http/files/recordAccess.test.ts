import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { onTestFinished } from "vitest"
import { sha256 } from "../../../src/base/sha256.ts"
import { fileRoutes, shellRoutes, type TokenOptions } from "../../../src/http/mod.ts"
import { type Entry, Journal, JournalError, type JournalService, MemoryJournal } from "../../../src/journal/Journal.ts"
import { MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import * as KernelShell from "../../../src/leaves/kernel/KernelShell.ts"
import { type Ask, pieces, streamed } from "./support.ts"

const tokens: ReadonlyArray<TokenOptions> = [
  { name: "ada", token: "a", rights: ["files:read", "files:write"] },
  { name: "bob", token: "b", rights: ["files:read"] },
]

const full = JournalError.because({ _tag: "Full", code: "ENOSPC" }, "journal: nothing was appended (ENOSPC)")

const memoryJournal = async (): Promise<JournalService> => {
  const runtime = ManagedRuntime.make(MemoryJournal.layer)
  onTestFinished(() => runtime.dispose())
  return await runtime.runPromise(Effect.service(Journal))
}

/** Requests with a token to files of a server with a journal, and what its entries say. */
const serving = (journal: JournalService | undefined) => {
  const server = shellRoutes({ layer: KernelShell.layer, tokens, journal })
  onTestFinished(() => server.dispose())
  const routes = fileRoutes({ layer: MemoryFileSystem.layer, server })
  onTestFinished(() => routes.dispose())
  const ask = (name: string): Ask => async (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set("authorization", `Bearer ${name}`)
    return await routes.request(path, { ...init, headers })
  }
  const entries = (): Promise<ReadonlyArray<Entry>> =>
    Effect.runPromise(journal === undefined ? Effect.succeed([]) : journal.read({ after: 0 }))
  const outcomes = async () =>
    (await entries()).flatMap(({ body, tag }) => {
      if (body === undefined || tag === "LeaseTaken") return []
      const { _tag, about, by, correlationId: _, request: _request, ...facts } = body
      return tag === "FileAccess" ? [by, about] : tag === "FileFault" ? [body["faultKind"]] : [facts]
    })
  return { ask, entries, outcomes, server }
}

it("records each request, its token and its end, without contents", async () => {
  const { ask, entries, outcomes } = serving(await memoryJournal())
  const [ada, bob] = [ask("a"), ask("b")]
  const secret = "a content that no journal has"
  const facts = { bytes: secret.length, sha256: sha256(secret) }
  expect((await ada("/files/d/a", { method: "PUT", ...streamed(pieces(secret.slice(0, 9), secret.slice(9))) })).status)
    .toBe(201)
  expect(await (await bob("/files/d/a")).text()).toBe(secret)
  await (await bob("/files/d/a", { headers: { range: "bytes=2-8" } })).text()
  await (await bob("/files/?list&recursive")).text()
  await (await bob("/files/d/a?stat")).text()
  expect((await bob("/files/none")).status).toBe(404)
  expect((await bob("/files/d/a", { method: "DELETE" })).status).toBe(403)
  expect((await ada("/files/d?recursive", { method: "DELETE" })).status).toBe(200)
  expect(await outcomes()).toEqual([
    "ada",
    "write d/a (ada)",
    facts,
    "bob",
    "read d/a (bob)",
    facts,
    "bob",
    "read d/a (bob)",
    { bytes: 7, sha256: sha256(secret.slice(2, 9)) },
    "bob",
    "list / (bob)",
    { entries: 2 },
    "bob",
    "stat d/a (bob)",
    {},
    "bob",
    "read none (bob)",
    "NotFound",
    "ada",
    "delete d (ada)",
    { deletedCount: 2 },
  ])
  const text = JSON.stringify(await entries())
  expect(text).not.toContain(secret.slice(0, 9))
  expect(text).not.toContain(btoa(secret).slice(0, 12))
})

it("has an upload of several requests as one write, and one that was given up as cancelled", async () => {
  const { ask, outcomes } = serving(await memoryJournal())
  const begin = { method: "PUT", body: "12", headers: { "upload-complete": "?0" } }
  const headers = { "content-type": "application/partial-upload", "upload-offset": "2", "upload-complete": "?1" }
  const upload = (await ask("a")("/files/a", begin)).headers.get("location") ?? ""
  expect((await ask("a")(upload, { method: "PATCH", headers, body: "345" })).status).toBe(201)
  const other = (await ask("a")("/files/b", begin)).headers.get("location") ?? ""
  expect((await ask("a")(other, { method: "DELETE" })).status).toBe(204)
  expect(await outcomes()).toEqual([
    "ada",
    "write a (ada)",
    { bytes: 5, sha256: sha256("12345") },
    "ada",
    "write b (ada)",
    "IoError",
  ])
})

it("cannot be made to answer a request of another program in the same journal", async () => {
  const journal = await memoryJournal()
  const { ask, entries } = serving(journal)
  await (await ask("b")("/files/x", { headers: { "sluice-correlation-id": "victim/1" } })).text()
  const all = await entries()
  expect(all.map(({ branch, correlationId }) => [branch, correlationId])).toEqual(
    Array(3).fill(["file-access", "victim/1"]),
  )
})

it("does nothing that it could not record", async () => {
  const real = await memoryJournal()
  let isBroken = false
  const failing: JournalService = {
    ...real,
    append: (...drafts) => isBroken ? Effect.fail(full) : real.append(...drafts),
  }
  const { ask } = serving(failing)
  await (await ask("a")("/files/a", { method: "PUT", body: "before" })).text()
  isBroken = true
  expect((await ask("a")("/files/a", { method: "PUT", body: "after" })).status).toBe(500)
  expect((await ask("a")("/files/a", { method: "DELETE" })).status).toBe(500)
  expect((await ask("a")("/files/a")).status).toBe(500)
  isBroken = false
  expect(await (await ask("a")("/files/a")).text()).toBe("before")
})

it("is the given one, while commands stay in the server's own memory journal", async () => {
  const { ask, server } = serving(undefined)
  expect((await ask("a")("/files/a", { method: "PUT", body: "x" })).status).toBe(201)
  const entries = Journal.read({ after: 0 }).pipe(Effect.provide(server.sharedServices.layer))
  expect(await Effect.runPromise(entries)).toEqual([])
})
