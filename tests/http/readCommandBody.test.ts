import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Stream from "effect/Stream"
import { Hono } from "hono"
import type { ShellExec } from "../../src/command/ShellExec.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { contextOf, output, post, problemOf } from "./support.ts"

const ran: Array<ShellExec> = []
const context = contextOf((exec) => {
  ran.push(exec)
  return Stream.make(output(exec.commandId))
})
const routes = shellRoutes({ context, unauthenticated: true, maxBodyBytes: 1000 })

/** The command that a body was understood as. */
const understood = async (body: unknown, headers?: Record<string, string>): Promise<ShellExec> => {
  ran.length = 0
  const response = await routes.request("/exec", post(body, headers))
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("ShellOutput")])
  const [exec] = ran
  if (exec === undefined) throw new Error("nothing ran")
  return exec
}

it("fills in missing fields of a command", async () => {
  const exec = await understood({ command: "ls" }, { accept: "application/x-ndjson" })
  expect(exec).toMatchObject({ command: "ls", arguments: [], streamOutput: true, useShell: false })
  expect(exec.commandId).toMatch(/^[0-9a-f-]{36}$/)
  expect("maxOutputBytes" in exec).toBe(false)
})

it("takes every field of a command, with and without its tag", async () => {
  const fields = {
    commandId: "mine",
    command: "cat",
    arguments: ["-n", "é \u0000"],
    workingDirectory: "/srv",
    environment: { A: "1", B: null },
    inheritEnvironment: false,
    timeout: 1500,
    idleTimeout: 100,
    grace: 0,
    streamOutput: false,
    useShell: false,
    mergeStreams: true,
    localBin: true,
    encoding: "latin1",
    input: { _tag: "Bytes", base64: "AP8=" },
    maxOutputBytes: 10,
    limits: { cpuSeconds: 1 },
    onHostLoss: "rerun",
  }
  // Another id: a command runs once.
  for (const body of [fields, { _tag: "ShellExec", ...fields, commandId: "mine-too" }]) {
    const exec = await understood(body)
    const { grace, idleTimeout, input, timeout, ...rest } = exec
    const { grace: _g, idleTimeout: _i, input: _n, timeout: _t, ...expected } = fields
    expect(rest).toEqual({ _tag: "ShellExec", ...expected, commandId: body.commandId })
    expect([timeout, idleTimeout, grace].map((d) => d && Duration.toMillis(d))).toEqual([1500, 100, 0])
    expect(input).toEqual(Uint8Array.of(0, 255))
  }
})

it("asks for the whole output at once when the answer is one result", async () => {
  expect((await understood({ command: "ls", streamOutput: true })).streamOutput).toBe(false)
  const streamed = await understood({ command: "ls", streamOutput: false }, { accept: "text/event-stream" })
  expect(streamed.streamOutput).toBe(false)
})

it("keeps a command within the route's output budget", async () => {
  expect((await understood({ command: "ls", maxOutputBytes: 1e12 })).maxOutputBytes).toBe(64 * 1024 * 1024)
  const tight = shellRoutes({ context, unauthenticated: true, maxOutputBytes: 100 })
  for (const [asked, given] of [[undefined, 100], [1000, 100], [5, 5]]) {
    ran.length = 0
    await tight.request("/exec", post({ command: "ls", maxOutputBytes: asked }))
    expect(ran.map((exec) => exec.maxOutputBytes)).toEqual([given])
  }
})

const refusals: ReadonlyArray<readonly [body: string, pointers: ReadonlyArray<string> | undefined, detail: RegExp]> = [
  ["", undefined, /not JSON/],
  ["{", undefined, /not JSON/],
  ["[]", undefined, /JSON object/],
  ["null", undefined, /JSON object/],
  ['"ls"', undefined, /JSON object/],
  ["{}", ["#/command"], /#\/command: Missing key/],
  ['{"command":1}', ["#/command"], /Expected string/],
  ['{"command":"a","arguments":"b"}', ["#/arguments"], /Expected array/],
  ['{"command":"a","arguments":["x",7]}', ["#/arguments/1"], /Expected string/],
  ['{"command":"a","environment":{"A/B~C":1}}', ["#/environment/A~1B~0C"], /Expected string/],
  ['{"command":"a","timeout":"5s"}', ["#/timeout"], /Expected number/],
  ['{"command":"a","timout":5}', ["#/timout"], /no excess property/],
  ['{"command":"a","limits":{"cores":1}}', ["#/limits/cores"], /no excess property/],
  ['{"command":"a","limits":{"cpuSeconds":0}}', ["#/limits/cpuSeconds"], /greater than 0/],
  ['{"command":"a","commandId":"two words"}', ["#/commandId"], /printable ASCII/],
  ['{"command":"a","input":{"_tag":"Bytes","base64":"?"}}', ["#/input/base64"], /Base64/],
  ['{"_tag":"ShellFault","command":"a"}', ["#/_tag"], /"ShellExec"/],
  ['{"command":1,"arguments":2}', ["#/command", "#/arguments"], /#\/command: .*; #\/arguments: /],
  ['{"command":"a","window":5}', ["#/window"], /window/],
  [`{"command":"a","${"x".repeat(300)}":1}`, [`#/${"x".repeat(100)}`], /no excess property/],
  ['{"command":"a","\\ud800":1}', ["#/%EF%BF%BD"], /no excess property/],
]

it.each(refusals)("answers 400 to %s", async (body, pointers, detail) => {
  ran.length = 0
  const response = await routes.request("/exec", post(body))
  const problem = await problemOf(response)
  expect(problem).toMatchObject({ status: 400, type: "urn:sluice:request:invalid" })
  expect(problem.errors?.map((error) => error.pointer)).toEqual(pointers)
  expect(problem.detail).toMatch(detail)
  expect(ran).toEqual([])
})

it("quotes no value of a body that it refuses", async () => {
  for (
    const body of [
      { command: "a", environment: { TOKEN: ["hunter2"] } },
      { command: { hunter2: "hunter2" } },
      { command: "a", arguments: [{ _tag: "Redacted", label: 5, value: "hunter2" }] },
      '{"command":"a","input":"hunter2',
    ]
  ) {
    const problem = await problemOf(await routes.request("/exec", post(body)))
    expect(JSON.stringify(problem).replaceAll(/"pointer":"[^"]*"/g, "")).not.toContain("hunter2")
  }
})

it("answers 400 to a body that is not UTF-8", async () => {
  const body = new Uint8Array([...new TextEncoder().encode('{"command":"'), 0xff, 0x22, 0x7d])
  const response = await routes.request("/exec", { ...post(""), body })
  expect((await problemOf(response)).detail).toMatch(/UTF-8/)
})

it("answers 413 to a body that is too long, whether it says so or not, and reads no more of it", async () => {
  const fill = (length: number) => `{"command":"${"a".repeat(length - 14)}"}`
  expect((await routes.request("/exec", post(fill(1000)))).status).toBe(200)
  expect((await problemOf(await routes.request("/exec", post(fill(1001))))).type).toBe("urn:sluice:request:too-large")
  const declared = await routes.request("/exec", post(fill(100), { "content-length": "1001" }))
  expect(declared.status).toBe(413)

  let pulled = 0
  let cancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled++
      controller.enqueue(new Uint8Array(300).fill(0x20))
    },
    cancel: () => {
      cancelled = true
    },
  }, { highWaterMark: 0 })
  const request = new Request("http://localhost/exec", { ...post(""), body: endless, ...{ duplex: "half" } })
  expect((await problemOf(await routes.fetch(request))).status).toBe(413)
  expect(pulled).toBeLessThan(8)
  expect(cancelled).toBe(true)
})

it("answers 415 to a body that is not JSON in UTF-8, plainly encoded", async () => {
  for (
    const headers of [
      { "content-type": "text/plain" },
      { "content-type": "application/x-www-form-urlencoded" },
      { "content-type": "application/json-patch+json" },
      { "content-type": "" },
      { "content-type": "application/json; charset=latin1" },
      { "content-encoding": "gzip" },
    ]
  ) {
    const response = await routes.request("/exec", post({ command: "ls" }, headers))
    expect([headers, (await problemOf(response)).type]).toEqual([headers, "urn:sluice:request:unsupported-media-type"])
    expect(response.status).toBe(415)
  }
  for (
    const headers of [
      { "content-type": "application/json; charset=utf-8" },
      { "content-type": 'Application/JSON;charset="UTF-8"' },
      { "content-encoding": "identity" },
    ]
  ) expect((await routes.request("/exec", post({ command: "ls" }, headers))).status).toBe(200)
})

it("reads a body that a middleware has read before", async () => {
  const app = new Hono()
  app.use(async (c, next) => {
    await c.req.json()
    await next()
  })
  app.route("/", routes)
  expect((await app.request("/exec", post({ command: "ls" }))).status).toBe(200)
  expect((await app.request("/exec", post({ command: "a".repeat(2000) }))).status).toBe(413)
})
