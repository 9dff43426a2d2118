import { expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hostFolder, memory, overlay, type Sandbox } from "@sluice/shell/sandbox"
import { assumeValidOptions } from "../../../src/base/attemptOptions.ts"
import { SparseBytes } from "../../../src/kernel/fs/SparseBytes.ts"
import { failureOf, withSandbox } from "../sandbox/support.ts"
import { withScratch } from "./support.ts"

const home = { path: "/home/user" } as const

const changesIn = (
  sandbox: Sandbox.SandboxService,
  against: Sandbox.SandboxService | Uint8Array,
  options: Sandbox.DiffOptions = home,
) =>
  Effect.map(
    assumeValidOptions(sandbox.diff(against, options)),
    ({ changes }) => changes.map(({ change, path }) => `${change} ${path}`),
  )

it.live("lists the changes of a fork, with the old and the new state", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      yield* sandbox.run(
        "mkdir -p d/e old; echo a > d/a; echo b > b; echo x > run; ln -s b link; echo k > old/k; echo z > z",
      )
      const fork = yield* sandbox.fork
      expect(yield* assumeValidOptions(fork.diff(sandbox))).toEqual({ changes: [], patch: "", omitted: [] })
      yield* fork.run(
        "echo more >> d/a; rm b; chmod +x run; ln -sf d link; rm -r old; mkdir new; printf ab > new/text; rm z; mkdir z",
      )
      const { changes, patch } = yield* assumeValidOptions(fork.diff(sandbox, home))
      const file = { kind: "file", mode: 0o644, isText: true }
      const folder = { kind: "folder", mode: 0o755, size: 4096 }
      const link = { kind: "link", mode: 0o777, size: 1 }
      expect(changes).toEqual([
        { path: "/home/user/b", change: "removed", before: { ...file, size: 2 } },
        { path: "/home/user/d/a", change: "changed", before: { ...file, size: 2 }, after: { ...file, size: 7 } },
        {
          path: "/home/user/link",
          change: "changed",
          before: { ...link, target: "b" },
          after: { ...link, target: "d" },
        },
        { path: "/home/user/new", change: "added", after: folder },
        { path: "/home/user/new/text", change: "added", after: { ...file, size: 2 } },
        { path: "/home/user/old", change: "removed", before: folder },
        { path: "/home/user/old/k", change: "removed", before: { ...file, size: 2 } },
        {
          path: "/home/user/run",
          change: "mode",
          before: { ...file, size: 2 },
          after: { ...file, mode: 0o755, size: 2 },
        },
        { path: "/home/user/z", change: "replaced", before: { ...file, size: 2 }, after: folder },
      ])
      expect(patch).toBe(`diff --git a/b b/b
deleted file mode 100644
--- a/b
+++ /dev/null
@@ -1 +0,0 @@
-b
diff --git a/link b/link
deleted file mode 120000
--- a/link
+++ /dev/null
@@ -1 +0,0 @@
-b
\\ No newline at end of file
diff --git a/old/k b/old/k
deleted file mode 100644
--- a/old/k
+++ /dev/null
@@ -1 +0,0 @@
-k
diff --git a/z b/z
deleted file mode 100644
--- a/z
+++ /dev/null
@@ -1 +0,0 @@
-z
diff --git a/d/a b/d/a
--- a/d/a
+++ b/d/a
@@ -1 +1,2 @@
 a
+more
diff --git a/link b/link
new file mode 120000
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+d
\\ No newline at end of file
diff --git a/new/text b/new/text
new file mode 100644
--- /dev/null
+++ b/new/text
@@ -0,0 +1 @@
+ab
\\ No newline at end of file
diff --git a/run b/run
old mode 100644
new mode 100755
`)
      // The other way round.
      expect(yield* changesIn(sandbox, fork)).toHaveLength(changes.length)
    }))
  ))

it.live("compares with a snapshot, and refuses bytes that are not a snapshot", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run("echo a > a; echo b > b; mkdir -p /data/x; echo c > /data/x/c")
      const before = yield* sandbox.snapshot
      yield* sandbox.run("echo more >> a; rm /data/x/c")
      expect(yield* changesIn(sandbox, before, {})).toEqual(["removed /data/x/c", "changed /home/user/a"])
      expect((yield* failureOf(sandbox.diff(new Uint8Array(1024)))).reason._tag).toBe("SnapshotFailed")
    }), { mounts: { "/data": overlay(memory()) } }))

it.live("compares sandboxes that have nothing to do with each other", () =>
  withSandbox((sandbox) =>
    withSandbox((other) =>
      Effect.gen(function* () {
        expect(yield* changesIn(sandbox, other)).toEqual(["removed /home/user/b", "changed /home/user/c"])
      }), { files: { a: "same\n", b: "", c: "1" } }), { files: { a: "same\n", c: "2" } }))

it.live("takes time and reads for changed files only", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      const content = new Uint8Array(1_000_000)
      for (let at = 0; at < 100; at++) yield* sandbox.writeFile(`/tree/${at % 10}/${at}`, content)
      const fork = yield* sandbox.fork
      yield* fork.writeFile("/tree/3/new", "text\n")
      const reads = vi.spyOn(SparseBytes.prototype, "read")
      expect(yield* changesIn(fork, sandbox, {})).toEqual(["added /tree/3/new"])
      // Whether the new file is text, and its part of the patch.
      expect(reads.mock.calls.length).toBeLessThan(10)
      reads.mockRestore()
    }))
  ))

it.live("does not list files that overlays of one folder share", () =>
  withScratch((folder) => {
    mkdirSync(join(folder, "sub"))
    writeFileSync(join(folder, "sub/a"), "a\n")
    writeFileSync(join(folder, "b"), "b\n")
    const options = () => ({ mounts: { "/data": overlay(hostFolder(folder)) } })
    return withSandbox((sandbox) =>
      Effect.scoped(Effect.gen(function* () {
        yield* sandbox.run("echo early > /data/early; cat /data/sub/a")
        const fork = yield* sandbox.fork
        yield* fork.run("echo more >> /data/sub/a; rm /data/b; chmod 600 /data/early; mkdir /data/new")
        expect(yield* changesIn(fork, sandbox, {})).toEqual([
          "removed /data/b",
          "mode /data/early",
          "added /data/new",
          "changed /data/sub/a",
        ])
        const others = yield* withSandbox((other) => changesIn(sandbox, other, { path: "/data" }), options())
        expect(others).toEqual(["added /data/early"])
      })), options())
  }))

it.live("leaves out files beyond a limit, and reports that", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      const fork = yield* sandbox.fork
      yield* fork.run("seq 1000 > long; seq 2 > short; seq 5000 > middle; mkdir folder")
      const limits = { ...home, maxPatchBytes: 6_000, maxFileBytes: 10_000 }
      const { changes, omitted, patch } = yield* assumeValidOptions(fork.diff(sandbox, limits))
      expect(changes).toHaveLength(4)
      expect(omitted).toEqual(["/home/user/middle"])
      expect(patch.split("\n").filter((line) => line.startsWith("diff"))).toEqual([
        "diff --git a/long b/long",
        "diff --git a/short b/short",
      ])
      const less = yield* assumeValidOptions(fork.diff(sandbox, { ...home, maxPatchBytes: 200 }))
      expect(less.omitted).toEqual(["/home/user/long", "/home/user/middle"])
      expect((yield* failureOf(fork.diff(sandbox, { maxChanges: 3 }))).reason).toEqual({
        _tag: "TooManyChanges",
        maxChanges: 3,
      })
      expect((yield* Effect.flip(fork.diff(sandbox, { maxPatchBytes: -1 })))._tag).toBe("OptionError")
    }))
  ))

it.live("is compared as it was at the call, though the sandbox changes meanwhile, and can be interrupted", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      const fork = yield* sandbox.fork
      yield* fork.run("for i in $(seq 300); do seq 500 > f$i; done")
      const fiber = yield* Effect.forkChild(changesIn(fork, sandbox, home))
      yield* Effect.yieldNow
      yield* fork.run("rm f*")
      expect(yield* Fiber.join(fiber)).toHaveLength(300)
      yield* fork.run("for i in $(seq 300); do seq 500 > f$i; done")
      const second = yield* Effect.forkChild(changesIn(fork, sandbox, home))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(second)
      expect(second.pollUnsafe()?._tag).toBe("Failure")
    }))
  ))

it.live("gives the event loop its turns while long texts are compared", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      const fork = yield* sandbox.fork
      const text = (seed: number) => Array.from({ length: 200_000 }, (_, at) => `${(at * seed) % 7}\n`).join("")
      yield* sandbox.writeFile("a", text(3))
      yield* fork.writeFile("a", text(5))
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      const { omitted } = yield* assumeValidOptions(fork.diff(sandbox, home))
      clearInterval(timer)
      expect(omitted).toEqual([])
      expect(turns).toBeGreaterThan(3)
    }))
  ))
