import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellExec } from "../../src/command/ShellExec.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { type ShellRoutes, shellRoutes } from "../../src/http/mod.ts"
import { encodeEvent } from "../../src/wire/mod.ts"
import * as Ndjson from "../../src/wire/ndjson.ts"
import * as Sse from "../../src/wire/sse.ts"
import { chunk, contextOf, output, post, problemOf, type Run } from "./support.ts"

const ndjson = { accept: "application/x-ndjson" }
const sse = { accept: "text/event-stream" }

const routesOf = (run: (exec: ShellExec) => Run): ShellRoutes =>
  shellRoutes({ unauthenticated: true, context: contextOf(run) })

const whole = ({ commandId }: ShellExec): Run =>
  Stream.make(chunk(commandId, 0), chunk(commandId, 1), chunk(commandId, 2), output(commandId))

const bytesOf = (response: Response) =>
  Stream.fromReadableStream({
    evaluate: () => response.body ?? new ReadableStream<Uint8Array>(),
    onError: (error) => ({ _tag: "ReadError" as const, error }),
  })

const readerOf = (response: Response) => {
  if (response.body === null) throw new Error("the response has no body")
  return response.body.getReader()
}

const textOf = (result: { readonly value?: Uint8Array | undefined }): string => new TextDecoder().decode(result.value)

/** Runs everything that is ready: what has not happened then waits for something else. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
}

it.effect("answers NDJSON that decodes to the events of the run", () =>
  Effect.gen(function* () {
    const response = yield* Effect.promise(async () =>
      await routesOf(whole).request("/exec", post({ command: "x", commandId: "c" }, ndjson))
    )
    expect(response.headers.get("content-type")).toBe("application/x-ndjson")
    expect(response.headers.get("cache-control")).toBe("no-store, no-transform")
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    expect(response.headers.get("sluice-wire-version")).toBe("1")
    expect(yield* Stream.runCollect(Ndjson.decode(bytesOf(response)))).toEqual([
      chunk("c", 0),
      chunk("c", 1),
      chunk("c", 2),
      output("c"),
    ])
  }))

it.effect("answers an event stream whose ids are the seqs, and one more for the end", () =>
  Effect.gen(function* () {
    const response = yield* Effect.promise(async () =>
      await routesOf(whole).request("/exec", post({ command: "x", commandId: "c" }, sse))
    )
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    const text = yield* Effect.promise(() => response.clone().text())
    expect(text.match(/^id: .*$/gm)).toEqual(["id: 0", "id: 1", "id: 2", "id: 3"])
    expect((yield* Stream.runCollect(Sse.decode(bytesOf(response)))).length).toBe(4)
  }))

it("answers with one result, without chunks, if the client accepts JSON", async () => {
  const response = await routesOf(whole).request("/exec", post({ command: "x", commandId: "c" }))
  expect(response.headers.get("content-type")).toBe("application/json")
  expect(response.headers.get("cache-control")).toBe("no-store")
  expect(await response.text()).toBe(encodeEvent(output("c")))
})

it("turns chunks into windows as the query or the body says, the query first", async () => {
  const routes = routesOf(whole)
  const windows = async (path: string, body: object): Promise<Array<string>> => {
    const text = await (await routes.request(path, post({ command: "x", ...body }, ndjson))).text()
    return text.trim().split("\n").map((line): string => JSON.parse(line)["content"] ?? JSON.parse(line)["_tag"])
  }
  const two = ["line 0\nline 1\n", "line 2\n", "ShellOutput"]
  expect(await windows("/exec?window=lines:2", {})).toEqual(two)
  expect(await windows("/exec", { window: "lines:2" })).toEqual(two)
  expect(await windows("/exec?window=final", { window: "lines:2" })).toEqual([
    "line 0\nline 1\nline 2\n",
    "ShellOutput",
  ])
  expect(await windows("/exec", {})).toEqual(["line 0\n", "line 1\n", "line 2\n", "ShellOutput"])
})

it("refuses windows that it does not understand, and windows of one result", async () => {
  const routes = routesOf(whole)
  for (
    const [path, body, headers] of [
      ["/exec?window=lines", {}, ndjson],
      ["/exec?window=", {}, ndjson],
      ["/exec", { window: "pages:3" }, sse],
      ["/exec?window=lines:2", {}, {}],
      ["/exec", { window: "lines:2" }, { accept: "*/*" }],
    ] as const
  ) {
    const problem = await problemOf(await routes.request(path, post({ command: "x", ...body }, headers)))
    expect([path, problem.status, problem.errors?.[0]?.pointer]).toEqual([path, 400, "#/window"])
  }
})

it("accepts clients that read its wire version among others, and refuses those one version above or below", async () => {
  const routes = routesOf(whole)
  for (const version of ["1", "1-2", "0-1", "0-9"]) {
    const response = await routes.request("/exec", post({ command: "x" }, { "sluice-wire-version": version }))
    expect([version, response.status, response.headers.get("sluice-wire-version")]).toEqual([version, 200, "1"])
    await response.text()
  }
  for (const version of ["2", "0", "2-3", "one"]) {
    const refused = await routes.request("/exec", post({ command: "x" }, { "sluice-wire-version": version }))
    expect(await problemOf(refused)).toMatchObject({
      type: "urn:sluice:request:wire-version",
      status: 400,
      detail: "this server supports sluice-wire-version: 1",
    })
  }
})

it("asks the run for its first event, then for no other before the client reads", async () => {
  let asked = 0
  let ended = false
  const routes = routesOf(({ commandId }) =>
    Stream.range(0, 9).pipe(
      Stream.rechunk(1),
      Stream.map((seq) => {
        asked++
        return chunk(commandId, seq)
      }),
      Stream.concat(Stream.make(output(commandId))),
      Stream.ensuring(Effect.sync(() => {
        ended = true
      })),
    )
  )
  const reader = readerOf(await routes.request("/exec", post({ command: "x" }, ndjson)))
  for (let read = 1; read <= 10; read++) {
    await settle()
    expect(asked).toBe(Math.max(1, read - 1))
    expect(textOf(await reader.read())).toContain(`"seq":${read - 1}}`)
  }
  await settle()
  expect([asked, ended]).toEqual([10, false])
  expect(textOf(await reader.read())).toContain("ShellOutput")
  expect((await reader.read()).done).toBe(true)
  expect(ended).toBe(true)
})

it("sends a fault that comes after the first event as the last one", async () => {
  const routes = routesOf(({ commandId }) =>
    Stream.concat(
      Stream.make(chunk(commandId, 0)),
      Stream.fail(ShellFault.because(commandId, { _tag: "Timeout", kind: "idle", afterMillis: 5 }, "exec: silent")),
    )
  )
  for (const form of [ndjson, sse]) {
    const response = await routes.request("/exec", post({ command: "x" }, form))
    expect(response.status).toBe(200)
    const [first = "", last = "", ...none] = (await response.text()).split("\n").filter((line) => line.includes("{"))
    expect(first).toContain('"_tag":"ShellOutputChunk"')
    expect(last).toContain('"reason":{"_tag":"Timeout","kind":"idle","afterMillis":5}')
    expect(none).toEqual([])
  }
})

it("sends an Unknown fault without details when a run breaks after its first event", async () => {
  const routes = routesOf(({ commandId }) =>
    Stream.concat(Stream.make(chunk(commandId, 0)), Stream.suspend(() => Stream.die(new Error("hunter2"))))
  )
  const text = await (await routes.request("/exec", post({ command: "x" }, ndjson))).text()
  expect(text.trim().split("\n").at(-1)).toContain('"reason":{"_tag":"Unknown"},"message":"exec: internal error"')
  expect(text).not.toContain("hunter2")
})

/** A run that never ends by itself, and whether it was ended. */
const endless = () => {
  const state = { started: 0, ended: 0 }
  const run = ({ commandId }: ShellExec): Run =>
    Stream.suspend(() => {
      state.started++
      return Stream.concat(Stream.make(chunk(commandId, 0)), Stream.never)
    }).pipe(Stream.ensuring(Effect.sync(() => state.ended++)))
  return { state, run }
}

it("ends the run when the client cancels the body, and says so when it has ended", async () => {
  for (const readFirst of [false, true]) {
    const { run, state } = endless()
    const response = await routesOf(run).request("/exec", post({ command: "x" }, ndjson))
    const reader = readerOf(response)
    if (readFirst) await reader.read()
    expect(state).toEqual({ started: 1, ended: 0 })
    await reader.cancel()
    expect(state).toEqual({ started: 1, ended: 1 })
  }
})

it("ends the run when the request is aborted, whether the client reads or not", async () => {
  for (const reading of [false, true]) {
    const abort = new AbortController()
    const { run, state } = endless()
    const { signal: _, ...init } = post({ command: "x" }, ndjson)
    const response = await routesOf(run).fetch(
      new Request("http://localhost/exec", { ...init, signal: abort.signal }),
    )
    const reader = readerOf(response)
    await reader.read()
    const pending = reading ? reader.read() : undefined
    await settle()
    expect(state.ended).toBe(0)
    abort.abort()
    await settle()
    expect(state.ended).toBe(1)
    expect(textOf(await (pending ?? reader.read()))).toContain('"reason":{"_tag":"Cancelled"}')
    expect((await reader.read()).done).toBe(true)
  }
})
