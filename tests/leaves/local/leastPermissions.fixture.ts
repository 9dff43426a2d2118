/**
 * Runs the commands it is given, each a `ShellExec` as JSON, under whatever permissions Deno was given, and prints what
 * the leaf can do and what became of them, as JSON. A command whose id begins with `abort` is cancelled at its first
 * output.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

const runOne = (exec: ShellExec) => {
  const controller = new AbortController()
  return Shell.exec(exec, { signal: controller.signal }).pipe(
    Stream.tap(() => Effect.sync(() => exec.commandId.startsWith("abort") && controller.abort())),
    Stream.runCollect,
    Effect.match({
      onFailure: ({ message, reason, stdout }) => ({ reason, message, stdout }),
      onSuccess: (events) => ({
        stdout: events.map((event) => event._tag === "ShellOutputChunk" ? event.content : "").join(""),
        ...events.map((event) =>
          event._tag === "ShellOutput" ? { exitCode: event.exitCode, executable: event.executable } : undefined
        ).at(-1),
      }),
    }),
  )
}

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ShellExec))
const program = Effect.gen(function* () {
  const { capabilities } = yield* Shell
  const { escapees, exactOrder, groupKill, limits, orphans, resolvesPath } = capabilities
  const results = yield* Effect.forEach(process.argv.slice(2), (json) => runOne(decode(json)))
  return { capabilities: { escapees, exactOrder, groupKill, limits, orphans, resolvesPath }, results }
})
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, LocalShell.layer))))
