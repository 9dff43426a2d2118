/**
 * Runs a family whose members write into a directory while they live, and ends as it is told:
 * `endings.fixture.ts DIRECTORY HOW [OPTIONS]`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { appendFileSync, existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

const Options = Schema.fromJsonString(Schema.Struct({
  cleanup: Schema.optionalKey(Schema.Boolean),
  dieWithParent: Schema.optionalKey(Schema.Boolean),
  grace: Schema.optionalKey(Schema.Finite),
}))

const [directory = "", how = "", options = "{}"] = process.argv.slice(2)
const family = fileURLToPath(new URL("../../fixtures/family.sh", import.meta.url))
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

const runs = Stream.runDrain(Shell.exec(ShellExec.make("sh", [family, directory, ...members])))
// Not awaited: Bun goes on after an error that nobody caught for as long as the module waits.
void Effect.runPromise(Effect.provide(runs, LocalShell.layerWith(Schema.decodeSync(Options)(options))))
