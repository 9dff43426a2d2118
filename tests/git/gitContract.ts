/** Tests every service of the Git branch over a real repository. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Git } from "../../src/git/mod.ts"
import { makeRepository } from "./repository.ts"

export const gitContract = <E>(name: string, layer: (root: string) => Layer.Layer<Git, E>): void => {
  const run = <A, F>(root: string, program: Effect.Effect<A, F, Git>): Promise<A> =>
    Effect.runPromise(Effect.provide(program, layer(root)))
  const kindOf = <A, F extends { readonly faultKind: string }>(root: string, program: Effect.Effect<A, F, Git>) =>
    run(root, Effect.map(Effect.flip(program), ({ faultKind }) => faultKind))

  describe(name, () => {
    it("reports changed files", async () => {
      await using repository = await makeRepository()
      const { remove, rename, root, write } = repository
      write("a.txt", "changed\n")
      write("sub/näme with blank.txt", "new\n")
      remove("b.txt")
      rename("c.txt", "d.txt")
      const before = await run(root, Git.status())
      expect(before).toMatchObject({
        _tag: "GitStatusResult",
        branch: "main",
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      })
      expect(before.files).toEqual(expect.arrayContaining([
        { path: "a.txt", index: ".", worktree: "M" },
        { path: "b.txt", index: ".", worktree: "D" },
        { path: "sub/näme with blank.txt", index: "?", worktree: "?" },
      ]))
      repository.git("add", "--all")
      const { files } = await run(root, Git.status())
      expect(files).toContainEqual({ path: "d.txt", index: "R", worktree: ".", from: "c.txt" })
    })

    it("commits paths, and has them in the log", async () => {
      await using repository = await makeRepository()
      const { root, write } = repository
      write("a.txt", "one\n")
      write("b.txt", "two\n")
      const { commit } = await run(
        root,
        Git.commit('Changes a\n\nWith a body: ä, "quoted" and -- dashes', { paths: ["a.txt"] }),
      )
      expect((await run(root, Git.status())).files).toEqual([{ path: "b.txt", index: ".", worktree: "M" }])
      const { commits } = await run(root, Git.log())
      expect(commits).toEqual([
        {
          commit,
          parents: [commits[1]?.commit],
          author: "A U Thor",
          email: "author@example.org",
          date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          message: 'Changes a\n\nWith a body: ä, "quoted" and -- dashes',
        },
        expect.objectContaining({ message: "First", parents: [] }),
      ])
      expect((await run(root, Git.log({ maxCount: 1 }))).commits.length).toBe(1)
      expect((await run(root, Git.log({ paths: ["b.txt"] }))).commits.map(({ message }) => message)).toEqual(["First"])
    })

    it("commits staged files, and all files by the path of the top folder", async () => {
      await using repository = await makeRepository()
      const { root, write } = repository
      write("a.txt", "one\n")
      expect(await kindOf(root, Git.commit("x"))).toBe("NothingToCommit")
      repository.git("add", "a.txt")
      write("n.txt", "new\n")
      await run(root, Git.commit("staged"))
      expect((await run(root, Git.status())).files).toEqual([{ path: "n.txt", index: "?", worktree: "?" }])
      await run(root, Git.commit("all", { paths: ["."] }))
      expect((await run(root, Git.status())).files).toEqual([])
    })

    it("diffs the working tree, the index and revisions", async () => {
      await using repository = await makeRepository()
      const { root, write } = repository
      write("a.txt", "one\n")
      const changed = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-first\n+one\n"
      expect((await run(root, Git.diff())).diff).toContain(changed)
      expect((await run(root, Git.diff({ paths: ["b.txt"] }))).diff).toBe("")
      expect((await run(root, Git.diff({ staged: true }))).diff).toBe("")
      await run(root, Git.commit("x", { paths: ["."] }))
      expect((await run(root, Git.diff({ from: "HEAD~1", to: "HEAD" }))).diff).toContain(changed)
    })

    it("lists, makes and switches branches", async () => {
      await using repository = await makeRepository()
      const { root } = repository
      await run(root, Git.switchTo("topic/x", { create: true }))
      const { branches, current } = await run(root, Git.branches())
      expect([current, branches.map(({ name }) => name)]).toEqual(["topic/x", ["main", "topic/x"]])
      expect(await kindOf(root, Git.switchTo("main", { create: true }))).toBe("AlreadyExists")
      expect(await run(root, Git.switchTo("main"))).toMatchObject({ _tag: "GitSwitched", branch: "main" })
      expect(await kindOf(root, Git.switchTo("missing"))).toBe("NotFound")
      expect((await run(root, Git.branches())).current).toBe("main")
    })

    it("refuses revisions that are options, and paths outside", async () => {
      await using repository = await makeRepository()
      const { root } = repository
      for (const name of ["--output=x", "-x", "", "a b", "a\nb"]) {
        expect(await kindOf(root, Git.log({ revision: name }))).toBe("InvalidRequest")
        expect(await kindOf(root, Git.diff({ from: name }))).toBe("InvalidRequest")
        expect(await kindOf(root, Git.switchTo(name))).toBe("InvalidRequest")
      }
      for (const path of ["../x", "/etc/passwd", "a/../../x", "", "a\0b"]) {
        expect(await kindOf(root, Git.commit("x", { paths: [path] }))).toBe("InvalidRequest")
      }
      expect(await kindOf(root, Git.commit(" \n"))).toBe("InvalidRequest")
      // git would compare it with the working tree, the other way around.
      expect(await kindOf(root, Git.diff({ to: "main" }))).toBe("InvalidRequest")
    })

    it("takes paths literally, not as patterns or options", async () => {
      await using repository = await makeRepository()
      const { root, write } = repository
      write("a.txt", "one\n")
      write("--all", "x\n")
      expect((await run(root, Git.diff({ paths: ["*.txt", ":(exclude)b.txt"] }))).diff).toBe("")
      await run(root, Git.commit("x", { paths: ["--all"] }))
      expect((await run(root, Git.status())).files).toEqual([{ path: "a.txt", index: ".", worktree: "M" }])
    })

    it("has an empty log and no branches in a repository without commits, and makes the first one", async () => {
      await using repository = await makeRepository()
      const { git, root, write } = repository
      git("update-ref", "-d", "HEAD")
      expect((await run(root, Git.log())).commits).toEqual([])
      expect((await run(root, Git.log({ maxCount: 1, paths: ["a.txt"] }))).commits).toEqual([])
      expect((await run(root, Git.branches())).branches).toEqual([])
      expect(await run(root, Git.status())).toMatchObject({ branch: "main", files: expect.any(Array) })
      expect((await run(root, Git.diff({ staged: true }))).diff).toContain("+++ b/a.txt")
      expect(await kindOf(root, Git.log({ revision: "HEAD" }))).toBe("NotFound")
      expect(await kindOf(root, Git.log({ revision: "main" }))).toBe("NotFound")
      await run(root, Git.commit("Is the first"))
      expect((await run(root, Git.log())).commits.map(({ message }) => message)).toEqual(["Is the first"])
      write(".git/refs/heads/main", "0123456789abcdef0123456789abcdef01234567\n")
      expect(await kindOf(root, Git.log())).toBe("Failed")
    })

    it("has a fault for anything missing", async () => {
      await using repository = await makeRepository()
      const { root } = repository
      expect(await kindOf(root, Git.log({ revision: "missing" }))).toBe("NotFound")
      expect(await kindOf(root, Git.commit("x", { paths: ["missing.txt"] }))).toBe("NotFound")
      expect(await kindOf(`${root}/sub`, Git.status())).toBe("NotARepository")
    })
  })
}
