/** Random operations on leaves and, by `node:fs` as one would write them by hand, on a real folder: both answer the same. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type CreateMode,
  Files,
  KernelFileSystem,
  LocalFileSystem,
  MemoryFileSystem,
} from "../../../src/leaves/files/mod.ts"
import { Sandbox } from "../../../src/sandbox/mod.ts"
import { type Random, random } from "../../support/random.ts"
import { rounds } from "../../support/rounds.ts"

const steps = rounds(10_000)
const seed = Number(process.env["SLUICE_SEED"] ?? 13)

const roots: Array<string> = []
const makeRoot = (): string => {
  const root = fs.mkdtempSync(join(tmpdir(), "sluice-oracle-"))
  roots.push(root)
  return root
}
afterAll(() => roots.forEach((root) => fs.rmSync(root, { recursive: true, force: true })))

type Operation =
  | { readonly kind: "write"; readonly path: string; readonly text: string; readonly mode: CreateMode }
  | { readonly kind: "read"; readonly path: string; readonly offset: number; readonly length: number }
  | { readonly kind: "delete"; readonly path: string; readonly recursive: boolean }
  | { readonly kind: "list"; readonly path: string; readonly recursive: boolean }
  | { readonly kind: "stat"; readonly path: string }

const modes: ReadonlyArray<CreateMode> = [
  "CreateNew",
  "CreateOrReplace",
  "CreateOrAppend",
  "ReplaceExisting",
  "AppendExisting",
]

/** Few names, so that operations meet. */
const randomOperation = ({ int, next, pick }: Random): Operation => {
  const path = Array.from({ length: int(1, 3) }, () => pick(["a", "b", "c", "é", "D d"])).join("/")
  const chance = next()
  if (chance < 0.45) return { kind: "write", path, text: pick(["x", "yz", "é€"]).repeat(int(0, 4)), mode: pick(modes) }
  if (chance < 0.65) return { kind: "read", path, offset: int(0, 6), length: int(0, 6) }
  if (chance < 0.8) return { kind: "delete", path, recursive: next() < 0.3 }
  if (chance < 0.9) return { kind: "list", path: next() < 0.2 ? "" : path, recursive: next() < 0.5 }
  return { kind: "stat", path }
}

const onLeaf = (operation: Operation): Effect.Effect<string, never, Files> => {
  const answer = Effect.gen(function* () {
    switch (operation.kind) {
      case "write":
        return String((yield* Files.write(operation.path, operation.text, { createMode: operation.mode })).bytesWritten)
      case "read":
        return Array.from(yield* Files.read(operation.path, operation)).join()
      case "delete":
        return String((yield* Files.delete(operation.path, operation)).deletedCount)
      case "list": {
        const entries = yield* Stream.runCollect(Files.list(operation.path, operation))
        return entries.map(({ isDirectory, path, size }) => isDirectory ? `${path}/` : `${path}:${size}`).sort().join()
      }
      case "stat": {
        const { isDirectory, size } = yield* Files.stat(operation.path)
        return isDirectory ? "folder" : `file ${size}`
      }
    }
  })
  return Effect.map(
    Effect.result(answer),
    (result) => Result.isSuccess(result) ? result.success : result.failure.faultKind,
  )
}

class Fault extends Error {}

const kinds: Readonly<Record<string, string>> = {
  ENOENT: "NotFound",
  ENOTDIR: "NotADirectory",
  EISDIR: "NotAFile",
  EEXIST: "AlreadyExists",
  ENOTEMPTY: "DirectoryNotEmpty",
}

const oracleList = (folder: string, recursive: boolean, prefix = ""): ReadonlyArray<string> =>
  fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = prefix + entry.name
    if (!entry.isDirectory()) return [`${path}:${fs.statSync(join(folder, entry.name)).size}`]
    return [`${path}/`, ...(recursive ? oracleList(join(folder, entry.name), true, `${path}/`) : [])]
  })

const countAll = (path: string): number =>
  fs.statSync(path).isDirectory() ? fs.readdirSync(path).reduce((sum, name) => sum + countAll(join(path, name)), 1) : 1

/** What `node:fs` does with the same operation. */
const onFolder = (root: string, operation: Operation): string => {
  const path = join(root, operation.path)
  try {
    switch (operation.kind) {
      case "write": {
        const { mode, text } = operation
        const bytes = Buffer.from(text)
        if (mode.startsWith("Create")) fs.mkdirSync(join(path, ".."), { recursive: true })
        const there = fs.statSync(path, { throwIfNoEntry: false })
        if (there === undefined && mode.endsWith("Existing")) throw new Fault("NotFound")
        if (there !== undefined && mode === "CreateNew") throw new Fault("AlreadyExists")
        if (mode.includes("Append")) fs.appendFileSync(path, bytes)
        else fs.writeFileSync(path, bytes)
        return String(bytes.length)
      }
      case "read":
        return Array.from(fs.readFileSync(path).subarray(operation.offset, operation.offset + operation.length)).join()
      case "delete": {
        const isFolder = fs.lstatSync(path).isDirectory()
        const count = operation.recursive ? countAll(path) : 1
        if (operation.recursive) fs.rmSync(path, { recursive: true })
        else if (isFolder) fs.rmdirSync(path)
        else fs.unlinkSync(path)
        return String(count)
      }
      case "list":
        return oracleList(path, operation.recursive).toSorted().join()
      case "stat": {
        const stats = fs.statSync(path)
        return stats.isDirectory() ? "folder" : `file ${stats.size}`
      }
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
    // Where a file is on the way, runtimes differ: ENOENT, EEXIST, or no error of a stat that may find nothing.
    const isOnWay = operation.kind === "write" && operation.path.includes("/") && hasFileOnWay(root, operation.path)
    return isOnWay ? "NotADirectory" : error instanceof Fault ? error.message : kinds[code] ?? code
  }
}

const hasFileOnWay = (root: string, path: string): boolean => {
  const names = path.split("/")
  return names.slice(0, -1).some((_, index) =>
    fs.statSync(join(root, ...names.slice(0, index + 1)), { throwIfNoEntry: false })?.isFile() === true
  )
}

type Leaf = () => Layer.Layer<Files, unknown>

/** The first step where both differ, or nothing. */
const firstDifference = async (leaf: Leaf, operations: ReadonlyArray<Operation>): Promise<string | undefined> => {
  const root = makeRoot()
  const runtime = ManagedRuntime.make(leaf())
  try {
    const all = Effect.gen(function* () {
      for (const [step, operation] of operations.entries()) {
        const expected = onFolder(root, operation)
        const found = yield* onLeaf(operation)
        if (found !== expected) return `step ${step} ${JSON.stringify(operation)}: ${found}, but node:fs: ${expected}`
      }
      const whole: Operation = { kind: "list", path: "", recursive: true }
      const [expected, found] = [onFolder(root, whole), yield* onLeaf(whole)]
      return found === expected ? undefined : `at the end: ${found}, but node:fs: ${expected}`
    })
    return await runtime.runPromise(all)
  } finally {
    await runtime.dispose()
  }
}

/** Leaves out operations as long as the rest still differs. */
const shrink = async (leaf: Leaf, operations: ReadonlyArray<Operation>): Promise<ReadonlyArray<Operation>> => {
  let rest = operations
  for (let size = Math.ceil(rest.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < rest.length;) {
      const without = [...rest.slice(0, at), ...rest.slice(at + size)]
      if (without.length < rest.length && (await firstDifference(leaf, without)) !== undefined) rest = without
      else at += size
    }
  }
  return rest
}

const leaves: ReadonlyArray<readonly [string, Leaf]> = [
  ["LocalFileSystem", () => LocalFileSystem.layer({ rootPath: makeRoot() })],
  ["LocalFileSystem with a quota", () => LocalFileSystem.layer({ rootPath: makeRoot(), maxBytes: 1e9, maxFiles: 1e6 })],
  ["MemoryFileSystem", () => MemoryFileSystem.layer],
  ["KernelFileSystem", () =>
    Layer.unwrap(Effect.map(Sandbox.make(), (sandbox) => {
      sandbox.fileSystem.makeDirectory(sandbox.fileSystem.root, "/work", 0o755)
      return Layer.orDie(KernelFileSystem.layer(sandbox, { rootPath: "/work" }))
    }))],
]

describe.each(leaves)("%s", (_name, leaf) => {
  it(`answers ${steps} random operations as node:fs does on a real folder`, async () => {
    const source = random(seed)
    const operations = Array.from({ length: steps }, () => randomOperation(source))
    const difference = await firstDifference(leaf, operations)
    if (difference === undefined) return
    const step = Number(/^step (\d+)/.exec(difference)?.[1] ?? steps)
    const smallest = await shrink(leaf, operations.slice(0, step + 1))
    expect(`seed ${seed}: ${smallest.map((operation) => JSON.stringify(operation)).join("\n")}`).toBe("no difference")
  }, 600_000)
})

it("finds the smallest sequence that differs", async () => {
  const broken: Leaf = () =>
    Layer.effect(
      Files,
      Effect.map(MemoryFileSystem.make(), (files) => ({
        ...files,
        request: (request, options) =>
          request._tag === "FileStat"
            ? files.request({ ...request, path: "a" }, options)
            : files.request(request, options),
      })),
    )
  const source = random(1)
  const operations = Array.from({ length: 200 }, () => randomOperation(source))
  expect(await firstDifference(broken, operations)).toBeDefined()
  const smallest = await shrink(broken, operations)
  expect(smallest.length).toBeLessThanOrEqual(2)
  expect(smallest.at(-1)?.kind).toBe("stat")
})
