/** Tests the operations of every service of the Git branch that need no working tree, on a real repository. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Git, type GitFault, type GitFileChange } from "../../src/git/mod.ts"
import { makeRepository, type Repository } from "./repository.ts"

export interface Served<E> extends AsyncDisposable {
  readonly layer: Layer.Layer<Git, E>
}

export interface TreeFeatures {
  /** Whether it opens pull requests; if not, it has a working tree. */
  readonly isHost: boolean
}

export const treeContract = <E>(
  name: string,
  serve: (repository: Repository) => Promise<Served<E>>,
  { isHost }: TreeFeatures,
): void => {
  /** A service over a repository, and its programs as promises. */
  const open = async () => {
    const repository = await makeRepository()
    const served = await serve(repository)
    const run = <A, F>(program: Effect.Effect<A, F, Git>): Promise<A> =>
      Effect.runPromise(Effect.provide(program, served.layer))
    return {
      ...repository,
      run,
      faultOf: <A>(program: Effect.Effect<A, GitFault, Git>) => run(Effect.flip(program)),
      kindOf: <A>(program: Effect.Effect<A, GitFault, Git>) =>
        run(Effect.map(Effect.flip(program), ({ faultKind }) => faultKind)),
      [Symbol.asyncDispose]: async () => {
        await served[Symbol.asyncDispose]()
        await repository[Symbol.asyncDispose]()
      },
    }
  }
  const put = (path: string, content: string | Uint8Array): GitFileChange => ({ path, content })
  const remove = (path: string): GitFileChange => ({ path, remove: true })
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

  describe(name, () => {
    it("lists and reads the files of a commit, as bytes", async () => {
      await using it = await open()
      const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
      const { commit } = await it.run(
        Git.commitFiles("topic", "Adds", [put("bin/ä b%2f#?.dat", bytes), put("empty", "")], { from: "main" }),
      )
      expect(it.git("rev-parse", "topic").trim()).toBe(commit)
      const { files } = await it.run(Git.files({ revision: "topic" }))
      expect(files.map(({ path }) => path)).toEqual([
        "a.txt",
        "b.txt",
        "bin/ä b%2f#?.dat",
        "c.txt",
        "empty",
        "sub/e.txt",
      ])
      expect(files[0]).toEqual({ path: "a.txt", mode: "100644", hash: it.git("rev-parse", "main:a.txt").trim() })
      expect((await it.run(Git.files({ paths: ["sub", "a.txt"] }))).files.map(({ path }) => path))
        .toEqual(["a.txt", "sub/e.txt"])
      expect((await it.run(Git.read("bin/ä b%2f#?.dat", { revision: commit }))).content).toEqual(bytes)
      expect((await it.run(Git.read("empty", { revision: "topic" }))).content).toHaveLength(0)
      expect(text((await it.run(Git.read("sub/e.txt"))).content)).toBe("fifth\n")
    })

    it("has no file that is missing, a folder, or outside", async () => {
      await using it = await open()
      expect(await it.kindOf(Git.read("missing.txt"))).toBe("NotFound")
      expect(await it.kindOf(Git.read("a.txt", { revision: "missing" }))).toBe("NotFound")
      expect(await it.kindOf(Git.files({ revision: "missing" }))).toBe("NotFound")
      expect(await it.kindOf(Git.read("sub"))).toMatch(/^(InvalidRequest|NotFound)$/)
      for (const path of ["../a.txt", "/a.txt", "", ".", "sub/..", "sub//e.txt", ".git/config", "a\0b", "\ud800"]) {
        expect(await it.kindOf(Git.read(path))).toBe("InvalidRequest")
        expect(await it.kindOf(Git.commitFiles("topic", "x", [put(path, "x")], { from: "main" }))).toBe(
          "InvalidRequest",
        )
      }
    })

    it("makes branches, and lists them", async () => {
      await using it = await open()
      const main = it.git("rev-parse", "main").trim()
      for (const branch of ["topic/x", "tøpic-#1", "100%", "a'b(c)!"]) {
        expect(await it.run(Git.createBranch(branch, { from: "main" }))).toMatchObject({ branch, commit: main })
      }
      const { branches, current } = await it.run(Git.branches())
      expect(current).toBe("main")
      expect(branches.map((each) => each.name).toSorted()).toEqual(["100%", "a'b(c)!", "main", "topic/x", "tøpic-#1"])
      expect(new Set(branches.map((each) => each.commit))).toEqual(new Set([main]))
      expect(await it.kindOf(Git.createBranch("topic/x", { from: "main" }))).toBe("AlreadyExists")
      expect(await it.kindOf(Git.createBranch("topic/y", { from: "missing" }))).toBe("NotFound")
      for (const branch of ["a..b", "a b", "-x", ".", "..", "a/../b", "a.lock", "a?b", "a@{1}", "", "/a", "a/", "@"]) {
        expect(await it.kindOf(Git.createBranch(branch))).toBe("InvalidRequest")
        expect(await it.kindOf(Git.openPullRequest(branch, "x"))).toBe("InvalidRequest")
      }
    })

    it("commits files, which are in the log and in a diff", async () => {
      await using it = await open()
      await it.run(Git.createBranch("topic", { from: "main" }))
      const message = 'Changes a\n\nWith a body: ä, "quoted"'
      const files = [put("a.txt", "one\n"), put("new/näme with blank.txt", "new\n"), remove("b.txt")]
      const { commit } = await it.run(Git.commitFiles("topic", message, files))
      const { commits } = await it.run(Git.log({ revision: "topic" }))
      expect(commits.map((each) => each.message)).toEqual([message, "First"])
      expect(commits[0]).toMatchObject({ commit, parents: [commits[1]?.commit], email: "author@example.org" })
      expect((await it.run(Git.log({ revision: "topic", maxCount: 1 }))).commits).toHaveLength(1)
      expect((await it.run(Git.log({ revision: "topic", paths: ["a.txt"] }))).commits).toHaveLength(2)
      expect((await it.run(Git.log({ revision: "topic", paths: ["c.txt"] }))).commits).toHaveLength(1)
      expect(it.git("diff", "--name-status", "main", "topic")).toBe(
        'M\ta.txt\nD\tb.txt\nA\t"new/n\\303\\244me with blank.txt"\n',
      )
      const { diff } = await it.run(Git.diff({ from: "main", to: "topic" }))
      expect(diff).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-first\n+one\n")
      expect(diff).toContain("--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-second\n")
      // git quotes the name, unless a setting says otherwise.
      expect(diff).toMatch(/--- \/dev\/null\n\+\+\+ "?b\/new\/n/)
      const only = await it.run(Git.diff({ from: "main", to: "topic", paths: ["new", "missing"] }))
      expect(only.diff).toMatch(/^diff --git (?=.*new\/)/)
      expect(only.diff).not.toContain("a.txt")
      expect((await it.run(Git.diff({ from: "main", to: "main" }))).diff).toBe("")
      expect(await it.kindOf(Git.log({ revision: "missing" }))).toBe("NotFound")
      expect(await it.kindOf(Git.diff({ from: "main", to: "missing" }))).toBe("NotFound")
    })

    it("gives diffs that git applies, of all files or of some", async () => {
      await using it = await open()
      const names = ['quo"te.txt', "tab\there.txt", "back\\slash.txt", "ä b.txt", " x", "new/plain.txt", "newer.txt"]
      const files = [...names.map((path) => put(path, "line\nno end")), put("empty", ""), remove("b.txt")]
      await it.run(Git.commitFiles("topic", "x", [...files, { path: "a.txt", content: "first\n", executable: true }], {
        from: "main",
      }))
      // A rename.
      const moved = [remove("c.txt"), put("sub/ç.txt", "third, which is long enough to be found again\n")]
      await it.run(Git.commitFiles("topic", "y", moved))
      const { diff } = await it.run(Git.diff({ from: "main", to: "topic" }))
      it.write("all.diff", diff)
      it.git("apply", "--cached", "all.diff")
      expect(it.git("write-tree")).toBe(it.git("rev-parse", "topic^{tree}"))
      for (const path of [...names, "empty", "b.txt", "a.txt", "sub/ç.txt", "new", "new/", "sub", "ne", "."]) {
        it.git("reset", "--quiet")
        const only = await it.run(Git.diff({ from: "main", to: "topic", paths: [path] }))
        it.write("only.diff", only.diff)
        const changed = it.git("diff", "--name-only", "-z", "--no-renames", "main", "topic", "--", path)
        if (only.diff === "") expect([path, changed]).toEqual([path, ""])
        else it.git("apply", "--cached", "--include=*", "only.diff")
        const applied = it.git("diff", "--cached", "--name-only", "-z", "--no-renames", "main")
        // A host gives both sides of a rename.
        const both = isHost && path.startsWith("sub") ? `c.txt\0${changed}` : changed
        expect([path, applied]).toEqual([path, both])
      }
    })

    it("keeps the mode of a file, and changes it", async () => {
      await using it = await open()
      const modes = (revision: string) => it.git("ls-tree", "-r", revision).match(/^\d+/gm)
      const run = { path: "a.txt", content: "#!/bin/sh\n", executable: true }
      await it.run(Git.commitFiles("topic", "x", [run], { from: "main" }))
      expect(modes("topic")).toEqual(["100755", "100644", "100644", "100644"])
      await it.run(Git.commitFiles("topic", "y", [put("a.txt", "#!/bin/bash\n"), put("b.txt", "x")]))
      expect(modes("topic")).toEqual(["100755", "100644", "100644", "100644"])
      await it.run(Git.commitFiles("topic", "z", [{ path: "a.txt", content: "#!/bin/bash\n", executable: false }]))
      expect(modes("topic")).toEqual(["100644", "100644", "100644", "100644"])
      expect(await it.kindOf(Git.commitFiles("topic", "w", [put("b.txt", "x")]))).toBe("NothingToCommit")
    })

    it("commits all of it or nothing", async () => {
      await using it = await open()
      const main = it.git("rev-parse", "main").trim()
      const fail = async (files: ReadonlyArray<GitFileChange>, kind: string | RegExp, branch = "topic") => {
        expect(await it.kindOf(Git.commitFiles(branch, "x", files, { from: "main" }))).toMatch(kind)
        expect(it.git("for-each-ref", "--format=%(refname) %(objectname)")).toBe(`refs/heads/main ${main}\n`)
      }
      await fail([put("a.txt", "x"), remove("missing.txt")], "NotFound")
      await fail([put("a.txt", "x"), put("a.txt", "y")], "InvalidRequest")
      await fail([put("x", "x"), put("x/y", "y")], "InvalidRequest")
      await fail([put("new.txt", "x"), put("a.txt/b", "y")], /^(InvalidRequest|Conflict|Failed)$/)
      await fail([put("new.txt", "x"), put("sub", "y")], /^(InvalidRequest|Conflict|Failed)$/)
      await fail([put("new.txt", "x")], "AlreadyExists", "main")
      expect(await it.kindOf(Git.commitFiles("missing", "x", [put("a.txt", "x")]))).toBe("NotFound")
      expect(await it.kindOf(Git.commitFiles("topic", "x", [put("a.txt", "x")], { from: "missing" }))).toBe("NotFound")
      expect(await it.kindOf(Git.commitFiles("topic", " \n", [put("a.txt", "x")], { from: "main" })))
        .toBe("InvalidRequest")
    })

    it("refuses a commit on a branch that has moved on", async () => {
      await using it = await open()
      const { commit } = await it.run(Git.createBranch("topic", { from: "main" }))
      const { commit: next } = await it.run(Git.commitFiles("topic", "other", [put("a.txt", "theirs\n")]))
      const fault = await it.faultOf(Git.commitFiles("topic", "x", [put("a.txt", "ours\n")], { parent: commit }))
      expect([fault.faultKind, fault.message]).toEqual(["Conflict", expect.stringContaining("read it again")])
      const renamed = Git.commitFiles("topic", "x", [put("b.txt", "ours\n")], { parent: commit })
      expect(await it.kindOf(renamed)).toBe("Conflict")
      expect(it.git("rev-parse", "topic").trim()).toBe(next)
      await it.run(Git.commitFiles("topic", "x", [put("a.txt", "ours\n")], { parent: next }))
      expect(it.git("show", "topic:a.txt")).toBe("ours\n")
    })

    it("refuses unsupported operations, and names an implementation that supports them", async () => {
      await using it = await open()
      if (!isHost) {
        const fault = await it.faultOf(Git.openPullRequest("topic", "x"))
        expect([fault.faultKind, fault.message]).toEqual([
          "Unsupported",
          "git open pull request: git has none: use GitHubGit or GitLabGit",
        ])
        expect(await it.kindOf(Git.commitFiles("main", "x", [put("a.txt", "x")]))).toBe("InvalidRequest")
        return
      }
      for (
        const program of [Git.status(), Git.commit("x"), Git.switchTo("main"), Git.diff(), Git.diff({ staged: true })]
      ) {
        const fault = await it.run(Effect.flip<unknown, GitFault, Git>(program))
        expect([fault.faultKind, fault.message]).toEqual(["Unsupported", expect.stringContaining("no working tree")])
      }
    })

    if (!isHost) return

    it("opens one pull request of a branch", async () => {
      await using it = await open()
      await it.run(Git.commitFiles("topic/x", "x", [put("a.txt", "one\n")], { from: "main" }))
      const opened = await it.run(Git.openPullRequest("topic/x", "Changes a", { body: "Why: ä", draft: true }))
      expect(opened).toMatchObject({ number: 1, url: expect.stringMatching(/^https?:.*\/1$/) })
      expect(await it.kindOf(Git.openPullRequest("topic/x", "Again", { into: "main" }))).toBe("AlreadyExists")
      expect(await it.kindOf(Git.openPullRequest("missing", "x", { into: "main" }))).toBe("NotFound")
      expect(await it.kindOf(Git.openPullRequest("topic/x", " "))).toBe("InvalidRequest")
    })
  })
}
