/** Runs a command of its arguments (JSON: options of a connection, with the path of the key, and a script), until it is killed. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { Shell, ShellExec } from "../../../../mod.ts"
import { SshShell } from "../../../../src/leaves/ssh/mod.ts"

const [port = "", user = "", hostKey = "", key = "", script = ""] = process.argv.slice(2)
const shell = SshShell.layer({
  host: "127.0.0.1",
  port: Number(port),
  user,
  hostKey,
  auth: { privateKey: Redacted.make(readFileSync(key, "utf8")) },
  grace: "200 millis",
})
await Effect.runPromise(Effect.provide(Stream.runDrain(Shell.exec(ShellExec.shell(script))), shell))
