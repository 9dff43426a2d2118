import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { memory, overlay, Sandbox } from "@sluice/shell/sandbox"
import { FileType } from "../../../src/kernel/Stat.ts"
import { encode, failureOf, stdoutOf, withSandbox } from "./support.ts"

it.live("writes files relative to the working directory, and makes the folders on the way", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.writeFile("a/b/c.txt", "text\n")
      yield* sandbox.writeFile("/opt/tool", "#!/bin/sh\necho tool $1\n", { mode: 0o755 })
      expect(yield* stdoutOf(sandbox, "cat a/b/c.txt; /opt/tool x; cd a")).toBe("text\ntool x\n")
      yield* sandbox.writeFile("here.bin", Uint8Array.of(0, 255))
      expect(yield* sandbox.readFile("/home/user/a/here.bin")).toEqual(Uint8Array.of(0, 255))
      expect(yield* sandbox.stat("/opt/tool")).toMatchObject({ mode: 0o755, type: FileType.regularFile })
    })
  ))

it.live("replaces a file, and changes its mode only with the option", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.writeFile("f", "long content", { mode: 0o700 })
      yield* sandbox.writeFile("f", "short")
      expect([yield* sandbox.readText("f"), (yield* sandbox.stat("f")).mode]).toEqual(["short", 0o700])
      yield* sandbox.writeFile("f", "short", { mode: 0o600 })
      expect((yield* sandbox.stat("f")).mode).toBe(0o600)
    })
  ))

it.live("lists a folder by name, by default the working directory", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run("mkdir d; ln -s d l; echo > f")
      const listed = (yield* sandbox.list()).map(({ name, type }) => [name, type])
      expect(listed).toEqual([["d", FileType.directory], ["f", FileType.regularFile], ["l", FileType.symbolicLink]])
      expect((yield* sandbox.list("/")).map(({ name }) => name)).toEqual(["dev", "home", "tmp"])
    })
  ))

it.live("removes files and empty folders, and full ones only with `recursive`", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run(
        "mkdir -p full/deep; echo > full/deep/f; echo > /tmp/keep; ln -s /tmp full/link; chmod 0 full/deep",
      )
      expect((yield* Effect.flip(sandbox.remove("full"))).reason).toMatchObject({
        _tag: "FileFailed",
        code: "ENOTEMPTY",
      })
      yield* sandbox.remove("full", { recursive: true })
      expect(yield* sandbox.list()).toEqual([])
      expect(yield* sandbox.readText("/tmp/keep")).toBe("\n")
      yield* sandbox.makeFolder("x/y")
      yield* sandbox.remove("x/y")
      expect((yield* sandbox.list("x")).length).toBe(0)
    })
  ))

it.live("fails with the path, the operation and the errno", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const cases = [
        [sandbox.readFile("ghost"), "read", "ghost", "ENOENT"],
        [sandbox.readFile("/tmp"), "read", "/tmp", "EISDIR"],
        [sandbox.readFile(""), "read", "", "ENOENT"],
        [sandbox.list("ghost"), "list", "ghost", "ENOENT"],
        [sandbox.stat("/dev/null/x"), "look at", "/dev/null/x", "ENOTDIR"],
        [sandbox.writeFile("/dev/null/x", ""), "write", "/dev/null/x", "ENOTDIR"],
        [sandbox.makeFolder("/dev/null"), "make", "/dev/null", "ENOTDIR"],
        [sandbox.remove("ghost"), "remove", "ghost", "ENOENT"],
        [sandbox.writeFile("big", new Uint8Array(3_000)), "write", "big", "ENOSPC"],
      ] as const
      for (const [effect, operation, path, code] of cases) {
        const error = yield* failureOf(Effect.asVoid(effect))
        expect(error.reason).toEqual({ _tag: "FileFailed", operation, path, code })
        expect(error.message).toBe(`sandbox: cannot ${operation} ${path}: ${error.message.split(": ").at(-1)}`)
        expect(error.message).toContain(`(${code})`)
      }
    }), { limits: { maxTotalFileBytes: 2_000 } }))

it.live("restores the files of a snapshot, and nothing else", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const look = "find . /data -print | sort; cat keep/f /data/lower 2>&1; cat h; readlink l; stat -c '%a' keep/f"
      yield* sandbox.run("mkdir keep empty; echo one > keep/f; chmod 640 keep/f; ln keep/f h; ln -s nowhere l")
      const before = yield* stdoutOf(sandbox, look)
      const snapshot = yield* sandbox.snapshot
      yield* sandbox.run("rm -r keep empty l; echo two > h; echo new > new; echo changed > /data/lower; mkdir -p a/b")
      expect(yield* stdoutOf(sandbox, look)).not.toBe(before)
      yield* sandbox.restore(snapshot)
      expect(yield* stdoutOf(sandbox, look)).toBe(before)
      yield* sandbox.run("echo more >> keep/f")
      expect(yield* stdoutOf(sandbox, "cat h")).toBe("one\nmore\n")
    }), { mounts: { "/data": overlay(memory()) }, files: { "/data/lower": "lower\n" } }))

it.live("restores a snapshot in another sandbox, and refuses other bytes", () =>
  Effect.gen(function* () {
    const snapshot = yield* withSandbox(({ snapshot }) => snapshot, { files: { "x/y": "from the first\n" } })
    yield* withSandbox((sandbox) =>
      Effect.gen(function* () {
        yield* sandbox.restore(snapshot)
        expect(yield* stdoutOf(sandbox, "cat x/y")).toBe("from the first\n")
        const error = yield* Effect.flip(sandbox.restore(encode("no archive at all")))
        expect(error.reason).toEqual({ _tag: "SnapshotFailed" })
        expect(error.message).toMatch(/^sandbox: the snapshot could not be restored: .* \(ESNAPSHOT\)$/)
        expect(yield* stdoutOf(sandbox, "cat x/y")).toBe("from the first\n")
      })
    )
  }))

it.live("distinguishes errors by their reasons", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const text = yield* sandbox.readText("ghost").pipe(
        Effect.catchReason("SandboxError", "FileFailed", ({ code }) => Effect.succeed(code)),
      )
      expect(text).toBe("ENOENT")
      const error = yield* Effect.flip(sandbox.readText("ghost"))
      expect(error).toBeInstanceOf(Sandbox.SandboxError)
    })
  ))

it.live("does not read endless devices, nor more than `maxBytes`", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run("ln -s /dev/zero endless; truncate -s 1T hole; printf 12345 > five")
      for (const path of ["endless", "hole"]) {
        const { reason } = yield* failureOf(sandbox.readFile(path, { maxBytes: 100_000 }))
        expect(reason).toMatchObject({ _tag: "FileFailed", path, code: "EFBIG" })
      }
      expect((yield* failureOf(sandbox.readText("five", { maxBytes: 4 }))).reason).toMatchObject({ code: "EFBIG" })
      expect(yield* sandbox.readText("five", { maxBytes: 5 })).toBe("12345")
    })
  ))

it.live("removes folders that are nested deeper than the call stack", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const { fileSystem } = sandbox
      let folder = fileSystem.directory(fileSystem.root, "/tmp")
      for (let depth = 0; depth < 30_000 && typeof folder !== "number"; depth++) {
        fileSystem.makeDirectory(folder, "d", 0o500 | (depth % 2 === 0 ? 0o200 : 0o700))
        folder = fileSystem.directory(folder, "d")
      }
      yield* sandbox.run("cd /tmp/d/d; ln -s /home link; echo x > file; mkdir -p more/less; touch more/file")
      yield* sandbox.remove("/tmp/d", { recursive: true })
      expect(yield* sandbox.list("/tmp")).toEqual([])
      expect((yield* sandbox.list("/home")).length).toBe(1)
    })
  ))

it.live(
  "refuses a link to a device that never ends, by its default limit, in memory of that size",
  () =>
    withSandbox((sandbox) =>
      Effect.gen(function* () {
        yield* sandbox.run("ln -s /dev/zero out.txt; ln -s /dev/urandom random")
        expect((yield* failureOf(sandbox.readText("out.txt"))).reason).toMatchObject({ code: "EFBIG" })
        expect((yield* failureOf(sandbox.readFile("random", { maxBytes: 10_000_000 }))).reason).toMatchObject({
          code: "EFBIG",
        })
      })
    ),
  30_000,
)
