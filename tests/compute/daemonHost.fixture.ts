/**
 * Runs commands by a journal in a SQLite file: a daemon, or a journaled shell that runs one command. It says "ready", and
 * ends on SIGTERM, after its layers.
 *
 * daemonHost.fixture.ts PATH daemon NAME LEASE_MILLIS MAX_OPEN
 * daemonHost.fixture.ts PATH journaled EXEC
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { ShellDaemon } from "../../src/compute/mod.ts"
import { JournaledShell } from "../../src/compute/journal.ts"

const [path = "", what = "", ...rest] = process.argv.slice(2)
const journal = SqliteJournal.layer({ path })
const ready = Effect.sync(() => console.log("ready"))

const daemon = (name: string, lease: number, maxOpen: number) =>
  Layer.launch(
    ShellDaemon.layerWith({ name, lease, maxOpen }).pipe(
      Layer.provide(LocalShell.layer),
      Layer.provide(journal),
      Layer.tap(() => ready),
    ),
  )

const journaled = (exec: ShellExec) =>
  Stream.runDrain(Stream.onStart(Shell.exec(exec), ready)).pipe(
    Effect.provide(JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provide(journal))),
  )

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ShellExec))
const program: Effect.Effect<unknown, unknown> = what === "daemon"
  ? daemon(rest[0] ?? "", Number(rest[1]), Number(rest[2]))
  : journaled(decode(rest[0]))
const fiber = Effect.runFork(program)
let told = false
process.on("SIGTERM", () => {
  told = true
  void Effect.runPromise(Fiber.interrupt(fiber))
})
fiber.addObserver((exit) => process.exit(exit._tag === "Success" || told ? 0 : 1))
