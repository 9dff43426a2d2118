import { beforeAll, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { platform } from "node:os"
import { pathToFileURL } from "node:url"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { bundled } from "../../../support/bundled.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, runtimeArgs } from "./support.ts"

let program: URL
beforeAll(async () => {
  program = pathToFileURL(await bundled("tests/journal/stores/ndjson/otherUser.fixture.ts"))
})

const root = platform() !== "win32" && process.getuid?.() === 0

/** The result for a user who is not root and owns nothing here. */
const nobody = (home: string, path: string, mode: "read" | "write"): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    // Modes apply to every user except root.
    const user = root ? { uid: 65_534, gid: 65_534 } : {}
    const args = runtimeArgs(program, path, mode)
    // Deno keeps what it has compiled in its home.
    const env = { ...process.env, HOME: home, DENO_DIR: `${home}/deno` }
    execFile(process.execPath, args, { ...user, env, cwd: home }, (error, stdout, stderr) => {
      if (error === null && stdout !== "") resolve(JSON.parse(stdout))
      else reject(new Error(`${error?.message}: ${stderr}`))
    })
  })

/** A journal of two entries in a world-writable directory. */
const place = Effect.gen(function* () {
  const { directory, path } = yield* workshop
  chmodSync(directory, 0o755)
  for (const name of ["open", "home"]) {
    mkdirSync(path(name))
    chmodSync(path(name), 0o777)
  }
  const file = path("open/journal.ndjson")
  yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 2)))
  const before = readFileSync(file, "utf8")
  return { before, directory: path("open"), file, home: path("home") }
})

it.live.runIf(platform() !== "win32")(
  "reports a file that may not be written, and reads it",
  () =>
    Effect.gen(function* () {
      const { before, directory, file, home } = yield* place
      chmodSync(file, 0o444)
      expect(yield* Effect.promise(() => nobody(home, file, "write"))).toMatchObject({
        reason: { _tag: "ReadOnly", code: "EACCES" },
        message: `journal: ${file} was not opened: permission denied (EACCES)`,
      })
      expect(yield* Effect.promise(() => nobody(home, file, "read"))).toEqual({ position: 2, entries: 2 })
      expect(readFileSync(file, "utf8")).toBe(before)
      expect(readdirSync(directory)).toEqual(["journal.ndjson"])
    }),
)

it.live.runIf(platform() !== "win32")(
  "reports a directory that may not be written: the lock cannot be created",
  () =>
    Effect.gen(function* () {
      const { directory, file, home } = yield* place
      chmodSync(file, 0o666)
      chmodSync(directory, 0o555)
      const readOnly = { reason: { _tag: "ReadOnly", code: "EACCES" } }
      expect(yield* Effect.promise(() => nobody(home, file, "write"))).toMatchObject(readOnly)
      expect(yield* Effect.promise(() => nobody(home, `${directory}/new.ndjson`, "write"))).toMatchObject(readOnly)
      expect(yield* Effect.promise(() => nobody(home, file, "read"))).toEqual({ position: 2, entries: 2 })
      chmodSync(directory, 0o755)
    }),
)

it.live.runIf(platform() !== "win32")("reports a file that may not be read", () =>
  Effect.gen(function* () {
    const { file, home } = yield* place
    chmodSync(file, 0o000)
    expect(yield* Effect.promise(() => nobody(home, file, "read"))).toMatchObject({
      reason: { _tag: "Failed", code: "EACCES" },
    })
    chmodSync(file, 0o600)
  }))
