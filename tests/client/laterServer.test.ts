/** Servers of a later or an earlier wire version than the client. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { RemoteClient } from "../../src/client/Client.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { encodeEvent } from "../../src/wire/mod.ts"
import { chunk, output } from "../http/support.ts"

const clientOf = (answer: () => Response): RemoteClient.RemoteClient =>
  Effect.runSync(RemoteClient.make({ url: "https://build.example/", fetch: () => Promise.resolve(answer()) }))

const exec = ShellExec.make("x", [], { commandId: "c" })
const info = { commandId: "c", position: 1, state: "running", requested: 1, attempts: 1, line: "x" }

const laterFault = {
  _tag: "ShellFault",
  commandId: "c",
  reason: { _tag: "SandboxDenied", rule: 7 },
  message: "exec: denied",
  stdout: "",
  stderr: "",
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
}
const unknown = { _tag: "Unknown", tag: "SandboxDenied" }

const lines = (...events: ReadonlyArray<string>) => (): Response =>
  new Response(events.map((event) => `${event}\n`).join(""))

it.effect("reads answers in its own version, and answers without a version", () =>
  Effect.gen(function* () {
    for (const headers of [{ "sluice-wire-version": "1" }, {}]) {
      expect(yield* clientOf(() => Response.json(info, { headers })).command("c")).toEqual(info)
    }
  }))

it.effect("refuses answers one version above or below", () =>
  Effect.gen(function* () {
    for (const version of ["2", "0"]) {
      const client = clientOf(() => Response.json(info, { headers: { "sluice-wire-version": version } }))
      const error = yield* Effect.flip(client.command("c"))
      expect(error).toMatchObject({ _tag: "RemoteError", reason: { _tag: "Malformed" } })
      expect(error.message).toContain(`sluice-wire-version ${version}, and this client reads 1`)
    }
  }))

it.effect("skips unknown events between the events of a command", () =>
  Effect.gen(function* () {
    const resized = `{"_tag":"ShellResized","commandId":"c","columns":80}`
    const events = [resized, encodeEvent(chunk("c", 0)), resized, encodeEvent(chunk("c", 1)), encodeEvent(output("c"))]
    expect(yield* Stream.runCollect(clientOf(lines(...events)).exec(exec)))
      .toEqual([chunk("c", 0), chunk("c", 1), output("c")])
  }))

it.effect("fails with the reason Unknown for a reason that it does not know, in a stream and in a problem", () =>
  Effect.gen(function* () {
    const streamed = yield* Effect.flip(Stream.runDrain(clientOf(lines(JSON.stringify(laterFault))).exec(exec)))
    expect(streamed).toMatchObject({ _tag: "ShellFault", message: "exec: denied", reason: unknown })
    const problem = {
      type: "urn:sluice:fault:SandboxDenied",
      title: "Sandbox denied",
      status: 451,
      detail: "exec: denied",
      fault: laterFault,
    }
    const refused = yield* Effect.flip(clientOf(() => Response.json(problem, { status: 451 })).run(exec))
    expect(refused).toMatchObject({ _tag: "ShellFault", message: "exec: denied", reason: unknown })
  }))

it.effect("ignores fields that it does not know", () =>
  Effect.gen(function* () {
    expect(yield* clientOf(() => Response.json({ ...info, gpu: "h200" })).command("c")).toEqual(info)
  }))
