/** A replay whose journal cannot be read is refused as on every other route, and its connection gets its idle timeout back. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { expect, it, onTestFinished } from "vitest"
import { shellRoutes } from "../../src/http/mod.ts"
import { Journal, type JournalService, MemoryJournal } from "../../src/journal/Journal.ts"
import { unavailable } from "../branch/flakyJournal.ts"
import { chunk, contextOf, output, post, problemOf } from "./support.ts"
import { runtime } from "./serve.ts"

/** Reads fail from the moment that a test says how. */
const journalThat = (state: { readonly fails: () => Effect.Effect<never, typeof unavailable> | undefined }) =>
  Layer.effect(
    Journal,
    Effect.map(MemoryJournal.make(), (journal): JournalService => ({
      ...journal,
      read: (options) => Effect.suspend(() => state.fails() ?? journal.read(options)),
      readBackward: (options) => Effect.suspend(() => state.fails() ?? journal.readBackward(options)),
    })),
  )

const timeouts: Array<number> = []
const server = { timeout: (_request: Request, seconds: number) => void timeouts.push(seconds) }

it.each([
  ["fails", () => Effect.fail(unavailable), 503, "urn:sluice:request:journal"],
  ["breaks", () => Effect.die(new Error("broken")), 500, "urn:sluice:request:internal"],
])("answers a replay whose journal %s", async (_, failure, status, type) => {
  let fails = (): Effect.Effect<never, typeof unavailable> | undefined => undefined
  const routes = shellRoutes({
    unauthenticated: true,
    journal: journalThat({ fails: () => fails() }),
    context: contextOf((exec) => Stream.succeed(output(exec.commandId))),
  })
  onTestFinished(() => routes.dispose())
  const ask = async (): Promise<Response> =>
    await routes.request("/exec", post({ command: "x", commandId: "same" }), { server })
  expect((await ask()).status).toBe(200)
  fails = failure
  timeouts.length = 0
  const refused = await ask()
  expect(await problemOf(refused)).toMatchObject({ status, type })
  expect(refused.headers.get("retry-after")).toBe(status === 503 ? "1" : null)
  expect(timeouts).toEqual(runtime === "bun" ? [0, 10] : [])
})

it("keeps the connection of a replay open while the command is silent", async () => {
  const end = Promise.withResolvers<void>()
  const routes = shellRoutes({
    unauthenticated: true,
    context: contextOf((exec) =>
      Stream.concat(
        Stream.succeed(chunk(exec.commandId, 0)),
        Stream.fromEffect(Effect.as(Effect.promise(() => end.promise), output(exec.commandId))),
      )
    ),
  })
  onTestFinished(() => routes.dispose())
  const ask = async (): Promise<Response> =>
    await routes.request(
      "/exec",
      post({ command: "x", commandId: "same" }, { accept: "application/x-ndjson" }),
      { server },
    )
  const first = await ask()
  timeouts.length = 0
  const replay = await ask()
  expect(replay.headers.get("sluice-replayed")).toBe("true")
  expect(timeouts).toEqual(runtime === "bun" ? [0] : [])
  end.resolve()
  const texts = await Promise.all([first.text(), replay.text()])
  expect(texts[0]).toBe(texts[1])
  expect(timeouts).toEqual(runtime === "bun" ? [0, 10, 10] : [])
})
