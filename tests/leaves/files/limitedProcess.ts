/** Uses files under limits that the test sets on this process, and prints how it went: limitedProcess.ts large|open ROOT. */
import * as Effect from "effect/Effect"
import { closeSync, openSync } from "node:fs"
import { type FileFault, Files, LocalFileSystem } from "../../../src/leaves/files/mod.ts"

const [, , what, rootPath = ""] = process.argv

const outcome = <A>(effect: Effect.Effect<A, FileFault, Files>, done: (value: A) => string) =>
  Effect.match(effect, { onFailure: ({ code, faultKind }) => `${faultKind} ${code}`, onSuccess: done })

const large = Effect.gen(function* () {
  const bytes = new Uint8Array(4_000_000)
  const write = yield* outcome(Files.write("a", bytes), () => "written")
  const append = yield* outcome(Files.write("b", bytes, { createMode: "CreateOrAppend" }), () => "written")
  const small = yield* outcome(Files.write("c", "x"), () => "written")
  return { write, append, small }
})

const open = Effect.gen(function* () {
  yield* Files.write("a", "x")
  const handles: Array<number> = []
  try {
    for (;;) handles.push(openSync(`${rootPath}/a`, "r"))
  } catch { /* All are used up. */ }
  const open = yield* outcome(Files.readText("a"), (text) => text)
  for (const handle of handles) closeSync(handle)
  const after = yield* outcome(Files.readText("a"), (text) => text)
  return { open, after }
})

const program: Effect.Effect<Readonly<Record<string, string>>, FileFault, Files> = what === "large" ? large : open
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath })))))
