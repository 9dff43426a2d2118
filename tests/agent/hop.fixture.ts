/**
 * One hop of a tool call in a process of its own: a daemon on a journal in a SQLite file. It says "ready".
 *
 * hop.fixture.ts JOURNAL spellcasting | filesystem | compute ROOT
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LocalShell } from "../../mod.ts"
import { serveRequests } from "../../src/branch/serveRequests.ts"
import { DaemonShell, ShellDaemon } from "../../src/compute/Compute.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { DaemonFileSystem, FileSystemDaemon, LocalFileSystem } from "../../src/leaves/files/mod.ts"
import { editFile, readFile, runCommand, Spellbook, SpellcastingBranch, writeFile } from "../../src/spell/mod.ts"

const [path = "", hop = "", rootPath = ""] = process.argv.slice(2)

const spellcasting = Layer.effectDiscard(Effect.gen(function* () {
  const spells = yield* Spellbook.service(Spellbook.make(readFile, writeFile, editFile, runCommand))
  const daemon = yield* serveRequests(SpellcastingBranch, spells)
  yield* daemon.start
})).pipe(Layer.provide(Layer.merge(DaemonFileSystem.layer(), DaemonShell.layer)))

const filesystem = FileSystemDaemon.layer().pipe(Layer.provide(LocalFileSystem.layer({ rootPath })))
const compute = ShellDaemon.layer.pipe(Layer.provide(LocalShell.layer))

const daemon = Layer.unwrap(
  Effect.sync(() =>
    hop === "spellcasting"
      ? Layer.orDie(spellcasting)
      : hop === "filesystem"
      ? Layer.orDie(filesystem)
      : Layer.orDie(compute)
  ),
)
const ready = Effect.sync(() => console.log("ready"))

void Effect.runPromise(Layer.launch(daemon.pipe(Layer.tap(() => ready), Layer.provide(SqliteJournal.layer({ path })))))
