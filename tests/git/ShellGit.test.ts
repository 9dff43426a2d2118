import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { serviceLayers } from "../../src/branch/mod.ts"
import { Git, GitBranch, ShellGit } from "../../src/git/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { gitContract } from "./gitContract.ts"
import { makeRepository, type Repository } from "./repository.ts"
import { treeContract } from "./treeContract.ts"

const leaf = (root: string) => ShellGit.layer({ root }).pipe(Layer.provide(LocalShell.layer))
const { client, daemon, journaled } = serviceLayers(GitBranch, Git)

gitContract("the leaf that runs git", leaf)
gitContract("a journaled one", (root) => Layer.provide(journaled, Layer.merge(leaf(root), MemoryJournal.layer)))
gitContract(
  "the client of a daemon",
  (root) => client.pipe(Layer.merge(daemon.pipe(Layer.provide(leaf(root)))), Layer.provide(MemoryJournal.layer)),
)

const kept = <E>(layer: Layer.Layer<Git, E>) =>
  Promise.resolve({ layer, [Symbol.asyncDispose]: () => Promise.resolve() })
treeContract("the leaf that runs git, on commits", ({ root }) => kept(leaf(root)), { isHost: false })
treeContract(
  "the client of a daemon, on commits",
  ({ root }) =>
    kept(
      client.pipe(Layer.merge(daemon.pipe(Layer.provide(leaf(root)))), Layer.provide(MemoryJournal.layer)),
    ),
  { isHost: false },
)

const run = <A, F>(root: string, program: Effect.Effect<A, F, Git>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, leaf(root)))

/** All that the branch can do, one after another; what fails does not matter. */
const everything = Effect.all(
  [
    Git.status(),
    Git.diff(),
    Git.diff({ staged: true }),
    Git.diff({ from: "HEAD~1", to: "HEAD" }),
    Git.commit("all", { paths: ["."] }),
    Git.commit("again", { paths: ["."] }),
    Git.commit("nothing"),
    Git.log(),
    Git.log({ paths: ["a.txt"] }),
    Git.branches(),
    Git.switchTo("topic", { create: true }),
    Git.switchTo("main"),
    Git.status(),
    Git.files(),
    Git.read("a.txt"),
    Git.createBranch("made"),
    Git.commitFiles("made", "all", [{ path: "a.txt", content: "x" }]),
  ].map((program) => Effect.ignore(program)),
  { discard: true },
)

/** Repositories whose settings name programs. Each gets the command that makes the canary. */
const traps: ReadonlyArray<readonly [name: string, lay: (repository: Repository, command: string) => void]> = [
  ...[
    ...["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand"],
    ...["diff.external", "pager.log", "pager.diff", "pager.status", "pager.branch", "sequence.editor", "core.gitProxy"],
    ...["credential.helper", "interactive.diffFilter", "gpg.program", "gpg.ssh.program", "ssh.variant"],
  ].map((key) => [key, ({ git }: Repository, command: string) => void git("config", key, command)] as const),
  ...["clean", "smudge", "process"].map((kind) =>
    [`filter.evil.${kind}`, ({ git, write }: Repository, command: string) => {
      git("config", `filter.evil.${kind}`, command)
      git("config", "filter.evil.required", "true")
      write(".gitattributes", "* filter=evil\n")
    }] as const
  ),
  ...["command", "textconv"].map((kind) =>
    [`diff.evil.${kind}`, ({ git, write }: Repository, command: string) => {
      git("config", `diff.evil.${kind}`, command)
      write(".gitattributes", "* diff=evil\n")
    }] as const
  ),
  ["a filter in an included file", ({ git, root, write }, command) => {
    git("config", "include.path", join(root, "included"))
    write("included", `[filter "a.b=c"]\n\tclean = ${JSON.stringify(command)}\n`)
    write(".gitattributes", "* filter=a.b=c\n")
  }],
  ["signatures", ({ git, root, write }, command) => {
    write(
      ".git/sign",
      `#!/bin/sh
${command}
`,
    )
    chmodSync(join(root, ".git/sign"), 0o755)
    git("config", "gpg.program", join(root, ".git/sign"))
    git("config", "commit.gpgSign", "true")
    git("config", "log.showSignature", "true")
  }],
  ["every hook", ({ root, write }, command) => {
    for (
      const hook of [
        ...["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "pre-auto-gc"],
        ...["post-index-change", "reference-transaction", "fsmonitor-watchman", "post-rewrite"],
      ]
    ) {
      write(`.git/hooks/${hook}`, `#!/bin/sh\n${command}\n`)
      chmodSync(join(root, ".git/hooks", hook), 0o755)
    }
  }],
  // Since git 2.54.
  ["a hook of the settings", ({ git }, command) => {
    for (const event of ["pre-commit", "post-commit", "post-checkout", "post-index-change", "reference-transaction"]) {
      git("config", "--add", "hook.evil.event", event)
    }
    git("config", "hook.evil.command", command)
  }],
  ["hooks elsewhere", ({ git, root, write }, command) => {
    git("config", "core.hooksPath", "evil")
    write("evil/pre-commit", `#!/bin/sh\n${command}\n`)
    chmodSync(join(root, "evil/pre-commit"), 0o755)
  }],
  ["an alias", ({ git }, command) => {
    for (const name of ["status", "diff", "log", "commit", "switch"]) git("config", `alias.${name}`, `!${command}`)
  }],
  ["a partial clone that lacks objects", ({ git, root }, command) => {
    const blob = git("rev-parse", "HEAD:a.txt").trim()
    git("config", "remote.origin.url", `ext::${command}`)
    git("config", "remote.origin.promisor", "true")
    git("config", "remote.origin.partialclonefilter", "blob:none")
    git("config", "protocol.ext.allow", "always")
    git("config", "extensions.partialClone", "origin")
    git("config", "core.repositoryFormatVersion", "1")
    rmSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)))
  }],
  ...["a submodule with a filter", "a folder with a repository of its own, with a filter"].map((name, index) =>
    [name, ({ git, root, write }: Repository, command: string) => {
      const inner = (...args: ReadonlyArray<string>) => git("-C", "inner", ...args)
      git("init", "--quiet", "inner")
      write("inner/f", "a\n")
      inner("add", "f")
      inner("-c", "user.name=a", "-c", "user.email=b@c", "commit", "--quiet", "--message=x")
      if (index === 0) git("add", "inner")
      write("inner/.gitattributes", "* filter=evil\n")
      inner("config", "filter.evil.clean", command)
      // As many bytes as before: only the filter tells whether it is the same.
      write("inner/f", "b\n")
      write(".gitmodules", '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n')
      git("-C", root, "config", "submodule.inner.ignore", "none")
      git("config", "status.submoduleSummary", "true")
      git("config", "diff.submodule", "diff")
    }] as const
  ),
  ["a submodule with a monitor", ({ git, root, write }, command) => {
    git("init", "--quiet", "inner")
    git("-C", "inner", "-c", "user.name=a", "-c", "user.email=b@c", "commit", "--quiet", "--allow-empty", "--message=x")
    git("add", "inner")
    write(".gitmodules", '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n')
    git("-C", join(root, "inner"), "config", "core.fsmonitor", command)
    git("config", "diff.ignoreSubmodules", "none")
    git("config", "submodule.recurse", "true")
  }],
]

// What git does is the same under every runtime: Bun and Node start it for one trap of each kind.
const ofEachKind = ["core.fsmonitor", "diff.external", "filter.evil.clean", "every hook", "an alias"]
const trapsHere = traps.filter(([name]) => "Deno" in globalThis || ofEachKind.includes(name))

describe.runIf(process.platform !== "win32")("a repository of a stranger runs nothing by", () => {
  it.each(trapsHere)("%s", async (_, lay) => {
    await using repository = await makeRepository()
    const { root, write } = repository
    write("a.txt", "one\n")
    repository.git("commit", "--quiet", "--all", "--message=Second")
    const canary = join(root, ".git", "canary")
    lay(repository, `touch ${canary}`)
    write("a.txt", "two\n")
    await run(root, everything)
    expect(existsSync(canary)).toBe(false)
  })

  it.runIf("Deno" in globalThis)("where git itself would: the traps are real", async () => {
    const sprung: Array<string> = []
    for (const [name, lay] of traps) {
      await using repository = await makeRepository()
      const { root, write } = repository
      write("a.txt", "one\n")
      repository.git("commit", "--quiet", "--all", "--message=Second")
      const canary = join(root, ".git", "canary")
      lay(repository, `touch ${canary}`)
      write("a.txt", "two\n")
      for (
        const args of [
          ["status"],
          ["diff"],
          ["add", "--all"],
          ["commit", "--message=x"],
          ["commit", "--message=y"],
          ["-p", "log", "--patch"],
          ["switch", "--create", "topic"],
          ["checkout", "HEAD~1", "--", "a.txt"],
        ]
      ) {
        try {
          repository.git(...args)
        } catch {
          // A trap may end git with an error.
        }
      }
      if (existsSync(canary)) sprung.push(name)
    }
    expect(sprung).toEqual(expect.arrayContaining([
      "core.fsmonitor",
      "diff.external",
      "filter.evil.clean",
      "filter.evil.process",
      "diff.evil.command",
      "diff.evil.textconv",
      "a filter in an included file",
      "signatures",
      "every hook",
      "hooks elsewhere",
      "a submodule with a monitor",
      "a submodule with a filter",
      "a folder with a repository of its own, with a filter",
    ]))
  })

  it("another working tree that its settings name", async () => {
    await using repository = await makeRepository()
    await using other = await makeRepository()
    repository.git("config", "core.worktree", other.root)
    other.write("secret.txt", "x\n")
    const { files } = await run(repository.root, Git.status())
    expect(files.map(({ path }) => path)).not.toContain("secret.txt")
  })

  it("a folder above: no repository is looked for there", async () => {
    await using repository = await makeRepository()
    const fault = await run(join(repository.root, "sub"), Effect.flip(Git.log()))
    expect(fault).toMatchObject({ faultKind: "NotARepository", message: expect.stringContaining("git log: ") })
  })
})

describe("a leaf", () => {
  it("turns off hooks named by a repository's settings, but not the user's own", async () => {
    await using repository = await makeRepository()
    await using user = await makeRepository()
    user.write("config", '[hook "own"]\n\tevent = post-commit\n\tcommand = true\n')
    for (const name of ["evil", "a.b=c"]) repository.git("config", `hook.${name}.command`, "false")
    repository.git("config", "hook.event.event", "post-commit")
    repository.git("config", "hook.jobs", "2")
    const given: Array<ShellExec> = []
    const program = Effect.gen(function* () {
      const shell = yield* Shell
      const git = yield* Effect.provideService(ShellGit.make({ root: repository.root }), Shell, {
        ...shell,
        exec: (exec, options) => {
          given.push(exec)
          const environment = { ...exec.environment, GIT_CONFIG_GLOBAL: join(user.root, "config") }
          return shell.exec(new ShellExec({ ...exec, environment }), options)
        },
      })
      return yield* Effect.provideService(Git.status(), Git, git)
    })
    await Effect.runPromise(Effect.provide(program, LocalShell.layer))
    const { environment = {} } = given.at(-1) ?? {}
    const settings = Object.keys(environment).filter((name) => name.startsWith("GIT_CONFIG_KEY_")).map((name) => [
      environment[name],
      environment[name.replace("KEY", "VALUE")],
    ])
    expect(settings.filter(([key]) => String(key).startsWith("hook."))).toEqual(
      expect.arrayContaining(["evil", "a.b=c", "event"].map((name) => [`hook.${name}.enabled`, "false"])),
    )
    expect(JSON.stringify(settings)).not.toMatch(/hook\.(own|enabled|jobs)/)
  })

  it("commits and logs where settings demand signatures, other encodings and a changed log", async () => {
    await using repository = await makeRepository()
    const { git, root, write } = repository
    for (const key of ["commit.gpgSign", "log.showSignature", "log.follow", "log.decorate"]) git("config", key, "true")
    git("config", "i18n.commitEncoding", "ISO-8859-1")
    git("config", "i18n.logOutputEncoding", "UTF-16")
    git("config", "color.ui", "always")
    write("a.txt", "one\n")
    const { commit } = await run(root, Git.commit("ä €", { paths: ["."] }))
    const { commits } = await run(root, Git.log())
    expect(commits.map(({ message }) => message)).toEqual(["ä €", "First"])
    expect(git("cat-file", "commit", commit)).not.toMatch(/^(gpgsig|encoding)/m)
  })

  it("asks the repository, whatever settings its own environment names", async () => {
    await using repository = await makeRepository()
    const { root, write } = repository
    repository.git("config", "filter.evil.clean", `touch ${join(root, ".git", "canary")}`)
    write(".gitattributes", "* filter=evil\n")
    write("a.txt", "other\n")
    const before = process.env["GIT_CONFIG"]
    process.env["GIT_CONFIG"] = "/dev/null"
    try {
      await run(root, Git.commit("x", { paths: ["."] }))
    } finally {
      if (before === undefined) delete process.env["GIT_CONFIG"]
      else process.env["GIT_CONFIG"] = before
    }
    expect(existsSync(join(root, ".git", "canary"))).toBe(false)
  })

  it("knows branches by their full names, also beside tags of the same name", async () => {
    await using repository = await makeRepository()
    repository.git("branch", "(x)")
    repository.git("tag", "main")
    const names = (await run(repository.root, Git.branches())).branches.map(({ name }) => name)
    expect(names).toEqual(["(x)", "main"])
    repository.git("switch", "--quiet", "(x)")
    expect((await run(repository.root, Git.status())).branch).toBe("(x)")
  })

  it("commits a merge that changes nothing, and all other changes that git add stages", async () => {
    await using repository = await makeRepository()
    const { git, remove, root, write } = repository
    git("switch", "--quiet", "--create", "topic")
    git("commit", "--quiet", "--allow-empty", "--message=Empty")
    git("switch", "--quiet", "main")
    git("merge", "--quiet", "--no-ff", "--no-commit", "topic")
    await run(root, Git.commit("Merges"))
    expect((await run(root, Git.log({ maxCount: 1 }))).commits[0]?.parents).toHaveLength(2)
    remove("a.txt")
    write("a.txt/now a folder", "x\n")
    rmSync(join(root, "sub"), { recursive: true })
    write("sub", "now a file\n")
    await run(root, Git.commit("All", { paths: ["."] }))
    expect(git("status", "--porcelain")).toBe("")
  })

  it("commits a submodule's new commit, and leaves out changes of its files", async () => {
    await using repository = await makeRepository()
    const { git, root, write } = repository
    const commit = (message: string) =>
      git(
        "-C",
        "inner",
        "-c",
        "user.name=a",
        "-c",
        "user.email=b@c",
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        message,
      )
    git("init", "--quiet", "inner")
    commit("x")
    git("add", "inner")
    git("commit", "--quiet", "--message=Adds inner")
    write("inner/f", "x\n")
    expect((await run(root, Git.status())).files).toEqual([])
    commit("y")
    expect((await run(root, Git.status())).files).toEqual([{ path: "inner", index: ".", worktree: "M" }])
    await run(root, Git.commit("Updates inner", { paths: ["inner"] }))
    expect((await run(root, Git.diff({ from: "HEAD~1", to: "HEAD" }))).diff).toContain("+Subproject commit ")
  })

  it("commits no files on a branch that moves while it does", async () => {
    await using repository = await makeRepository()
    const { git, root } = repository
    git("branch", "topic")
    git("commit", "--quiet", "--allow-empty", "-m", "theirs")
    const theirs = git("rev-parse", "HEAD").trim()
    const moving = Layer.effect(
      Shell,
      Effect.map(Shell, (shell) =>
        Shell.make({
          ...shell,
          exec: (exec, options) => {
            const isCommit = String(exec.arguments).includes("fast-import") &&
              new TextDecoder().decode(exec.input instanceof Uint8Array ? exec.input : undefined).includes(
                "\ncommit refs",
              )
            if (isCommit) git("branch", "--force", "topic", theirs)
            return shell.exec(exec, options)
          },
        })),
    )
    const layer = ShellGit.layer({ root }).pipe(Layer.provide(moving), Layer.provide(LocalShell.layer))
    const commit = Git.commitFiles("topic", "ours", [{ path: "a.txt", content: "ours\n" }])
    const fault = await Effect.runPromise(Effect.provide(Effect.flip(commit), layer))
    expect(fault).toMatchObject({ faultKind: "Conflict" })
    expect(git("rev-parse", "topic").trim()).toBe(theirs)
  })

  it("refuses an answer that is too large", async () => {
    await using repository = await makeRepository()
    repository.write("a.txt", "line\n".repeat(10_000))
    const layer = ShellGit.layer({ root: repository.root, maxBytes: 1_000 }).pipe(Layer.provide(LocalShell.layer))
    const fault = await Effect.runPromise(Effect.provide(Effect.flip(Git.diff()), layer))
    expect(fault).toMatchObject({ faultKind: "TooLarge", message: "git diff: the answer is larger than 1000 bytes" })
  })

  it("fails where a folder is missing", async () => {
    const fault = await run("/nowhere/at/all", Effect.flip(Git.status()))
    expect(fault.faultKind).toBe("Failed")
    expect(fault.message).toContain("/nowhere/at/all")
  })

  it("refuses invalid options", async () => {
    const wrong = [["root", { root: "" }], ["maxBytes", { root: "/", maxBytes: 0 }], ["timeout", {
      root: "/",
      timeout: 0,
    }]] as const
    for (const [option, options] of wrong) {
      const layer = Layer.provide(ShellGit.layer(options), LocalShell.layer)
      const error = await Effect.runPromise(Effect.flip(Effect.provide(Git.status(), layer)))
      expect(error).toMatchObject({ _tag: "OptionError", option })
    }
  })

  it("answers without limits", async () => {
    await using repository = await makeRepository()
    const options = { root: repository.root, maxBytes: Infinity, timeout: Infinity }
    const layer = Layer.provide(ShellGit.layer(options), LocalShell.layer)
    expect((await Effect.runPromise(Effect.provide(Git.log(), layer))).commits).toHaveLength(1)
  })

  it("has each request and its answer in a journal, which replays without git", async () => {
    await using repository = await makeRepository()
    const { replay } = serviceLayers(GitBranch, Git)
    const program = Effect.gen(function* () {
      const layer = Layer.provide(journaled, leaf(repository.root))
      const first = yield* Effect.provide(Git.log(), layer)
      const again = yield* Effect.provide(Git.log(), replay)
      expect(again.commits).toEqual(first.commits)
      return (yield* Journal.read()).map(({ tag }) => tag)
    })
    expect(await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))).toEqual([
      "GitLog",
      "LeaseTaken",
      "GitLogResult",
    ])
  })
})
