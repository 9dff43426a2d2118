/**
 * Runs commands whose output comes whole, by a journal, until it is killed. After each append that the journal has
 * acknowledged it says which entries these were: a line of position, SHA-256 of the body, tag and id for each.
 *
 * killedHost.fixture.ts sqlite | ndjson PATH NAME
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { writeSync } from "node:fs"
import process from "node:process"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { canonicalJson } from "../../src/base/canonicalJson.ts"
import { sha256 } from "../../src/base/sha256.ts"
import { JournaledShell } from "../../src/compute/journal.ts"
import { Journal } from "../../src/journal/Journal.ts"

const [store, path = "", name = ""] = process.argv.slice(2)

const stored = store === "sqlite"
  ? (await import("../../src/journal/sqlite.ts")).SqliteJournal.layer({ path })
  : (await import("../../src/journal/ndjson.ts")).NdjsonJournal.layer({ path })

const witnessed = Layer.effect(
  Journal,
  Effect.map(Journal, (journal) => ({
    ...journal,
    append: (drafts, options) =>
      Effect.tap(journal.append(drafts, options), (positions) =>
        Effect.sync(() => {
          const lines = drafts.map(({ body, correlationId }, index) =>
            `${positions[index]} ${sha256(canonicalJson(body))} ${body._tag} ${correlationId}\n`
          )
          writeSync(1, lines.join(""))
        })),
  })),
).pipe(Layer.provide(stored))

/** Lines of a JSON array on stdout and some on stderr, at once or with pauses. A `run` has not ended when the host is killed. */
const script = `echo '["start"'; i=0
while [ $i -lt $0 ]; do i=$((i + 1)); echo ",\\"line $i of $1\\""; [ $((i % 7)) = 0 ] && echo "err $i" >&2 && sleep $2
done; echo ']'`

const commandOf = (kind: string, n: number): ShellExec =>
  ShellExec.make("sh", [
    "-c",
    script,
    String(kind === "run" ? 20_000 : (n * 37) % 400),
    kind,
    n % 3 === 0 ? "0" : "0.01",
  ], {
    commandId: `${name}-${kind}-${n}`,
  })

const forever = (kind: string, one: (exec: ShellExec) => Effect.Effect<unknown, unknown, Shell>) =>
  Effect.gen(function* () {
    for (let n = 1;; n++) yield* one(commandOf(kind, n))
  })

const program = Effect.all([
  forever("run", Shell.run),
  forever("text", Shell.text),
  forever("json", (exec) => Shell.json(exec, Schema.Array(Schema.String))),
], { concurrency: "unbounded" })

const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provide(witnessed))
await Effect.runPromise(Effect.provide(program, layer))
