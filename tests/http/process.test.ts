import { afterAll, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { post, problemOf, token } from "./support.ts"

const routes = shellRoutes({
  layer: LocalShell.layerWith({ maxConcurrency: 2, maxQueued: 0 }),
  token,
  maxOutputBytes: 4000,
})

afterAll(() => routes.dispose())

const sh = (text: string, more: object = {}) => ({ command: "sh", arguments: ["-c", text], grace: 100, ...more })

const ndjson = { accept: "application/x-ndjson" }

it("answers a timeout of a single-result request with 408 and the output so far", async () => {
  const body = sh("echo so far; echo oops >&2; sleep 60", { timeout: 300, commandId: "late" })
  const problem = await problemOf(await routes.request("/exec", post(body)))
  expect([problem.status, problem.commandId]).toEqual([408, "late"])
  const fault = Schema.decodeUnknownSync(ShellFault)(problem.fault)
  expect(fault.reason).toEqual({ _tag: "Timeout", kind: "total", afterMillis: 300 })
  expect([fault.stdout, fault.stderr, fault.stdoutBytes]).toEqual(["so far\n", "oops\n", 7])
})

it("answers a timeout as the last event, when output had been sent, and as 408 when none had", async () => {
  const spoke = await routes.request("/exec", post(sh("echo so far; sleep 60", { timeout: 300 }), ndjson))
  const lines = (await spoke.text()).trim().split("\n")
  expect([spoke.status, lines.length]).toEqual([200, 2])
  expect(lines[1]).toContain('"reason":{"_tag":"Timeout","kind":"total","afterMillis":300}')
  const silent = await routes.request("/exec", post(sh("sleep 60", { idleTimeout: 100 }), ndjson))
  expect((await problemOf(silent)).status).toBe(408)
})

it("answers 429 at the concurrency limit, and runs the next command when one has ended", async () => {
  const held = await Promise.all([0, 1].map(() => routes.request("/exec", post(sh("echo on; exec sleep 60"), ndjson))))
  const refused = await routes.request("/exec", post(sh("true")))
  expect(refused.headers.get("retry-after")).toBe("1")
  expect((await problemOf(refused)).type).toBe("urn:sluice:fault:Throttled")
  await held[0]?.body?.cancel()
  expect((await routes.request("/exec", post(sh("true")))).status).toBe(200)
  await held[1]?.body?.cancel()
})

it("answers 404 for a missing program or directory, 403 for a file that may not be run", async () => {
  const statusOf = async (body: object) => (await problemOf(await routes.request("/exec", post(body)))).status
  expect(await statusOf({ command: "no-such-program" })).toBe(404)
  expect(await statusOf({ command: "true", workingDirectory: "/no/such/directory" })).toBe(404)
  expect(await statusOf({ command: "/etc/passwd" })).toBe(403)
  expect(await statusOf({ command: "" })).toBe(400)
  expect(await statusOf({ command: "true", arguments: ["a\0b"] })).toBe(400)
})

it("does not run a command whose secrets were lost on the way", async () => {
  const body = sh("echo $TOKEN", { environment: { TOKEN: { _tag: "Redacted", label: "token" } } })
  const problem = await problemOf(await routes.request("/exec", post(body)))
  expect([problem.status, problem.type]).toEqual([400, "urn:sluice:fault:InvalidRequest"])
})

it("keeps the start and the end of an output that is over the route's budget", async () => {
  const response = await routes.request("/exec", post(sh("echo start; seq 1 5000; echo end", { maxOutputBytes: 1e9 })))
  const { stdout, stdoutBytes, stdoutBytesOmitted } = await response.json()
  expect(stdout.startsWith("start\n") && stdout.endsWith("end\n")).toBe(true)
  expect(stdoutBytesOmitted).toBeGreaterThan(10_000)
  expect(stdoutBytes).toBe(23_903)
})

it("takes the command's input from the value", async () => {
  const body = { command: "cat", input: { _tag: "Bytes", base64: btoa("bytes\n") } }
  expect(await (await routes.request("/exec", post(body))).json()).toMatchObject({ stdout: "bytes\n" })
})
