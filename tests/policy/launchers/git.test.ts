/** git behind a list that has nothing else that writes or runs: real repositories, the ways to make it run a program. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync } from "node:fs"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { LocalShell } from "../../../src/leaves/local/LocalShell.ts"
import { AccessPolicy, servedVariables } from "../../../src/policy/mod.ts"
import { Shell } from "../../../src/shell/Shell.ts"
import { type Workshop, workshop } from "../../support/workshop.ts"
import { said, type Settings, told } from "../support.ts"

const policy: Settings = { allowedCommands: ["git", "ls"] }

const person = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
}

/** git as the owner of the files runs it, past any policy. */
const git = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", directory, "-c", "protocol.file.allow=always", ...args], {
    encoding: "utf8",
    env: { ...process.env, ...person },
    stdio: ["ignore", "pipe", "pipe"],
  })

/** A repository with one commit. */
const repository = (shop: Workshop, name = "r"): string => {
  const path = shop.makeDirectory(name)
  git(path, "init", "-q", "-b", "main")
  shop.write(`${name}/a`, "a\n")
  git(path, "add", "a")
  git(path, "commit", "-qm", "first")
  return path
}

/** A patch that makes a file. */
const patch = (file: string, lines: ReadonlyArray<string>, mode = "100644"): string =>
  [
    `diff --git a/${file} b/${file}`,
    `new file mode ${mode}`,
    "--- /dev/null",
    `+++ b/${file}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    "",
  ].join("\n")

/** A patch that puts lines before those of a file. */
const insertion = (file: string, lines: ReadonlyArray<string>): string =>
  [
    `diff --git a/${file} b/${file}`,
    `--- a/${file}`,
    `+++ b/${file}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    "",
  ].join("\n")

/** A patch that adds lines behind those of a file. */
const addition = (file: string, before: ReadonlyArray<string>, lines: ReadonlyArray<string>): string =>
  [
    `diff --git a/${file} b/${file}`,
    `--- a/${file}`,
    `+++ b/${file}`,
    `@@ -1,${before.length} +1,${before.length + lines.length} @@`,
    ...before.map((line) => ` ${line}`),
    ...lines.map((line) => `+${line}`),
    "",
  ].join("\n")

/** Feeds a text to a command of the script. */
const feed = (command: string, text: string): string => `${command} <<'END OF TEXT'\n${text}END OF TEXT\n`

const bareConfig = ["[core]", "\trepositoryformatversion = 0", "\tfilemode = true", "\tbare = true"]

/** Scripts that made git run `touch M`, each in a repository of its own; `M` stands beside it. */
const exploits: Readonly<Record<string, (mark: string) => string>> = {
  "an alias in a bare repository's settings": (mark) =>
    `git init -q --bare b\n${
      feed("git apply -", addition("b/config", bareConfig, ["[alias]", `\tx = !touch ${mark}`]))
    }git -C b x`,
  "a bare repository's fsmonitor": (mark) =>
    `git init -q --bare b\n${
      feed(
        "git apply -",
        addition("b/config", bareConfig, [
          "\tworktree = ..",
          "[core]",
          "\tbare = false",
          `\tfsmonitor = "touch ${mark}; false"`,
        ]),
      )
    }git -C b status`,
  "the same with --bare": (mark) =>
    `git init -q --bare b\n${
      feed("git apply -", addition("b/config", bareConfig, ['[tar "x"]', `\tcommand = touch ${mark}; cat`]))
    }git push -q ./b HEAD:main; git -C b --bare archive --format=x main`,
  "a patch of the folder that it stands in": (mark) => {
    const lines = [...bareConfig.slice(0, 3), "\tbare = false", "\tlogallrefupdates = true"]
    const apply = feed("git apply -", addition("config", lines, ["[diff]", `\texternal = touch ${mark};:`]))
    return `(cd .git\n${apply})\n(cd ./.git/refs; cd ..; ${apply})\ngit rm -q --cached a; git diff --cached`
  },
  "a clone whose name is .git": (mark) =>
    `git init -q e\n${
      feed(
        "git -C e apply -",
        patch("config", ["[core]", "\trepositoryformatversion = 0", "[diff]", `\texternal = touch ${mark};:`]) +
          patch("HEAD", ["ref: refs/heads/main"]) + patch("refs/x", ["x"]) + patch("objects/x", ["x"]),
      )
    }git -C e add .; git -C e commit -qm e; git clone -q e .git.git
    ${feed("git apply -", patch("o/x", ["x"]))}(cd o; git clone -q ../.git.git; git add x; git diff --cached)`,
  "a path outside of the working tree": (mark) =>
    `${
      feed(
        "git apply --unsafe-paths --directory=../r/.git/hooks -",
        patch("post-commit", ["#!/bin/sh", `touch ${mark}`], "100755"),
      )
    }git commit -q --allow-empty -m x`,
  "a hook from the index": (mark) =>
    [
      feed("id=$(git hash-object -w --stdin", `#!/bin/sh\ntouch ${mark}\n`).replace(/\n$/, "\n)\n"),
      `git update-index --add --cacheinfo "100755,$id,post-commit"`,
      "git checkout-index --prefix=.git/hooks/ post-commit",
      "git commit -q --allow-empty -m x",
    ].join("\n"),
  "the hooks of a repository that is pushed to": (mark) =>
    `git init -q --bare b\n${
      feed("git apply -", patch("b/hooks/post-update", ["#!/bin/sh", `touch ${mark}`], "100755"))
    }git push ./b HEAD:main`,
  "the same by a remote's name": (mark) =>
    `git init -q --bare b\n${
      feed("git apply -", patch("b/hooks/post-update", ["#!/bin/sh", `touch ${mark}`], "100755"))
    }git remote add other ./b; git push other HEAD:main`,
  "the settings of a repository that an archive is fetched from": (mark) =>
    `git clone -q --bare . b\n${
      feed(
        "git apply --unidiff-zero -",
        insertion("b/config", ['[tar "x"]', `\tcommand = touch ${mark}; cat`, "\tremote = true"]),
      )
    }git archive --remote=./b --format=x main`,
  "a folder of the repository that does not have its name": (mark) =>
    `git init -q --separate-git-dir=d w\n${
      feed("git apply --unidiff-zero -", insertion("d/config", ["[alias]", `\tx = !touch ${mark}`]))
    }git -C w x`,
  "a file that is moved over the settings": (mark) =>
    `${
      feed("git apply -", patch("evil", ['[tar "x"]', `\tcommand = touch ${mark}; cat`]))
    }git add evil; git mv -f evil .git/config; git archive --format=x HEAD`,
  "the same through a link": (mark) =>
    `${feed("git apply -", patch("evil", ['[tar "x"]', `\tcommand = touch ${mark}; cat`]))}${
      feed("git apply -", `${patch("g", [".git"], "120000")}\\ No newline at end of file\n`)
    }git add evil; git mv -f evil g/config; git archive --format=x HEAD`,
  "settings that are merged from files": (mark) =>
    `${feed("git apply -", patch("evil", ['[tar "x"]', `\tcommand = touch ${mark}; cat`]))}${
      feed("git apply -", patch("empty", ["x"]))
    }git merge-file --theirs .git/config empty evil; git archive --format=x HEAD`,
  "settings out of a mail": (mark) =>
    `${
      feed("git mailinfo .git/config p", `From: a <a@b>\nSubject: s\n\n[tar "x"]\ncommand = touch ${mark}; cat\n`)
    }git archive --format=x HEAD`,
  "settings that are an archive": (mark) =>
    `${
      feed(
        "git apply -",
        `${patch("#", ["", '[tar "x"]', `\tcommand = touch ${mark}; cat`, "#"])}\\ No newline at end of file\n`,
      )
    }git add '#'; git commit -qm x; git archive -o .git/config --format=tar 'HEAD^{tree}' '#'; git archive --format=x HEAD`,
  "what ext:: runs": (mark) => `git fetch 'ext::touch ${mark}'`,
}

for (const [name, make] of Object.entries(exploits)) {
  it.live(`runs no program by ${name}`, () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const directory = repository(shop)
      const text = yield* said(policy, make(shop.path("M")), { cwd: directory, env: person })
      expect([shop.exists("M"), shop.exists("M") ? text : ""]).toEqual([false, ""])
    }))
}

it.live("runs nothing that the settings of a repository name, even if a caller wrote them", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const directory = repository(shop)
    for (const hook of ["pre-commit", "post-commit", "post-checkout"]) {
      shop.write(`r/.git/hooks/${hook}`, `#!/bin/sh\ntouch ${shop.path("M")}\n`, 0o755)
    }
    git(directory, "config", "core.fsmonitor", `touch ${shop.path("M")}; false`)
    git(directory, "config", "core.pager", `touch ${shop.path("M")}; cat`)
    git(directory, "config", "core.editor", `touch ${shop.path("M")}; true`)
    git(directory, "config", "sequence.editor", `touch ${shop.path("M")}; true`)
    git(directory, "config", "core.sshCommand", `touch ${shop.path("M")}; false`)
    git(directory, "config", "core.askPass", `touch ${shop.path("M")}; echo`)
    const run = (...args: ReadonlyArray<string>) => told(policy, "git", args, { cwd: directory, env: person })
    shop.write("r/a", "b\n")
    yield* run("status")
    expect(yield* run("commit", "-qam", "second")).toBe("")
    yield* run("commit", "-q", "--amend")
    yield* run("checkout", "-q", "-b", "other")
    yield* run("log")
    yield* run("ls-remote", "ssh://127.0.0.1:1/x")
    expect(shop.exists("M")).toBe(false)
    expect(git(directory, "-c", "core.fsmonitor=false", "log", "--format=%s")).toBe("second\nfirst\n")
  }))

it.live("reads no settings, and starts no programs, from folders that were not there when the policy was made", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.makeDirectory("home")
    const searchPath = `${shop.path("home/bin")}:${process.env["PATH"]}`
    const before = process.env["HOME"]
    process.env["HOME"] = shop.path("home")
    const policed = Effect.gen(function* () {
      const shell = yield* Shell
      // What `git clone` could do, by whatever path it was told.
      shop.write("home/.config/git/config", `[tar "x"]\ncommand = touch ${shop.path("M")}; cat\n`)
      shop.write("home/bin/ls", `#!/bin/sh\ntouch ${shop.path("M")}\n`, 0o755)
      const directory = repository(shop)
      for (const script of ["git archive --format=x HEAD", "ls"]) {
        const exec = ShellExec.shell(script, { cwd: directory })
        yield* Effect.ignore(Shell.run(exec).pipe(Effect.provideService(Shell, shell)))
      }
    }).pipe(Effect.provide(AccessPolicy.guard(AccessPolicy.make({ ...policy, searchPath }))(LocalShell.layer)))
    yield* Effect.ensuring(policed, Effect.sync(() => void (process.env["HOME"] = before)))
    expect(shop.exists("M")).toBe(false)
  }))

it.live("lets ssh read no settings that were not there when the policy was made", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.makeDirectory("home")
    const before = process.env["HOME"]
    process.env["HOME"] = shop.path("home")
    const asked = told({ allowedCommands: ["env"] }, "env")
    const lines = yield* Effect.ensuring(asked, Effect.sync(() => void (process.env["HOME"] = before)))
    expect(lines).toContain("GIT_SSH_COMMAND=ssh -F none\n")
    shop.makeDirectory("home/.ssh")
    process.env["HOME"] = shop.path("home")
    const then = yield* Effect.ensuring(asked, Effect.sync(() => void (process.env["HOME"] = before)))
    expect(then).toContain("GIT_SSH_COMMAND=ssh\n")
  }))

it.live("allows everyday use of git", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const directory = repository(shop)
    const run = (script: string, at = directory) => said(policy, script, { cwd: at, env: person })
    shop.write("r/b", "b\n")
    mkdirSync(shop.path("r/src"))
    expect(yield* run("git add -A && git commit -qm 'add b' && git log --format=%s")).toBe("add b\nfirst\n")
    expect(yield* run("git checkout -q -b topic HEAD~1 && git mv a c && git commit -qam move && git rebase -q main"))
      .toBe("")
    expect(yield* run("git diff --stat main..topic")).toContain("a => c")
    shop.write("r/c", "c\n")
    expect(yield* run("git stash -q && git status --short && git stash pop -q && git status --short")).toBe(" M c\n")
    expect(
      yield* run("git commit -qam c && git checkout -q main && git merge -q --no-ff topic && git log -1 --format=%s"),
    )
      .toBe("Merge branch 'topic'\n")
    expect(
      yield* run("git rebase -q --autosquash HEAD~1; git revert --no-edit HEAD >/dev/null && git show --stat HEAD"),
    )
      .toContain("Revert")
    expect(yield* run("git clone -q r copy && git -C copy fetch -q && git -C copy pull -q", shop.directory)).toBe("")
    expect(yield* run("git worktree add -q ../tree topic && git -C ../tree log -1 --format=%s")).toBe("c\n")
    expect(yield* run("git tag v1 && git describe --tags && git blame -s c | ls")).toContain("v1")
    expect(yield* run("git config user.name; git remote -v; git branch --list; git ls-files")).toContain("* main")
  }))

it.live("leaves existing links alone", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const directory = repository(shop)
    symlinkSync("a", shop.path("r/link"))
    git(directory, "add", "link")
    git(directory, "commit", "-qm", "link")
    const run = (...args: ReadonlyArray<string>) => told(policy, "git", args, { cwd: directory, env: person })
    expect(yield* run("status", "--short")).toBe("")
    expect(yield* run("commit", "-q", "--allow-empty", "-m", "x")).toBe("")
    expect(git(directory, "ls-tree", "HEAD", "link")).toMatch(/^120000/)
  }))

it.live("keeps settings that the server gives git, and lets no caller give others", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const directory = repository(shop)
    process.env["GIT_CONFIG_COUNT"] = "1"
    process.env["GIT_CONFIG_KEY_0"] = "user.name"
    process.env["GIT_CONFIG_VALUE_0"] = "The Server"
    try {
      const options = { cwd: directory }
      const ask = (settings: Settings, name: string) => told(settings, "git", ["config", name], options)
      const inheriting: Settings = { ...policy, environment: { inherit: [...servedVariables, "GIT_CONFIG_*"] } }
      expect(yield* ask(inheriting, "user.name")).toBe("The Server\n")
      expect(yield* ask(inheriting, "core.hooksPath")).toBe("/dev/null\n")
      expect(yield* ask(policy, "user.name")).not.toBe("The Server\n")
    } finally {
      for (const name of ["COUNT", "KEY_0", "VALUE_0"]) delete process.env[`GIT_CONFIG_${name}`]
    }
    const allowing: Settings = { ...policy, environment: { allow: ["GIT_CONFIG_COUNT", "GIT_CONFIG_*"] } }
    const refused = "exec: the variable GIT_CONFIG_COUNT may not be set (NOT_ALLOWED)"
    expect(yield* told(allowing, "git", ["log"], { env: { GIT_CONFIG_COUNT: "0" } })).toBe(refused)
    expect(yield* said(allowing, "GIT_CONFIG_COUNT=0 git log")).toBe(refused)
  }))
