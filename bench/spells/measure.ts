/** One measurement in a process of its own: `measure.ts ROW THROUGH COUNT` prints values as a line of JSON. */
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Agent } from "../../src/agent/mod.ts"
import { type Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import {
  DaemonFileSystem,
  Files,
  FileSystemDaemon,
  JournaledFileSystem,
  MemoryFileSystem,
} from "../../src/leaves/files/mod.ts"
import {
  DaemonSpellcasting,
  JournaledSpellcasting,
  readFile,
  Spell,
  Spellbook,
  Spellcasting,
  SpellcastingDaemon,
} from "../../src/spell/mod.ts"
import type { Values } from "../rows/Row.ts"

const [, , row = "", through = "", text = ""] = process.argv
const count = Number(text)
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))

const journal: Layer.Layer<Journal, unknown> = through.startsWith("sqlite")
  ? SqliteJournal.layer({ path: join(folder, "journal.db") })
  : MemoryJournal.layerWith({ maxEntries: Infinity, maxBytes: Infinity })

const book = Spellbook.make(readFile)
const casting = Spellcasting.layer(book)

/** The spells of a composition, and its files. */
const composition = (): Layer.Layer<Spellcasting | Files, unknown> => {
  const files = MemoryFileSystem.layer
  if (through === "files" || through === "book") {
    return Layer.provideMerge(casting, files)
  }
  if (through === "journaled" || through === "sqlite") {
    const journaledFiles = JournaledFileSystem.layer.pipe(Layer.provide(files))
    const spells = JournaledSpellcasting.layer.pipe(Layer.provide(casting))
    return spells.pipe(
      Layer.provideMerge(journaledFiles),
      Layer.provide(journal),
    )
  }
  const client = DaemonFileSystem.layer.pipe(
    Layer.merge(FileSystemDaemon.layer.pipe(Layer.provide(files))),
  )
  const spells = DaemonSpellcasting.layer.pipe(
    Layer.merge(SpellcastingDaemon.layer.pipe(Layer.provide(casting))),
  )
  return spells.pipe(Layer.provideMerge(client), Layer.provide(journal))
}

const hop = (): Promise<Values> => {
  const call: Effect.Effect<unknown, unknown, Files | Spellcasting> = through === "files"
    ? Files.readText("notes.txt")
    : Spellcasting.cast("read_file", { path: "notes.txt" })
  const program = Effect.gen(function* () {
    yield* Files.write("notes.txt", "a line of text\n".repeat(68))
    yield* Effect.repeat(call, { times: Math.ceil(count / 4) })
    const start = performance.now()
    yield* Effect.repeat(call, { times: count - 1 })
    return { micros: (performance.now() - start) * 1000 / count }
  })
  return Effect.runPromise(Effect.provide(program, composition()))
}

/** A model that calls a spell until it has answered `turns - 1` times. */
const scripted = (turns: number) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.suspend(() => {
      let answers = 0
      const next = (): ReadonlyArray<Response.StreamPartEncoded> => {
        answers += 1
        const params = { text: "what the model thinks of it. ".repeat(10) }
        const isLast = answers === turns
        return [
          ...(isLast
            ? [
              { type: "text-start" as const, id: "text" },
              { type: "text-delta" as const, id: "text", delta: "Done." },
              { type: "text-end" as const, id: "text" },
            ]
            : [{
              type: "tool-call" as const,
              id: `call_${answers}`,
              name: "note",
              params,
            }]),
          {
            type: "finish",
            reason: isLast ? "stop" : "tool-calls",
            usage: { inputTokens: {}, outputTokens: {} },
            response: undefined,
          },
        ]
      }
      return LanguageModel.make({
        generateText: () => Effect.die("the bench asks for streams"),
        streamText: () => Stream.suspend(() => Stream.fromIterable(next())),
      })
    }),
  )

const note = Spell.make({
  name: "note",
  description: "Writes nothing down.",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String,
  cast: ({ text }) => Effect.succeed(text.repeat(2)),
})

/** Bytes of the heap after garbage collection. */
const memoryInUse = (): number => {
  if ("Bun" in globalThis) {
    const bun: unknown = Reflect.get(globalThis, "Bun")
    if (typeof bun === "object" && bun !== null) {
      Reflect.apply(Reflect.get(bun, "gc"), bun, [true])
    }
  } else {
    setFlagsFromString("--expose-gc")
    runInNewContext("gc")()
  }
  return process.memoryUsage().heapUsed
}

const turn = async (): Promise<Values> => {
  const notes = Spellbook.make(note)
  const run = (turns: number) =>
    Effect.gen(function* () {
      const services = yield* through === "book" ? Agent.services(notes) : Agent.journaled(notes)
      const events = Agent.run(services, {
        task: "take notes",
        tools: ["note"],
        maxTurns: turns,
      })
      const end = Option.getOrThrow(yield* Stream.runLast(events))
      if (end._tag !== "AgentEnd" || end.because !== "done") {
        throw new Error(`the run ended as ${JSON.stringify(end)}`)
      }
    }).pipe(Effect.provide(scripted(turns)))
  const program = Effect.gen(function* () {
    for (let times = 0; times < 5; times++) yield* run(10)
    const before = memoryInUse()
    const start = performance.now()
    yield* run(count)
    const millis = (performance.now() - start) / count
    return { millis, kibibytes: (memoryInUse() - before) / 1024 / count }
  })
  return await Effect.runPromise(Effect.provide(program, journal))
}

try {
  writeSync(
    1,
    `${JSON.stringify(row === "hop" ? await hop() : await turn())}\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
