import { expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { FaultReason } from "../../src/command/FaultReason.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { reasons } from "../wire/golden/v1/values.ts"
import { chunk, contextOf, post, problemOf } from "./support.ts"

const statuses: Record<FaultReason["_tag"], number> = {
  NotFound: 404,
  PermissionDenied: 403,
  NotAllowed: 403,
  InvalidRequest: 400,
  Timeout: 408,
  Cancelled: 499,
  Throttled: 429,
  ResourceExhausted: 503,
  HostLost: 502,
  JournalFailed: 500,
  Unknown: 500,
}

const failing = (reason: FaultReason) =>
  shellRoutes({
    unauthenticated: true,
    retryAfter: "2500 millis",
    context: contextOf((exec) =>
      Stream.fail(ShellFault.because(exec.commandId, reason, `exec: it was ${reason._tag}`, {
        stdout: "so far\n",
        stdoutBytes: 7,
      }))
    ),
  })

const forms = ["application/json", "application/x-ndjson", "text/event-stream"]

it.each(reasons)("answers $_tag before the first event as a problem, in every form", async (reason) => {
  for (const accept of forms) {
    const response = await failing(reason).request("/exec", post({ command: "x", commandId: "c-1" }, { accept }))
    const { fault, ...problem } = await problemOf(response)
    expect(problem).toEqual({
      type: `urn:sluice:fault:${reason._tag}`,
      title: expect.stringMatching(/^[A-Z]/),
      status: statuses[reason._tag],
      detail: `exec: it was ${reason._tag}`,
      commandId: "c-1",
    })
    const decoded = Schema.decodeUnknownSync(ShellFault)(fault)
    expect(decoded.reason).toEqual(reason)
    expect([decoded.stdout, decoded.stdoutBytes]).toEqual(["so far\n", 7])
    const passing = reason._tag === "Throttled" || reason._tag === "ResourceExhausted"
    expect(response.headers.get("retry-after")).toBe(passing ? "3" : null)
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
  }
})

it("answers a defect with 500, with details in the log and none for the client", async () => {
  const logged: Array<string> = []
  const logger = Logger.make(({ cause, message }) => {
    logged.push(`${String(message)} ${Cause.pretty(cause)}`)
  })
  const context = contextOf(() => Stream.die(new Error("hunter2"))).pipe(
    Context.add(Logger.CurrentLoggers, new Set([logger])),
  )
  const broken = shellRoutes({ unauthenticated: true, context })
  for (const accept of forms) {
    const problem = await problemOf(await broken.request("/exec", post({ command: "x" }, { accept })))
    expect(problem).toMatchObject({ status: 500, detail: "exec: internal error" })
    expect(JSON.stringify(problem)).not.toContain("hunter2")
  }
  expect(logged.filter((line) => line.includes("a run broke") && line.includes("hunter2")).length).toBe(forms.length)
})

it("answers a run without any event with 500", async () => {
  for (const accept of forms) {
    const empty = shellRoutes({ unauthenticated: true, context: contextOf(() => Stream.empty) })
    const problem = await problemOf(await empty.request("/exec", post({ command: "x" }, { accept })))
    expect([problem.status, problem.detail]).toEqual([500, "exec: internal error"])
  }
})

it("answers one result with the problem of a fault that came after chunks, too", async () => {
  const routes = shellRoutes({
    unauthenticated: true,
    context: contextOf((exec) =>
      Stream.concat(
        Stream.make(chunk(exec.commandId, 0)),
        Stream.fail(
          ShellFault.because(exec.commandId, { _tag: "Timeout", kind: "total", afterMillis: 5 }, "exec: late"),
        ),
      )
    ),
  })
  expect((await problemOf(await routes.request("/exec", post({ command: "x" })))).status).toBe(408)
})

it("answers 499 to a request that is aborted before the first event", async () => {
  for (const accept of forms) {
    const abort = new AbortController()
    let ended = 0
    const routes = shellRoutes({
      unauthenticated: true,
      context: contextOf(() =>
        Stream.unwrap(Effect.sync(() => {
          queueMicrotask(() => abort.abort())
          return Stream.never
        })).pipe(Stream.ensuring(Effect.sync(() => ended++)))
      ),
    })
    const { signal, ...init } = post({ command: "x" }, { accept }, abort.signal)
    const response = await routes.fetch(new Request("http://localhost/exec", { ...init, signal: signal ?? null }))
    expect([response.status, ended]).toEqual([499, 1])
  }
})
