/**
 * Runs a family whose members write into a directory while they live, and ends as it is told:
 * `endings.fixture.ts FAMILY DIRECTORY HOW [OPTIONS]`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { appendFileSync, existsSync } from "node:fs"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

const Options = Schema.fromJsonString(Schema.Struct({
  cleanup: Schema.optionalKey(Schema.Boolean),
  dieWithParent: Schema.optionalKey(Schema.Boolean),
  grace: Schema.optionalKey(Schema.Finite),
  /** That of the family, and then of one more command that needs a second of it. */
  graces: Schema.optionalKey(Schema.Tuple([Schema.Finite, Schema.Finite])),
}))

const [family = "", directory = "", how = "", options = "{}"] = process.argv.slice(2)
const members = ["child", "grandchild", "stubborn", "escapee", "orphan", "bare"]

// A program with a listener of its own decides for itself whether it ends.
if (how === "listener") {
  process.on("SIGTERM", () => {
    appendFileSync(`${directory}/heard`, "x")
    setTimeout(() => process.exit(7), 300)
  })
}

const ends: Readonly<Record<string, () => void>> = {
  "process.exit": () => process.exit(3),
  "throw": () => {
    throw new Error("nobody catches this")
  },
  "reject": () => void Promise.reject(new Error("nobody catches this")),
}

const watch = setInterval(() => {
  if (!existsSync(`${directory}/go`)) return
  clearInterval(watch)
  ends[how]?.()
}, 10)

const { graces, ...settings } = Schema.decodeSync(Options)(options)
// dash reports the end of its sleep to stderr, whose reader is gone.
const slow =
  'exec >/dev/null 2>&1; trap "sleep 1; echo x >> heard; exit" TERM; echo ready > slow; while :; do sleep 0.1; done'
const execs = [
  ShellExec.make("sh", [family, directory, ...members], graces === undefined ? {} : { grace: graces[0] }),
  ...graces === undefined ? [] : [ShellExec.shell(slow, { cwd: directory, grace: graces[1] })],
]
const runs = Effect.forEach(execs, (exec) => Stream.runDrain(Shell.exec(exec)), { concurrency: 2 })
// Not awaited: Bun continues after an uncaught error for as long as the module waits.
void Effect.runPromise(Effect.provide(runs, LocalShell.layerWith(settings)))
