import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { hostFolder, overlay, type Sandbox, Sandbox as OpenSandbox } from "@sluice/shell/sandbox"
import { failureOf, stdoutOf, withSandbox } from "../sandbox/support.ts"
import { withScratch } from "./support.ts"

/** A sandbox over a folder with some files. */
const withProject = <A, E>(use: (sandbox: Sandbox.SandboxService, folder: string) => Effect.Effect<A, E>) =>
  withScratch((folder) => {
    fs.mkdirSync(join(folder, "src/deep"), { recursive: true })
    fs.writeFileSync(join(folder, "src/a.txt"), "a\n")
    fs.writeFileSync(join(folder, "src/b.txt"), "b\n")
    fs.writeFileSync(join(folder, "src/deep/c.txt"), "c\n")
    fs.writeFileSync(join(folder, "run.sh"), "echo\n")
    fs.symlinkSync("src/a.txt", join(folder, "link"))
    return withSandbox((sandbox) => use(sandbox, folder), {
      mounts: { "/work": overlay(hostFolder(folder)) },
      cwd: "/work",
    })
  })

const commit = (
  sandbox: Sandbox.SandboxService,
  approve: Sandbox.CommitOptions["approve"] = () => true,
  path?: string,
) =>
  Effect.map(
    sandbox.commit({ approve, path }),
    (outcomes) =>
      outcomes.map(({ change, code, path, status }) =>
        `${change} ${path.slice(6)} ${status}${code === undefined ? "" : ` ${code}`}`
      ),
  )

const list = (folder: string): ReadonlyArray<string> => fs.readdirSync(folder, { recursive: true }).map(String).sort()

const read = (folder: string, path: string): string => fs.readFileSync(join(folder, path), "utf8")

it.live("writes changes, additions and removals, with modes, links and folders, and equals the folder afterwards", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      yield* sandbox.run(
        "echo more >> src/a.txt; rm src/b.txt; rm -r src/deep; chmod 755 run.sh; ln -sf run.sh link; mkdir -p new/in; echo n > new/in/n; chmod 700 new",
      )
      const seen: Array<Sandbox.PendingChange> = []
      const outcomes = yield* commit(sandbox, (change) => {
        seen.push(change)
        return true
      })
      expect(outcomes).toEqual([
        "changed link committed",
        "added new committed",
        "added new/in committed",
        "added new/in/n committed",
        "mode run.sh committed",
        "changed src/a.txt committed",
        "removed src/b.txt committed",
        "removed src/deep committed",
        "removed src/deep/c.txt committed",
      ])
      expect(seen.every(({ conflict }) => conflict === undefined)).toBe(true)
      expect(list(folder)).toEqual(["link", "new", "new/in", "new/in/n", "run.sh", "src", "src/a.txt"])
      expect(read(folder, "src/a.txt")).toBe("a\nmore\n")
      expect(fs.readlinkSync(join(folder, "link"))).toBe("run.sh")
      expect(fs.statSync(join(folder, "run.sh")).mode & 0o777).toBe(0o755)
      expect(fs.statSync(join(folder, "new")).mode & 0o777).toBe(0o700)
      expect(yield* commit(sandbox)).toEqual([])
      // What is written outside is seen in the overlay again.
      fs.writeFileSync(join(folder, "new/in/n"), "outside\n")
      fs.writeFileSync(join(folder, "src/b.txt"), "again\n")
      expect(yield* stdoutOf(sandbox, "cat new/in/n src/b.txt; readlink link")).toBe("outside\nagain\nrun.sh\n")
    })
  ))

it.live("shows the old and the new state, and leaves unapproved changes in the overlay", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      yield* sandbox.run("echo x > src/a.txt; echo new > d; mkdir m; echo in > m/in; rm -r src/deep")
      const shown: Array<string> = []
      const outcomes = yield* commit(sandbox, (change) =>
        Effect.gen(function* () {
          const [before, after] = [yield* Effect.orDie(change.readBefore), yield* Effect.orDie(change.readAfter)]
          const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
          shown.push(`${change.path} ${text(before)}${text(after)}${yield* Effect.orDie(change.readPatch)}`)
          return change.path === "/work/src/a.txt" || change.path === "/work/src/deep"
        }))
      expect(outcomes).toEqual([
        "added d declined",
        "added m declined",
        "added m/in declined",
        "changed src/a.txt committed",
        "removed src/deep conflict",
        "removed src/deep/c.txt declined",
      ])
      expect(shown[3]).toBe(`/work/src/a.txt a
x
diff --git a/src/a.txt b/src/a.txt
--- a/src/a.txt
+++ b/src/a.txt
@@ -1 +1 @@
-a
+x
`)
      expect(list(folder)).not.toContain("d")
      expect(read(folder, "src/a.txt")).toBe("x\n")
      expect(yield* stdoutOf(sandbox, "cat d m/in; ls src")).toBe("new\nin\na.txt\nb.txt\n")
      expect(yield* commit(sandbox)).toHaveLength(5)
      expect(list(folder)).toEqual(["d", "link", "m", "m/in", "run.sh", "src", "src/a.txt", "src/b.txt"])
    })
  ))

it.live("reports files that others have changed since they were first read, and overwrites them only when told", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      yield* sandbox.run(
        "cat src/a.txt; echo mine > src/b.txt; rm src/deep/c.txt; echo new > both; mv run.sh moved.sh; echo x >> moved.sh",
      )
      fs.writeFileSync(join(folder, "src/a.txt"), "theirs, longer\n")
      fs.writeFileSync(join(folder, "src/b.txt"), "theirs, longer\n")
      fs.writeFileSync(join(folder, "src/deep/c.txt"), "theirs, longer\n")
      fs.writeFileSync(join(folder, "both"), "theirs\n")
      fs.writeFileSync(join(folder, "run.sh"), "theirs, longer\n")
      // Read before it was changed outside, and written without being read again.
      yield* sandbox.run("echo mine > src/a.txt")
      const conflicts: Array<string | undefined> = []
      const outcomes = yield* commit(sandbox, ({ conflict }) => {
        conflicts.push(conflict)
        return true
      })
      expect(outcomes).toEqual([
        "changed both conflict",
        "added moved.sh conflict",
        "removed run.sh conflict",
        "changed src/a.txt conflict",
        "changed src/b.txt conflict",
        "removed src/deep/c.txt conflict",
      ])
      expect(conflicts.every((conflict) => conflict !== undefined)).toBe(true)
      expect(read(folder, "src/b.txt")).toBe("theirs, longer\n")
      const again = yield* commit(sandbox, ({ path }) =>
        path.endsWith("a.txt") || path.endsWith("both") ? "overwrite" : false)
      expect(again.filter((line) =>
        line.endsWith("committed")
      )).toEqual(["changed both committed", "changed src/a.txt committed"])
      expect(read(folder, "src/a.txt") + read(folder, "both")).toBe("mine\nnew\n")
      expect(read(folder, "run.sh")).toBe("theirs, longer\n")
    })
  ))

it.live("of two forks that change one file, the second finds a conflict", () =>
  withProject((sandbox, folder) =>
    Effect.scoped(Effect.gen(function* () {
      const forks = [yield* sandbox.fork, yield* sandbox.fork] as const
      yield* forks[0].run("echo one > src/a.txt; echo one > own1")
      yield* forks[1].run("echo two > src/a.txt; echo two > own2")
      expect(yield* commit(forks[0])).toEqual(["added own1 committed", "changed src/a.txt committed"])
      expect(yield* commit(forks[1])).toEqual(["added own2 committed", "changed src/a.txt conflict"])
      expect(read(folder, "src/a.txt") + read(folder, "own2")).toBe("one\ntwo\n")
    }))
  ))

it.live("keeps a file that was changed outside after it was shown", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      yield* sandbox.run("echo mine > src/a.txt; echo new > added; rm src/b.txt")
      const outcomes = yield* commit(sandbox, ({ path }) => {
        if (path === "/work/added") {
          fs.writeFileSync(join(folder, "added"), "theirs\n")
          fs.writeFileSync(join(folder, "src/a.txt"), "theirs, longer\n")
          fs.writeFileSync(join(folder, "src/b.txt"), "theirs, longer\n")
        }
        return true
      })
      expect(outcomes.map((line) => line.split(" ").at(-1))).toEqual(["conflict", "conflict", "conflict"])
      expect(read(folder, "added") + read(folder, "src/a.txt") + read(folder, "src/b.txt")).toBe(
        "theirs\ntheirs, longer\ntheirs, longer\n",
      )
      expect(list(folder).filter((name) => name.includes(".sluice"))).toEqual([])
    })
  ))

it.live("keeps changes of the sandbox during the question", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      yield* sandbox.run(
        "echo one > src/a.txt; echo one > new; mkdir m; echo one > m/gone; mv src/deep deep; echo one > m/more",
      )
      const outcomes = yield* commit(sandbox, ({ path }) =>
        path === "/work/deep"
          ? Effect.as(
            Effect.orDie(sandbox.run("echo two > src/a.txt; rm new m/gone deep/c.txt; echo two > m/more")),
            true,
          )
          : true)
      expect(outcomes.every((line) => line.endsWith("committed"))).toBe(true)
      expect(read(folder, "src/a.txt") + read(folder, "new") + read(folder, "m/gone") + read(folder, "deep/c.txt"))
        .toBe(
          "one\none\none\nc\n",
        )
      expect(yield* stdoutOf(sandbox, "cat src/a.txt m/more; ls; ls m deep")).toBe(
        "two\ntwo\ndeep\nlink\nm\nrun.sh\nsrc\ndeep:\n\nm:\nmore\n",
      )
      expect(yield* commit(sandbox)).toEqual([
        "removed deep/c.txt committed",
        "removed m/gone committed",
        "changed m/more committed",
        "removed new committed",
        "changed src/a.txt committed",
      ])
      expect(list(folder)).toEqual(["deep", "link", "m", "m/more", "run.sh", "src", "src/a.txt", "src/b.txt"])
    })
  ))

it.live("moves and swaps files and folders", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      yield* sandbox.run(
        "mv src lib; mv lib/a.txt t; mv lib/b.txt lib/a.txt; mv t lib/b.txt; mkdir src; echo s > src/s; rm run.sh; mkdir run.sh; echo i > run.sh/i",
      )
      const outcomes = yield* commit(sandbox)
      expect(outcomes.filter((line) => !line.endsWith("committed"))).toEqual([])
      expect(list(folder)).toEqual([
        "lib",
        "lib/a.txt",
        "lib/b.txt",
        "lib/deep",
        "lib/deep/c.txt",
        "link",
        "run.sh",
        "run.sh/i",
        "src",
        "src/s",
      ])
      expect(read(folder, "lib/a.txt") + read(folder, "lib/b.txt") + read(folder, "lib/deep/c.txt")).toBe("b\na\nc\n")
      expect(yield* commit(sandbox)).toEqual([])
      expect(yield* stdoutOf(sandbox, "cat lib/a.txt lib/b.txt lib/deep/c.txt src/s run.sh/i")).toBe("b\na\nc\ns\ni\n")
    })
  ))

it.live("does not remove files that an uncommitted move still reads", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      yield* sandbox.run("mv src/a.txt a; mv src/deep other")
      const outcomes = yield* commit(sandbox, ({ change }) => change === "removed")
      expect(outcomes).toEqual([
        "added a declined",
        "added other declined",
        "added other/c.txt declined",
        "removed src/a.txt failed EBUSY",
        "removed src/deep failed EBUSY",
        "removed src/deep/c.txt failed EBUSY",
      ])
      expect(yield* stdoutOf(sandbox, "cat a other/c.txt; ls src")).toBe("a\nc\nb.txt\n")
      expect((yield* commit(sandbox)).every((line) => line.endsWith("committed"))).toBe(true)
      expect(list(folder)).toEqual(["a", "link", "other", "other/c.txt", "run.sh", "src", "src/b.txt"])
    })
  ))

it.live("never writes through a link that leads out of the folder", () =>
  withProject((sandbox, folder) =>
    withScratch((outside) =>
      Effect.gen(function* () {
        fs.writeFileSync(join(outside, "kept"), "kept\n")
        yield* sandbox.run("echo evil > src/kept; echo evil > link; echo evil >> run.sh")
        // Replaced by links after the overlay was made.
        fs.renameSync(join(folder, "src"), join(folder, "old"))
        fs.symlinkSync(outside, join(folder, "src"))
        fs.rmSync(join(folder, "run.sh"))
        fs.symlinkSync(join(outside, "kept"), join(folder, "run.sh"))
        const outcomes = yield* commit(sandbox, () => true)
        expect(outcomes.filter((line) => line.endsWith("committed"))).toEqual([])
        yield* commit(sandbox, () => "overwrite")
        expect(list(outside)).toEqual(["kept"])
        expect(read(outside, "kept")).toBe("kept\n")
      })
    )
  ))

it.live("fails where there is no overlay, and as approve does", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      const error = yield* failureOf(sandbox.commit({ approve: () => true, path: "/elsewhere" }))
      expect(error.reason).toEqual({ _tag: "NoOverlay", path: "/elsewhere" })
      yield* sandbox.run("echo x > x; mkdir y; echo y > y/y")
      expect(yield* Effect.flip(sandbox.commit({ approve: () => Effect.fail("no") }))).toBe("no")
      expect(fs.existsSync(join(folder, "x"))).toBe(false)
      expect(yield* commit(sandbox, undefined, "/work/y")).toEqual(["added y committed", "added y/y committed"])
    })
  ))

it.live("commits only what was answered true or overwrite, whatever a callback without types answers", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      yield* sandbox.run("echo x > src/a.txt; echo x > src/b.txt; echo x > src/deep/c.txt")
      const answers: ReadonlyArray<unknown> = [undefined, "no", 1]
      let asked = 0
      const approve = (): boolean => {
        const answer: { decision: boolean } = { decision: false }
        Reflect.set(answer, "decision", answers[asked++])
        return answer.decision
      }
      const outcomes = yield* sandbox.commit({ approve })
      expect(outcomes.map(({ status }) => status)).toEqual(["declined", "declined", "declined"])
      expect(outcomes[0]?.message).toContain("answered neither true")
      expect(read(folder, "src/a.txt")).toBe("a\n")
    })
  ))

it.live("fails once the sandbox is closed, and writes nothing, also while a callback is asked", () =>
  withScratch((folder) =>
    Effect.gen(function* () {
      fs.writeFileSync(join(folder, "a"), "a\n")
      const asked = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<boolean>()
      const opened = yield* Effect.promise(() => OpenSandbox.open({ mounts: { "/work": overlay(hostFolder(folder)) } }))
      yield* Effect.promise(() => opened.run("echo changed > /work/a"))
      const approve = () => {
        asked.resolve()
        return answer.promise
      }
      const committed = opened.commit({ approve }).then(() => "committed", String)
      yield* Effect.promise(() => asked.promise)
      yield* Effect.promise(() => opened.close())
      expect(yield* Effect.promise(() => committed)).toContain("it has been closed")
      answer.resolve(true)
      expect(read(folder, "a")).toBe("a\n")
    })
  ))

it.live("finds a change from outside of the same size whose times were set back", () =>
  withProject((sandbox, folder) =>
    Effect.gen(function* () {
      const path = join(folder, "src/a.txt")
      const edited = join(folder, "src/b.txt")
      // Times that each runtime holds.
      for (const file of [path, edited]) fs.utimesSync(file, 1_000, 1_000)
      yield* sandbox.run("echo replaced > src/a.txt; echo more >> src/b.txt")
      const change = (file: string) => {
        fs.writeFileSync(file, "z\n")
        fs.utimesSync(file, 1_000, 1_000)
      }
      change(path)
      const outcomes = yield* commit(sandbox, (pending) => {
        // Also while it is decided about.
        if (pending.path.endsWith("b.txt")) change(edited)
        return true
      })
      expect(outcomes).toEqual(["changed src/a.txt conflict", "changed src/b.txt conflict"])
      expect(read(folder, "src/a.txt") + read(folder, "src/b.txt")).toBe("z\nz\n")
    })
  ))
