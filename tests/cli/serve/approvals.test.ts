import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SqliteJournal } from "../../../src/journal/sqlite.ts"
import { MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { ApprovalPolicy, Approver, Spellbook, writeFile } from "../../../src/spell/mod.ts"
import { eventually, pause } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { startSluice } from "../support.ts"

const book = Spellbook.make(writeFile)

it.live("asks the questions of another process on the same journal", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const journal = path("runs.db")
    const flags = ["--port", "0", "--token", "t0ken", "--journal", journal, "--approvals"]
    const server = yield* startSluice(["serve", ...flags])
    yield* eventually("it says where it listens", () => server.stdout().endsWith("/approvals\n"))
    const url = `${server.stdout().split("\n")[0]}/`
    const request = (at: string, init: RequestInit = {}) =>
      Effect.promise(() =>
        fetch(`${url}${at}`, {
          ...init,
          headers: { authorization: "Bearer t0ken", "content-type": "application/json" },
        })
      )
    const page = yield* Effect.promise(async () => (await fetch(url)).text())
    expect(page).toContain('<meta name="sluice-approvals" content="yes">')

    const asking = Effect.gen(function* () {
      const spells = yield* ApprovalPolicy.guardService(ApprovalPolicy.ask, book)(yield* Spellbook.service(book))
      return yield* Effect.flip(Spellbook.castWith(spells, "write_file", { path: "a", content: "x" }))
    }).pipe(
      Effect.provide(Approver.layerDaemon),
      Effect.provide(Layer.merge(SqliteJournal.layer({ path: journal }), MemoryFileSystem.layer)),
    )
    const fiber = yield* Effect.forkChild(asking)
    let id: string | undefined
    while (id === undefined) {
      yield* pause(20)
      const response = yield* request("approvals")
      expect(response.status).toBe(200)
      const { approvals } = yield* Effect.promise(() => response.json())
      id = approvals[0]?.correlationId
    }
    const body = JSON.stringify({ decision: "deny", reason: "ask me tomorrow" })
    const answered = yield* request(`approvals/${encodeURIComponent(id)}`, { method: "POST", body })
    expect(answered.status).toBe(204)
    expect((yield* Fiber.join(fiber)).message).toContain("ask me tomorrow")
    server.signal("SIGTERM")
    expect(yield* server.status).toBe(0)
    expect(server.stderr()).toBe(`sluice: page ${url}\n`)
  }))
