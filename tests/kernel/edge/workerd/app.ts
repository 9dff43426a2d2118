/** A Hono app with a sandbox in an edge isolate: no process, no file, no compiler of WASM at run time. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Hono } from "hono"
import { Sandbox } from "@sluice/shell/sandbox"
import { answer } from "../answer.ts"
import { digestRun } from "../../sandbox/repeatable/repeat.ts"
// workerd compiles none at run time: modules come with the worker.
import produce from "./produce.wasm"
import relay from "./relay.wasm"
import tally from "./tally.wasm"

const programs = { produce, relay, tally }

const app = new Hono()

app.post("/run", async (context) => context.json(await answer(Sandbox.make({ programs }), await context.req.text())))

/** A script with a seed. */
app.post("/repeat", async (context) => context.text(await digestRun(await context.req.json())))

app.post("/limited", async (context) => {
  const timeout = "300 millis"
  return context.json(await answer(Sandbox.make({ programs }), await context.req.text(), { timeout }))
})

app.post("/killed", async (context) => {
  const onStart = (running: Sandbox.RunningScript) => void setTimeout(() => running.kill("SIGTERM"), 200)
  return context.json(await answer(Sandbox.make({ programs }), await context.req.text(), { onStart }))
})

/** Requests by a `fetch`: an isolate has no sockets of Node's that may be trusted with addresses. */
app.post("/network", async (context) => {
  const fetch = async (request: Request): Promise<Response> =>
    new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}\n`)
  const network = { origins: [{ origin: "https://one.test", paths: ["/a*"] }], fetch }
  return context.json(await answer(Sandbox.make({ network }), await context.req.text()))
})

app.post(
  "/isolated",
  async (context) =>
    context.json(await answer(Sandbox.make({ programs, isolate: "worker" }), await context.req.text())),
)

/** The output as it comes: a slow reader slows the programs down, and a disconnect ends them. Views are copied. */
app.post("/stream", async (context) => {
  const script = await context.req.text()
  const bytes = Stream.unwrap(Effect.map(Sandbox.make({ programs }), (sandbox) => sandbox.bytes(script))).pipe(
    Stream.scoped,
    Stream.filterMap((event) =>
      event._tag === "ScriptBytes" && event.stream === "stdout"
        ? Result.succeed(event.bytes.slice())
        : Result.fail(event)
    ),
  )
  return new Response(Stream.toReadableStream(bytes))
})

export default app
