/** A file that another program has open for a moment, as Windows refuses it: tried again with backoff, then AccessDenied. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type FileFault, Files } from "../../../src/leaves/files/mod.ts"
import { hostBackend } from "../../../src/leaves/files/hostBackend.ts"
import { makeHolder } from "../../../src/leaves/files/holdPath.ts"
import { leafFilesSettings } from "../../../src/leaves/files/LeafFilesOptions.ts"
import { makeFiles } from "../../../src/leaves/files/makeFiles.ts"
import { posixRules } from "../../../src/leaves/files/PathRules.ts"

const place = fs.mkdtempSync(join(tmpdir(), "sluice-locked-"))
afterAll(() => fs.rmSync(place, { recursive: true, force: true }))

/** Files of which calls of one name fail as often as `locked` says, with rules of a system that locks open files. */
const lockedFiles = (call: "renameSync" | "unlinkSync" | "openSync", code: string, locked: { times: number }) => {
  const root = fs.mkdtempSync(join(place, "root-"))
  fs.writeFileSync(join(root, "a"), "old")
  const refuse = (path: unknown): void => {
    if (typeof path === "string" && path.endsWith("/a") && locked.times-- > 0) {
      throw Object.assign(new Error(`${code}: it is locked`), { code })
    }
  }
  const calls: typeof fs = {
    ...fs,
    renameSync: (from, to) => {
      if (call === "renameSync") refuse(to)
      fs.renameSync(from, to)
    },
    unlinkSync: (path) => {
      if (call === "unlinkSync") refuse(path)
      fs.unlinkSync(path)
    },
    openSync: (path, flags, mode) => {
      if (call === "openSync") refuse(path)
      return fs.openSync(path, flags, mode)
    },
  }
  const rules = { ...posixRules(true), locksOpenFiles: true }
  const holder = makeHolder(calls, "other", false)
  return makeFiles(
    hostBackend(calls, {
      root: fs.realpathSync(root),
      rules,
      holder,
      followSymlinks: true,
      preservePermissions: false,
      flush: true,
    }),
    leafFilesSettings("LocalFileSystem", {}),
  )
}

const cases: ReadonlyArray<
  readonly [string, "renameSync" | "unlinkSync" | "openSync", string, Effect.Effect<unknown, FileFault, Files>]
> = [
  ["replaced", "renameSync", "EPERM", Files.write("a", "new")],
  ["deleted", "unlinkSync", "EBUSY", Files.delete("a")],
  ["read", "openSync", "EBUSY", Files.read("a")],
  ["appended to", "openSync", "EACCES", Files.write("a", "new", { createMode: "AppendExisting" })],
]

describe.skipIf(process.platform === "win32")("a locked file", () => {
  it.effect.each(cases)("is %s once it is free", ([, call, code, effect]) =>
    Effect.gen(function* () {
      const locked = { times: 3 }
      const fiber = yield* Effect.forkChild(Effect.provideService(effect, Files, lockedFiles(call, code, locked)))
      yield* pass
      yield* Fiber.join(fiber)
      expect(locked.times).toBeLessThanOrEqual(0)
    }))

  it.effect.each(cases)(
    "is not %s while it stays locked: AccessDenied",
    ([, call, code, effect]) =>
      Effect.gen(function* () {
        const locked = { times: 1_000 }
        const files = lockedFiles(call, code, locked)
        const fiber = yield* Effect.forkChild(Effect.flip(Effect.provideService(effect, Files, files)))
        yield* Effect.forEach(Array.from({ length: 300 }), () => Effect.andThen(TestClock.adjust("100 millis"), turn), {
          discard: true,
        })
        expect(yield* Fiber.join(fiber)).toMatchObject({ faultKind: "AccessDenied", code })
        // Seven tries, each one or two calls.
        expect(1_000 - locked.times).toBeLessThanOrEqual(14)
      }),
  )
})

/** Thirty seconds of the test clock, in which calls of the runtime finish, too. */
const pass = Effect.suspend(() =>
  Effect.forEach(Array.from({ length: 300 }), () => Effect.andThen(TestClock.adjust("100 millis"), turn), {
    discard: true,
  })
)

const turn = Effect.callback<void>((resume) => void setTimeout(() => resume(Effect.void), 1))
