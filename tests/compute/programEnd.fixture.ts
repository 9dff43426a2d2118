/** Records a command with an unfinished line, and ends without ending the run: `programEnd.fixture.ts PATH HOW`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import process from "node:process"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { JournaledShell, Redactor } from "../../src/compute/journal.ts"
import { NdjsonJournal } from "../../src/journal/ndjson.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"

const [path = "", how = ""] = process.argv.slice(2)
const redactor = Redactor.patterns([{ pattern: /hunter\d/ }])
const layer = JournaledShell.layerWith({ redactor }).pipe(
  Layer.provide(LocalShell.layer),
  Layer.provide(path.endsWith(".db") ? SqliteJournal.layer({ path }) : NdjsonJournal.layer({ path })),
)
const run = Shell.exec(ShellExec.shell("echo first; printf 'the last hunter2 line'; exec sleep 60")).pipe(
  Stream.runForEach((event) =>
    Effect.sync(() => {
      if (event._tag !== "ShellOutputChunk" || !event.content.includes("line")) return
      if (how === "exit") process.exit(3)
      else process.kill(process.pid, how)
    })
  ),
)
await Effect.runPromise(Effect.provide(run, layer))
