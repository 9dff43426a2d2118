/** An app of an edge isolate that runs commands elsewhere: what a request asks for, and what became of it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Shell, ShellExec } from "../../../../mod.ts"
import { RemoteShell } from "../../../../src/leaves/remote/mod.ts"

const Asked = Schema.Struct({
  url: Schema.String,
  token: Schema.String,
  script: Schema.String,
  take: Schema.optionalKey(Schema.Int),
})

const decode = Schema.decodeUnknownSync(Asked)

export default {
  fetch: async (request: Request): Promise<Response> => {
    if (request.method === "GET") return new Response("up")
    const { script, take, token, url } = decode(await request.json())
    const events = Shell.exec(ShellExec.make("sh", ["-c", script], { grace: "200 millis" }))
    const run = Stream.runCollect(take === undefined ? events : Stream.take(events, take)).pipe(
      Effect.provide(RemoteShell.layer({ url, token })),
      Effect.match({
        onFailure: (error) => ({
          fault: error._tag === "ShellFault" ? error.reason._tag : error._tag,
          message: error.message,
        }),
        onSuccess: (all) => ({
          text: all.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : []).join(""),
          last: all.at(-1)?._tag,
        }),
      }),
    )
    return Response.json({
      ...await Effect.runPromise(run),
      hosts: ["Deno", "Bun"].filter((name) => name in globalThis),
    })
  },
}
