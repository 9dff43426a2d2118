/**
 * Uses one file while other processes do, and prints how often each outcome came: manyWriters.ts ROOT WHAT ID UNTIL. What
 * happens once happens at the time UNTIL; what happens in a loop ends there.
 */
import * as Effect from "effect/Effect"
import { type FileFault, Files, LocalFileSystem } from "../../../src/leaves/files/mod.ts"

const [, , rootPath = "", what = "", id = "", until = ""] = process.argv
const size = 100_000

const whole = (text: string) => text === id.repeat(size) || (text.length === size && text === text[0]?.repeat(size))

const once: Readonly<Record<string, Effect.Effect<unknown, FileFault, Files>>> = {
  create: Files.write("new", id, { createMode: "CreateNew" }),
  appendNew: Files.write("log", `${id}\n`, { createMode: "CreateOrAppend" }),
}
const loops: Readonly<Record<string, Effect.Effect<unknown, FileFault, Files>>> = {
  replace: Files.write("f", id.repeat(size)),
  replaceExisting: Files.write("f", id.repeat(size), { createMode: "ReplaceExisting" }),
  append: Files.write("f", "", { createMode: "AppendExisting" }),
  read: Effect.map(Files.readText("f"), (text) => whole(text) ? "" : "torn"),
  stat: Effect.map(Files.stat("f"), (stat) => stat.size === size ? "" : "torn"),
}

const counts: Record<string, number> = {}
const count = (outcome: string) => (counts[outcome] = (counts[outcome] ?? 0) + 1)
const attempt = (effect: Effect.Effect<unknown, FileFault, Files>) =>
  Effect.match(effect, {
    onFailure: ({ faultKind, message }) => count(faultKind === "AlreadyExists" ? faultKind : message),
    onSuccess: (value) => count(value === "torn" ? "torn" : "done"),
  })

const program = Effect.gen(function* () {
  const end = Number(until)
  const loop = loops[what]
  // At least once, however late this process was started.
  if (loop !== undefined) {
    do {
      yield* attempt(loop)
    } while (Date.now() < end)
  }
  const effect = once[what]
  if (effect === undefined) return
  // All at the same moment: of the last milliseconds none is slept through.
  yield* Effect.sleep(Math.max(0, end - Date.now() - 20))
  while (Date.now() < end);
  yield* attempt(effect)
})
await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))
console.log(JSON.stringify(counts))
