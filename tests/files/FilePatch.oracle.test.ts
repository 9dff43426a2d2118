/** Patches of random changes, compared with what diff, git apply and patch make of the same files. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { createTwoFilesPatch } from "diff"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { FilePatch, Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { forSeeds, type Random } from "../support/random.ts"

const has = (program: string): boolean => process.platform !== "win32" && spawnSync(program, ["--version"]).status === 0

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-patch-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const words = ["a", "b", "c", "", "  a", "\tb", "-c", "+d", " ", "@@", "--- a", "*** End of File", "é"]

/** A random text; `newline` may be either. Few different lines, so that a context is found in the wrong place where it can. */
const randomText = ({ int, next, pick }: Random, newline: string, length: number): string => {
  const lines = Array.from({ length: int(0, length) }, () => pick(words))
  return lines.join(newline) + (lines.length > 0 && next() < 0.8 ? newline : "")
}

/** A text with some lines removed, replaced and added. */
const changed = ({ int, next, pick }: Random, text: string, newline: string): string => {
  const lines = text.split(newline)
  const edits = int(1, 6)
  for (let edit = 0; edit < edits; edit++) {
    const at = int(0, lines.length)
    lines.splice(at, int(0, 2), ...Array.from({ length: int(0, 3) }, () => pick(words)))
  }
  return next() < 0.2 ? lines.join(newline).replace(/\n$/, "") : lines.join(newline)
}

const applied = (text: string, patch: string): Promise<string> =>
  Effect.runPromise(Effect.provide(
    Effect.gen(function* () {
      yield* Files.write("f", text)
      yield* FilePatch.apply(patch)
      return yield* Files.readText("f")
    }),
    MemoryFileSystem.layer,
  ))

const patchOf = (before: string, after: string, context: number): string =>
  createTwoFilesPatch("a/f", "b/f", before, after, undefined, undefined, { context })

describe("a patch of two random texts", () => {
  it("turns the first text into the second, with either line end and any context", async () => {
    const pairs: Array<readonly [string, string, string]> = []
    forSeeds(1_500, (random) => {
      const newline = random.next() < 0.3 ? "\r\n" : "\n"
      const before = randomText(random, newline, 40)
      const after = changed(random, before, newline)
      if (before !== after) pairs.push([before, after, patchOf(before, after, random.int(1, 5))])
    })
    for (const [before, after, patch] of pairs) expect(await applied(before, patch), patch).toBe(after)
    expect(pairs.length).toBeGreaterThan(1_000)
  })

  it.runIf(has("git"))("has its names, whatever blanks are in them, when git wrote it", async () => {
    const names = [" lead", "end ", "  both  ", "in side", "dir /x", " d/ x ", "plain"]
    const repository = join(folder, "repository")
    const git = (...words: ReadonlyArray<string>) => {
      const identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
      const { status, stderr, stdout } = spawnSync("git", [...identity, ...words], {
        cwd: repository,
        encoding: "utf8",
      })
      expect(status, stderr).toBe(0)
      return stdout
    }
    const write = (name: string, text: string) => {
      mkdirSync(join(repository, dirname(name)), { recursive: true })
      writeFileSync(join(repository, name), text)
    }
    for (const name of names) write(name, `${name}\none\ntwo\nthree\n`)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    for (const name of names) write(name, `${name}\none\n2\nthree\n`)
    rmSync(join(repository, "end "))
    write("new ", "new\n")
    rmSync(join(repository, "  both  "))
    write(" moved ", "  both  \none\ntwo\nthree\n")
    git("add", "-A")
    for (const flags of [[], ["--no-prefix"], ["-M"]]) {
      const patch = git("diff", "--cached", ...flags)
      const after = Effect.gen(function* () {
        for (const name of names) yield* Files.write(name, `${name}\none\ntwo\nthree\n`)
        yield* FilePatch.apply(patch)
        const entries = yield* Stream.runCollect(Files.list("", { recursive: true }))
        const paths = entries.flatMap(({ isDirectory, path }) => isDirectory ? [] : [path])
        return yield* Effect.forEach(paths, (path) => Effect.map(Files.readText(path), (text) => [path, text] as const))
      })
      const files = await Effect.runPromise(Effect.provide(after, MemoryFileSystem.layer))
      const expected = git("ls-files", "-z").split("\0").filter((name) => name !== "").sort()
      expect(files.map(([path]) => path).sort(), patch).toEqual(expected)
      for (const [path, text] of files) expect(text).toBe(readFileSync(join(repository, path), "utf8"))
    }
  })

  it.runIf(has("diff"))("is the same when diff wrote it", async () => {
    const pairs: Array<readonly [string, string]> = []
    forSeeds(60, (random) => {
      const before = randomText(random, "\n", 60)
      const after = changed(random, before, "\n")
      if (before !== after && before !== "" && after !== "") pairs.push([before, after])
    })
    for (const [before, after] of pairs) {
      writeFileSync(join(folder, "old"), before)
      writeFileSync(join(folder, "new"), after)
      const { stdout } = spawnSync("diff", ["-u", "old", "new"], { cwd: folder, encoding: "utf8" })
      expect(await applied(before, stdout.replace("--- old", "--- f").replace("+++ new", "+++ f"))).toBe(after)
    }
  })
})

/** What a program makes of a file with a patch; `undefined` where it refuses. */
const applyWith = (words: ReadonlyArray<string>, text: string, patch: string): string | undefined => {
  const [program = "", ...args] = words
  mkdirSync(join(folder, "w"), { recursive: true })
  writeFileSync(join(folder, "w/f"), text)
  const { status } = spawnSync(program, args, {
    cwd: join(folder, "w"),
    input: patch,
    env: { ...process.env, GIT_DIR: "/dev/null" },
  })
  return status === 0 ? readFileSync(join(folder, "w/f"), "utf8") : undefined
}

const oracles = [["git", "apply", "-p1", "-"], ["patch", "-p1", "-F0", "-s", "--no-backup-if-mismatch", "-r", "-"]]

describe.each(oracles.filter(([program = ""]) => has(program)))("%s", (...words) => {
  it("patches a changed file as the oracle does, or refuses with it", async () => {
    const cases: Array<readonly [string, string]> = []
    forSeeds(60, (random) => {
      // Different lines: where a context is in several places, each program has a rule of its own.
      const before = Array.from({ length: random.int(12, 40) }, (_, index) => `line ${index}\n`)
      const after = before.flatMap((line) => random.next() < 0.1 ? [`new ${line}`] : random.next() < 0.08 ? [] : [line])
      const moved = ["extra\n", "extra\n"].slice(random.int(0, 2)).concat(
        before.map((line, index) => index > 30 && random.next() < 0.1 ? `other ${line}` : line),
      )
      cases.push([moved.join(""), patchOf(before.join(""), after.join(""), 3)])
    })
    let accepted = 0
    for (const [text, patch] of cases) {
      const theirs = applyWith(words, text, patch)
      const ours = await applied(text, patch).catch(() => undefined)
      if (theirs === undefined) continue
      accepted++
      expect(ours, patch).toBe(theirs)
    }
    expect(accepted).toBeGreaterThan(20)
  })
})

/** A V4A patch of whole texts: every line is context, removed or added. */
const v4aOf = (before: ReadonlyArray<string>, edits: ReadonlyMap<number, ReadonlyArray<string>>): string => {
  const lines = before.flatMap((line, index) => {
    const by = edits.get(index)
    return by === undefined ? [` ${line}`] : [`-${line}`, ...by.map((one) => `+${one}`)]
  })
  return ["*** Begin Patch", "*** Update File: f", "@@", ...lines, "*** End Patch"].join("\n")
}

it("applies a random V4A patch as its lines say, with either line end", async () => {
  const cases: Array<readonly [string, string, string]> = []
  forSeeds(500, (random) => {
    const newline = random.next() < 0.3 ? "\r\n" : "\n"
    const before = Array.from({ length: random.int(1, 20) }, () => random.pick(words))
    const edits = new Map<number, ReadonlyArray<string>>()
    before.forEach((_, index) => {
      if (random.next() < 0.3) edits.set(index, Array.from({ length: random.int(0, 2) }, () => random.pick(words)))
    })
    const after = before.flatMap((line, index) => edits.get(index) ?? [line])
    const text = (lines: ReadonlyArray<string>) => lines.map((line) => line + newline).join("")
    if (after.length > 0) cases.push([text(before), text(after), v4aOf(before, edits)])
  })
  for (const [before, after, patch] of cases) {
    expect(Result.isSuccess(FilePatch.parse(patch)), patch).toBe(true)
    expect(await applied(before, patch), patch).toBe(after)
  }
})
