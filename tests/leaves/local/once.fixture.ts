/** A script as people write it: one command for each of its arguments, by the way it says, and nothing after. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

const controller = new AbortController()
const ways: Readonly<Record<string, Effect.Effect<unknown, unknown, Shell>>> = {
  whole: Stream.runCollect(Shell.exec(ShellExec.shell("echo hello", { timeout: "1 hour", idleTimeout: "1 hour" }))),
  taken: Shell.exec(ShellExec.shell("echo hello; sleep 60", { timeout: "1 hour" })).pipe(
    Stream.take(1),
    Stream.runCollect,
  ),
  left: Stream.runCollect(Shell.exec(ShellExec.shell("sleep 60 & echo hello"))),
  input: Stream.runCollect(Shell.exec(ShellExec.shell("head -n 1", { input: "hello\n".repeat(100_000) }))),
  aborted: Shell.exec(ShellExec.shell("echo hello; sleep 60"), { signal: controller.signal }).pipe(
    Stream.tap(() => Effect.sync(() => controller.abort())),
    Stream.runCollect,
  ),
  late: Stream.runCollect(Shell.exec(ShellExec.shell("echo hello; sleep 60", { timeout: "300 millis" }))),
}

for (const name of process.argv.slice(2)) {
  const way = ways[name]
  if (way === undefined) throw new Error(`no way ${name}`)
  const exit = await Effect.runPromiseExit(Effect.provide(way, LocalShell.layer))
  console.log(`${name}: ${exit._tag} ${JSON.stringify(exit).includes("hello")}`)
}
