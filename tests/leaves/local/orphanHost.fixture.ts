/** Runs the commands of its arguments (JSON), all at once, until it is killed: it never ends one itself. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ShellExec))
const execs = process.argv.slice(2).map((json) => decode(json))
const all = Effect.forEach(execs, (exec) => Stream.runDrain(Shell.exec(exec)), { concurrency: "unbounded" })
await Effect.runPromise(Effect.provide(all, LocalShell.layer))
