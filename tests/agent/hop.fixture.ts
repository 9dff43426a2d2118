/**
 * One hop of a tool call in a process of its own: a daemon on a journal. It says "ready". `all` are all hops in one process, as
 * NDJSON has one writer: it reads calls, a line each, and answers each with a line, as a program does that was killed and runs
 * again.
 *
 * hop.fixture.ts JOURNAL spellcasting | filesystem | compute | all ROOT
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createInterface } from "node:readline"
import { LocalShell } from "../../mod.ts"
import { AgentToolCall, ToolCallBranch, toolService } from "../../src/agent/mod.ts"
import { answerOnce } from "../../src/branch/answerOnce.ts"
import { serveRequests } from "../../src/branch/serveRequests.ts"
import { DaemonShell, ShellDaemon } from "../../src/compute/mod.ts"
import { DaemonFileSystem, FileSystemDaemon, LocalFileSystem } from "../../src/leaves/files/mod.ts"
import { editFile, readFile, runCommand, Spellbook, SpellcastingBranch, writeFile } from "../../src/spell/mod.ts"
import { hopJournal } from "./hopJournal.ts"

const [location = "", hop = "", rootPath = ""] = process.argv.slice(2)

const book = Spellbook.make(readFile, writeFile, editFile, runCommand)
const spellcasting = Layer.effectDiscard(Effect.gen(function* () {
  const daemon = yield* serveRequests(SpellcastingBranch, yield* Spellbook.service(book))
  yield* daemon.start
})).pipe(Layer.provide(Layer.merge(DaemonFileSystem.layer, DaemonShell.layer)))

// Fifteen seconds are too long for a test that waits until a lease has run out.
const lease = Number(process.env["HOP_LEASE"] ?? 15_000)
const filesystem = FileSystemDaemon.layerWith({ lease }).pipe(
  Layer.provide(LocalFileSystem.layer({ rootPath })),
)
const compute = ShellDaemon.layer.pipe(Layer.provide(LocalShell.layer))

const say = (line: string) => Effect.sync(() => console.log(line))
const decodeCall = Schema.decodeUnknownSync(Schema.fromJsonString(AgentToolCall))

/** Answers the calls of its input until that ends. */
const answerCalls = Effect.gen(function* () {
  const once = yield* answerOnce(SpellcastingBranch, yield* Spellbook.service(book), {
    canRerun: ({ name }) => book.spells.get(name)?.readOnly ?? true,
  })
  const tools = yield* answerOnce(ToolCallBranch, yield* toolService(once), { retriesFaults: true })
  yield* say("ready")
  const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), String)
  yield* Stream.runForEach(lines, (line) =>
    Effect.flatMap(
      Stream.runHead(tools.request(decodeCall(line))),
      (answer) => say(JSON.stringify(Option.getOrThrow(answer))),
    ))
}).pipe(Effect.provide(Layer.merge(DaemonFileSystem.layer, DaemonShell.layer)))

const hops = { spellcasting, filesystem, compute }
const isHop = (name: string): name is keyof typeof hops => name in hops

const program: Effect.Effect<unknown, unknown> = hop === "all"
  ? Effect.provide(
    answerCalls,
    Layer.merge(filesystem, compute).pipe(Layer.provideMerge(hopJournal(location))),
  )
  : isHop(hop)
  ? Layer.launch(Layer.orDie(hops[hop]).pipe(Layer.tap(() => say("ready")), Layer.provide(hopJournal(location))))
  : Effect.die(`no hop ${hop}`)

void Effect.runPromise(Effect.asVoid(program))
