import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { shellRoutes } from "../../src/http/mod.ts"
import { encodeEvent } from "../../src/wire/mod.ts"
import * as Frames from "../../src/wire/frames.ts"
import { all, sh, start } from "./journaled.ts"
import { chunk, contextOf, output, post, problemOf } from "./support.ts"

const contents = ["one\ntwo\n", "é 😀 \u2028\n", "half \ud83d", ""]

const routes = shellRoutes({
  unauthenticated: true,
  context: contextOf(({ commandId }) =>
    Stream.fromArray([...contents.map((content, seq) => chunk(commandId, seq, content)), output(commandId)])
  ),
})

const framed = async (path: string, init: RequestInit) => {
  const response = await routes.request(path, init)
  expect([response.status, response.headers.get("content-type")]).toEqual([200, Frames.mediaType])
  const bytes = new Uint8Array(await response.arrayBuffer())
  return await Effect.runPromise(Stream.runCollect(Frames.decode(Stream.make(bytes))))
}

it("answers a run, and its later readers, in frames with the same events as its lines of JSON", async () => {
  const ran = await framed("/exec", post({ command: "x", commandId: "c" }, { accept: Frames.mediaType }))
  const lines = await (await routes.request("/commands/c/events", { headers: { accept: "application/x-ndjson" } }))
    .text()
  expect(ran.map(encodeEvent)).toEqual(lines.trim().split("\n"))
  expect(ran.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : [])).toEqual(contents)
  const headers = { accept: `${Frames.mediaType}, application/x-ndjson;q=0.5` }
  expect(await framed("/commands/c/events", { headers })).toEqual(ran)
  expect(await framed("/commands/c/events?after=1", { headers })).toEqual(ran.slice(2))
  const windows = await framed("/exec?window=lines:1", post({ command: "x" }, { accept: Frames.mediaType }))
  expect(windows.map(({ _tag }) => _tag)).toContain("Window")
})

it("has no frames for the starts and ends of commands, which are not output", async () => {
  const response = await routes.request("/commands/events", { headers: { accept: Frames.mediaType } })
  expect((await problemOf(response)).status).toBe(406)
})

it("sends empty frames to a waiting client", async () => {
  const server = await start({ keepAlive: "20 millis" })
  const response = await server.ask("/exec", {
    method: "POST",
    headers: { "content-type": "application/json", accept: Frames.mediaType },
    body: JSON.stringify({ command: "sleep", arguments: ["30"], disconnectGraceMillis: 100 }),
  })
  expect([response.status, response.headers.get("content-type")]).toEqual([200, Frames.mediaType])
  const reader = response.body?.getReader()
  const seen: Array<number> = []
  while (seen.length < 3 * Frames.keepAlive.length) seen.push(...(await reader?.read())?.value ?? [])
  expect(new Set(seen)).toEqual(new Set([0]))
  await reader?.cancel()
})

it("gives a client of frames exactly the bytes that the command wrote", async () => {
  const { client } = await start()
  const events = await all(client.exec(sh("printf 'a\\n\\303\\251\\n\\377\\n'; seq 1 20000")))
  const text = events.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : []).join("")
  expect(text).toBe(`a\né\n\ufffd\n${Array.from({ length: 20_000 }, (_, n) => `${n + 1}\n`).join("")}`)
})
