/** A Hono app with a sandbox in an edge isolate: no process, no file, no compiler of WASM at run time. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Hono } from "hono"
import { Sandbox } from "@sluice/shell/kernel"
// workerd compiles none at run time: modules come with the worker.
import produce from "./produce.wasm"
import relay from "./relay.wasm"
import tally from "./tally.wasm"

const programs = { produce, relay, tally }

const app = new Hono()

app.post("/run", async (context) => {
  const script = await context.req.text()
  const ran = Effect.scoped(Effect.flatMap(Sandbox.make({ programs }), (sandbox) => sandbox.run(script)))
  const { exitCode, stderr, stdout } = await Effect.runPromise(ran)
  return context.json({ exitCode, stdout, stderr })
})

/** The output as it comes: whoever reads slowly slows the programs down, and who goes away ends them. Views are copied. */
app.post("/stream", async (context) => {
  const script = await context.req.text()
  const bytes = Stream.unwrap(Effect.map(Sandbox.make({ programs }), (sandbox) => sandbox.bytes(script))).pipe(
    Stream.scoped,
    Stream.filterMap((event) =>
      event._tag === "RunBytes" && event.stream === "stdout" ? Result.succeed(event.bytes.slice()) : Result.fail(event)
    ),
  )
  return new Response(Stream.toReadableStream(bytes))
})

export default app
