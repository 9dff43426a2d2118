import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Files, LocalFileSystem } from "@sluice/shell/files"
import { lockFile, type Share } from "./lockFile.ts"

interface Place {
  readonly path: (name: string) => string
  /** Names in the folder: none of a temporary file is left. */
  readonly names: () => ReadonlyArray<string>
}

const test = (title: string, keep: (place: Place) => Effect.Effect<void, unknown, Files>): void => {
  it(title, () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-"))
    const place: Place = { path: (name) => join(folder, name), names: () => readdirSync(folder).toSorted() }
    return Effect.runPromise(Effect.provide(keep(place), LocalFileSystem.layer({ rootPath: folder })))
  })
}

const inUse = { _tag: "FileFault", faultKind: "AccessDenied", path: "a" }

/** What others open, and what a program cannot do with it meanwhile. */
const locks: ReadonlyArray<
  readonly [shared: ReadonlyArray<Share>, refused: ReadonlyArray<"read" | "write" | "delete">]
> = [
  [["nothing"], ["read", "write", "delete"]],
  // Windows 10 replaces a file that others share; Wine does not.
  [["read", "write", "delete"], ["write"]],
]

const operations = {
  read: Effect.map(Files.readText("a"), (text) => void expect(text).toBe("old")),
  write: Effect.asVoid(Files.write("a", "new")),
  delete: Effect.asVoid(Files.delete("a")),
}

/** Declares what holds for files that other programs have open. */
export const lockedFiles = (): void => {
  describe("files that other programs have open", () => {
    for (const [shared, refused] of lockFile === undefined ? [] : locks) {
      test(`can be used as far as they share it, and the fault says so: ${shared.join(", ")}`, ({ names, path }) =>
        Effect.gen(function* () {
          for (const each of ["read", "write", "delete"] as const) {
            yield* Files.write("a", "old")
            const unlock = lockFile?.(path("a"), ...shared)
            if (refused.includes(each)) {
              const fault = yield* Effect.flip(operations[each])
              expect([each, fault]).toMatchObject([each, inUse])
              expect(fault.message).toContain("another program may have it open")
            } else yield* operations[each]
            unlock?.()
            // Nothing happened, or all of it, and no temporary file is left.
            const text = refused.includes(each) || each === "read" ? "old" : "new"
            expect([each, names()]).toEqual([each, each === "delete" && !refused.includes(each) ? [] : ["a"]])
            if (names().length > 0) expect(readFileSync(path("a"), "utf8")).toBe(text)
          }
        }))
    }

    if (lockFile !== undefined) {
      test("are waited for, for a moment", ({ path }) =>
        Effect.gen(function* () {
          yield* Files.write("a", "old")
          const unlock = lockFile?.(path("a"), "nothing")
          const fiber = yield* Effect.forkChild(Files.write("a", "new"), { startImmediately: true })
          yield* Effect.sleep("50 millis")
          unlock?.()
          yield* Fiber.join(fiber)
          expect(yield* Files.readText("a")).toBe("new")
        }))
    }

    test("are replaced as a whole, or not at all: a reader gets the content that it began with", ({ names, path }) =>
      Effect.gen(function* () {
        const [before, after] = ["old".repeat(100_000), "new".repeat(100_000)]
        yield* Files.write("a", before)
        let isReplaced = true
        const replace = Effect.catchTag(Files.write("a", after), "FileFault", (fault) =>
          Effect.sync(() => {
            expect(fault).toMatchObject(inUse)
            isReplaced = false
          }))
        const descriptor = openSync(path("a"), "r")
        const seen = yield* Files.stream("a").pipe(
          Stream.mapEffect((bytes, at) => Effect.as(at === 0 ? replace : Effect.void, bytes)),
          Stream.decodeText(),
          Stream.mkString,
        )
        expect(seen === before).toBe(true)
        const bytes = new Uint8Array(before.length)
        expect(readSync(descriptor, bytes, 0, bytes.length, 0)).toBe(before.length)
        expect(new TextDecoder().decode(bytes) === before).toBe(true)
        closeSync(descriptor)
        expect((yield* Files.readText("a")) === (isReplaced ? after : before)).toBe(true)
        expect(names()).toEqual(["a"])
        yield* Files.write("a", after)
        expect((yield* Files.readText("a")) === after).toBe(true)
      }))
  })
}
