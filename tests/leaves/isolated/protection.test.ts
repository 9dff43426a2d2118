import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { IsolatedShell } from "@sluice/shell/isolated"
import { workspaceNames } from "../../../src/base/protectedNames.ts"
import { findGitFiles } from "../../../src/leaves/isolated/findGitFiles.ts"
import { findHost } from "../../../src/host/findHost.ts"
import { behindWalls, engines, inTheOpen, isolationWorks } from "../../support/isolation.ts"
import { workshop } from "../../support/workshop.ts"

const makeRepository = (folder: string): void => {
  const { code, text } = inTheOpen(
    "git init -q . && git config user.email a@b.c && git config user.name n && echo 1 > a && git add a && git commit -qm 1",
    folder,
  )
  expect([code, text]).toEqual([0, ""])
}

/** Scripts that plant a program which git, run by the user afterwards, would start: it would write the file `owned`. */
const plants: Readonly<Record<string, string>> = {
  hook: "printf '#!/bin/sh\\ntouch owned\\n' > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change",
  config: "git config core.fsmonitor 'touch owned; false'",
  "renamed .git": "mv .git g && cp -r g .git && git config core.fsmonitor 'touch owned; false'",
  "removed .git": "rm -rf .git; git init -q . && git config core.fsmonitor 'touch owned; false'",
  "renamed hooks":
    "mv .git/hooks .git/h; mkdir .git/hooks; printf '#!/bin/sh\\ntouch owned\\n' > .git/hooks/post-index-change;" +
    "chmod +x .git/hooks/post-index-change",
  "replaced config": "cp .git/config c && git config -f c core.fsmonitor 'touch owned; false' && mv -f c .git/config",
  commondir:
    "cp -r .git evil && git config -f evil/config core.fsmonitor 'touch owned; false' && echo ../evil > .git/commondir",
  "worktree configuration": "git config -f .git/config.worktree core.fsmonitor 'touch owned; false'",
}

describe.runIf(isolationWorks).each(engines)("protected files under %s", (engine) => {
  it.live("git runs nothing that a command has planted, and still commits", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      // Git writes the index, and then runs its hook, only when a file has changed.
      const use =
        "git status >/dev/null 2>&1; echo 3 >> fresh; git add -A . >/dev/null 2>&1; test -e owned && echo owned"
      const prepare = (name: string): string => {
        mkdirSync(path(name))
        makeRepository(path(name))
        // Without it git reads no configuration of the worktree.
        if (name.endsWith("worktree configuration")) inTheOpen("git config extensions.worktreeConfig true", path(name))
        return path(name)
      }
      // The slower engine gets the same mounts.
      const chosen = engine === "bwrap" ? Object.keys(plants) : ["renamed .git", "commondir"]
      for (const [name, script] of Object.entries(plants).filter(([key]) => chosen.includes(key))) {
        const open = prepare(`open ${name}`)
        inTheOpen(script, open)
        expect([name, inTheOpen(use, open).text]).toEqual([name, "owned\n"])
        const walled = prepare(`walled ${name}`)
        const during = yield* behindWalls({ writable: [walled], engine }, (run) =>
          Effect.gen(function* () {
            yield* run(script)
            const committed = yield* run("echo 2 > a && git -c user.email=a@b.c -c user.name=n commit -qam 2 2>&1")
            return [committed.exitCode, committed.stdout, inTheOpen(use, walled).text]
          }))
        expect([name, during[2], inTheOpen(use, walled).text]).toEqual([name, "", ""])
        // A command may spoil what it works on.
        if (name === "removed .git") continue
        expect([name, during[0], during[1]]).toEqual([name, 0, ""])
        expect(inTheOpen("git log --oneline | wc -l", walled).text.trim()).toBe("2")
      }
    }))

  it.live("missing files cannot be made, and nothing of the protection stays", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      const script =
        "git init -q . ; mkdir .git; mv .git g; echo A=1 > .env; rm -f .env; mv .env x; ln -s /tmp/e .env; " +
        "printf b > b; mv b .env; rmdir .git; echo made > made"
      yield* behindWalls({ writable: [directory], engine }, (run) =>
        Effect.gen(function* () {
          const { exitCode } = yield* run(script)
          expect(exitCode).toBe(0)
          expect(readdirSync(directory).toSorted()).toEqual(
            [".env", ".git", "b", "made", "refs", ...workspaceNames].toSorted(),
          )
          expect(readdirSync(path(".git"))).toEqual([])
          expect((yield* run("cat .env")).stdout).toBe("")
        }))
      expect(readdirSync(directory).toSorted()).toEqual(["b", "made"])
      // Without walls every one of these works.
      expect(
        inTheOpen("git init -q . && mv .git g && echo A=1 > .env && mv .env x && ln -s /tmp/e .env", directory).code,
      ).toBe(0)
    }))

  it.live("settings of editors and agents, and start-up files that are there, stay in every writable folder, and git sees nothing", () =>
    Effect.gen(function* () {
      const { exists, makeDirectory, path, read, write } = yield* workshop
      const folders = ["one", "two"].map(makeDirectory)
      for (const folder of ["one", "two"]) {
        makeRepository(path(folder))
        write(`${folder}/.mcp.json`, "original\n")
        write(`${folder}/.bashrc`, "original\n")
        write(`${folder}/.gnupg/x`, "original\n")
        inTheOpen("git add -f . && git commit -qm 2", path(folder))
      }
      const script = folders.map((folder) =>
        `cd ${folder}; for f in .envrc .mcp.json .vscode/tasks.json .idea/x .claude/settings.json .bashrc .gnupg/x; do ` +
        "mkdir -p ${f%/*} 2>/dev/null; echo x > $f; rm -rf $f; mv made $f; done 2>/dev/null; mv .mcp.json m; mv .vscode v; git status --short;"
      ).join("")
      const { stdout } = yield* behindWalls({ writable: folders, engine }, (run) => run(script))
      expect(stdout).toBe("?? .env\n?? .env\n")
      for (const folder of ["one", "two"]) {
        expect([".mcp.json", ".bashrc", ".gnupg/x"].map((name) => read(`${folder}/${name}`))).toEqual(
          ["original\n", "original\n", "original\n"],
        )
        expect([".envrc", ".vscode", ".idea", ".claude", "m", "v"].map((name) => exists(`${folder}/${name}`)))
          .toEqual([false, false, false, false, false, false])
      }
    }))

  it.live("a .env that exists can be read and not changed, nor the file of a worktree, nor further names", () =>
    Effect.gen(function* () {
      const { directory, path, read, write } = yield* workshop
      write(".env", "SECRET=1\n")
      write(".git", "gitdir: /elsewhere\n")
      write("app/tasks.json", "{}\n")
      const script = "cat .env; for f in .env .git app/tasks.json; do echo x > $f; mv x $f; rm -f $f; done; " +
        "mv app other; echo x > app/new"
      const { stdout } = yield* behindWalls(
        { writable: [directory], protected: ["app/tasks.json"], engine },
        (run) => run(script),
      )
      expect(stdout).toBe("SECRET=1\n")
      expect([read(".env"), read(".git"), read("app/tasks.json")]).toEqual([
        "SECRET=1\n",
        "gitdir: /elsewhere\n",
        "{}\n",
      ])
      expect(read("app/new")).toBe("x\n")
      expect(existsSync(path("other"))).toBe(false)
    }))

  it.live("repositories below are read-only and cannot be moved; hooks are found where git finds them", () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path, read, write } = yield* workshop
      makeRepository(directory)
      makeRepository(makeDirectory("packages/inner"))
      write("shared.inc", "")
      inTheOpen(
        "git config include.path ../shared.inc && git config --add include.path ../missing.inc && git config core.hooksPath tools/hooks",
        directory,
      )
      makeDirectory("tools/hooks")
      const script =
        "echo x > packages/inner/.git/config; mv packages/inner p; mv packages p; echo y > packages/inner/a; " +
        "echo x > shared.inc; echo x > missing.inc; echo x > tools/hooks/pre-commit; mv tools t; git commit -qam x; echo z > tools/z; " +
        "mkdir -p packages/inner/.git/hooks; echo x > packages/inner/.git/hooks/pre-commit"
      yield* behindWalls({ writable: [directory], engine }, (run) => run(script))
      expect(read("packages/inner/.git/config")).toContain("[core]")
      expect([read("packages/inner/a"), read("shared.inc"), read("tools/z")]).toEqual(["y\n", "", "z\n"])
      expect(
        [path("tools/hooks/pre-commit"), path("packages/inner/.git/hooks/pre-commit"), path("missing.inc")]
          .filter((each) => existsSync(each)),
      ).toEqual([])
    }))

  it.live("start-up files and keys of a home folder stay unchanged, or missing", () =>
    Effect.gen(function* () {
      const { directory, exists, read, write } = yield* workshop
      write(".bashrc", "original\n")
      write(".ssh/authorized_keys", "key\n")
      const script =
        "for f in .bashrc .zshenv .profile .ssh/authorized_keys .ssh/config .config/fish; do echo x > $f; done;" +
        "mv .ssh s; mv .config c; echo fine > note"
      const home = process.env["HOME"]
      process.env["HOME"] = directory
      try {
        yield* behindWalls({ writable: ["~"], engine }, (run) => run(script))
      } finally {
        process.env["HOME"] = home
      }
      expect([read(".bashrc"), read(".ssh/authorized_keys"), read("note")]).toEqual(["original\n", "key\n", "fine\n"])
      expect([".zshenv", ".profile", ".config", "s", "c"].filter(exists)).toEqual([])
    }))
})

describe.runIf(isolationWorks)("protected files", () => {
  it.live("a protection never makes a read-only path writable", () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path, read, write } = yield* workshop
      makeRepository(makeDirectory("readable/inner"))
      makeRepository(makeDirectory("hidden/inner"))
      write("readable/inner/file", "1\n")
      const { stdout } = yield* behindWalls(
        { writable: [directory], readable: [path("readable")], hidden: [path("hidden")] },
        (run) => run("echo 2 > readable/inner/file; echo 2 > readable/file; ls -A hidden; cat readable/inner/file"),
      )
      expect(stdout).toBe("1\n")
      expect(read("readable/inner/file")).toBe("1\n")
    }))

  it.live("keeps its own files from commands that may write to the temporary folder", () =>
    Effect.gen(function* () {
      const { directory } = yield* workshop
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = directory
      try {
        const { stdout } = yield* behindWalls({ writable: [directory] }, (run) =>
          run("ls -A; ls -A /tmp /var/tmp /dev/shm"))
        expect(stdout).not.toContain("sluice-isolated")
        expect(stdout).toContain(".env")
      } finally {
        if (before === undefined) {
          delete process.env["TMPDIR"]
        } else process.env["TMPDIR"] = before
      }
    }))

  it.live("no folder becomes a bare repository", () =>
    Effect.gen(function* () {
      const { directory, makeDirectory } = yield* workshop
      const script = "mkdir refs objects; echo ref: refs/heads/main > HEAD;" +
        "printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=.\\nfsmonitor=touch owned; false\\n' > config"
      const use = "git status >/dev/null 2>&1; test -e owned && echo owned"
      const open = makeDirectory("open")
      inTheOpen(script, open)
      expect(inTheOpen(use, open).text).toBe("owned\n")
      const walled = makeDirectory("walled")
      const during = yield* behindWalls({ writable: [walled] }, (run) =>
        Effect.map(run(script), () => inTheOpen(use, walled).text))
      expect(during).toBe("")
      expect(readdirSync(directory).toSorted()).toEqual(["open", "walled"])
    }))

  it.live("refuses a link that it cannot protect", () =>
    Effect.gen(function* () {
      const { directory, path, write } = yield* workshop
      write("real", "A=1\n")
      symlinkSync("real", path(".env"))
      const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make({ writable: [directory] })))
      expect(error).toMatchObject({ _tag: "OptionError", option: "writable" })
      expect(error.message).toContain(path(".env"))
    }))

  it.live("two leaves share the placeholders of missing files, and files that the user writes meanwhile stay", () =>
    Effect.gen(function* () {
      const { directory, path, read } = yield* workshop
      yield* behindWalls({ writable: [directory] }, (first) =>
        Effect.gen(function* () {
          yield* first("true")
          yield* behindWalls({ writable: [directory] }, (second) => second("true"))
          expect(existsSync(path(".env"))).toBe(true)
          writeFileSync(path(".env"), "MINE=1\n")
          expect((yield* first("cat .env; echo x > .env")).stdout).toBe("MINE=1\n")
        }))
      expect(read(".env")).toBe("MINE=1\n")
      expect(existsSync(path(".git"))).toBe(false)
    }))

  it.live("hooks are found in every repository that a command can reach: nested, above, of another owner, in the home folder", () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path, write } = yield* workshop
      const plant = (folder: string): string => `mkdir -p ${folder}; echo x > ${folder}/pre-commit`
      const withHooks = (folder: string, hooks: string): string => {
        makeRepository(makeDirectory(folder))
        inTheOpen(`git config core.hooksPath ${hooks}`, path(folder))
        return path(folder)
      }
      withHooks("many/inner", "hooks")
      withHooks("above", "part/hooks")
      makeDirectory("above/part")
      const foreign = withHooks("foreign", "hooks")
      if (process.getuid?.() === 0) inTheOpen("chown -R 12345 .git", foreign)
      const long = withHooks("long", "hooks")
      const remotes = Array.from({ length: 3_000 }, (_, at) => `[branch "b${at}"]\n  description = ${"x".repeat(50)}\n`)
      write("long/.git/long.inc", remotes.join("") + "[core]\n  hooksPath = later\n")
      inTheOpen("git config include.path long.inc", long)
      write(".gitconfig", "[core]\n  hooksPath = ~/all-hooks\n")
      const home = process.env["HOME"]
      process.env["HOME"] = directory
      try {
        yield* behindWalls(
          { writable: [path("many"), path("above/part"), foreign, long, "~"] },
          (run) =>
            run(
              ["many/inner/hooks", "above/part/hooks", "foreign/hooks", "long/later", "all-hooks"].map((folder) =>
                plant(path(folder))
              ).join("; "),
            ),
        )
      } finally {
        process.env["HOME"] = home
      }
      expect(inTheOpen("find . -name pre-commit", directory).text).toBe("")
    }))

  it.live("repositories that are not in .git are protected, and so are the targets of a repository's links", () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path, write } = yield* workshop
      const folders = ["bare", "worktrees", "separate", "linked"].map(makeDirectory)
      write("linked/scripts/check", "original\n")
      const prepare = "git init -q --bare bare/server.git; " +
        "git init -q --bare worktrees/.bare; echo 'gitdir: ./.bare' > worktrees/.git; " +
        "mkdir separate/git; git init -q --separate-git-dir=separate/git/inner separate/inner; " +
        "git init -q linked; ln -s ../../scripts/check linked/.git/hooks/pre-commit; " +
        "git init -q linked/inner; rm -rf linked/inner/.git/hooks; mkdir linked/hooks; ln -s ../../hooks linked/inner/.git/hooks"
      expect(inTheOpen(prepare, directory).code).toBe(0)
      const gits = ["bare/server.git", "worktrees/.bare", "separate/git/inner"].map(path)
      const plant = (git: string): string =>
        `echo x > ${git}/hooks/pre-receive; echo x > ${git}/config; echo x > ${git}/commondir; echo x > ${git}/config.worktree;` +
        `mv ${git} ${git}.away; mkdir ${git}/modules/x; echo ok > ${git}/objects/new;`
      const { stdout } = yield* behindWalls({ writable: folders }, (run) =>
        run(
          `{ ${gits.map(plant).join("")} echo x > ${path("linked/scripts/check")}; echo x > ${
            path("linked/hooks/pre-push")
          }; } 2>/dev/null; ` +
            `cat ${gits.map((git) => `${git}/objects/new`).join(" ")} ${path("linked/scripts/check")}`,
        ))
      expect(stdout).toBe("ok\nok\nok\noriginal\n")
      expect(
        inTheOpen("find . -name pre-receive -o -name pre-push -o -name '*.away' -o -name commondir", directory).text,
      ).toBe("")
      expect(inTheOpen("git -C bare/server.git config core.bare; git -C worktrees config core.bare", directory).text)
        .toBe("true\ntrue\n")
    }))

  it.live("missing hooks stay missing, legacy remotes cannot be set, and a link in the path is refused", () =>
    Effect.gen(function* () {
      const { directory, exists, path, write } = yield* workshop
      const prepare = "git init -q .; ln -s ../../later .git/hooks/pre-commit; ln -s pre-commit .git/hooks/pre-push;" +
        "mkdir tools; ln -s ../no/such/file tools/post-merge; git config core.hooksPath tools; rm -rf .git/branches"
      expect(inTheOpen(prepare, directory)).toEqual({ code: 0, text: "" })
      const script = "echo x > later; mkdir -p no/such; echo x > no/such/file; mkdir .git/remotes .git/branches;" +
        "echo 'URL: ext::touch owned' > .git/remotes/origin; echo 'ext::touch owned' > .git/branches/origin; echo ok > ok"
      yield* behindWalls({ writable: [directory] }, (run) => run(`{ ${script}; } 2>/dev/null`))
      expect(["ok", "later", "no", ".git/remotes", ".git/branches"].filter(exists)).toEqual(["ok"])
      write("real/check", "original\n")
      symlinkSync("real", path("way"))
      symlinkSync("../../way/check", path(".git/hooks/pre-rebase"))
      const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make({ writable: [directory] })))
      expect(error.message).toContain(`"${path("way")}" is a symbolic link`)
    }))

  it.live("refuses a nested repository that is a link, one about which git does not answer, and one with too many files", () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path } = yield* workshop
      inTheOpen("git init -q real; mkdir linked; ln -s ../real/.git linked/.git", directory)
      const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make({ writable: [directory] })))
      expect(error.message).toContain(`"${path("linked/.git")}" is a symbolic link`)
      const host = findHost()
      if (host === undefined) throw new Error("no host")
      const waiting = makeDirectory("waiting")
      inTheOpen("mkdir -p inner/.git/refs inner/.git/objects; mkfifo inner/.git/HEAD", waiting)
      const late = yield* Effect.flip(findGitFiles(host, [waiting], 200))
      expect(late.message).toContain(`"${waiting}/inner"`)
      expect(late.message).toContain("git did not answer in time")
      const including = makeDirectory("including")
      const many = Array.from({ length: 600 }, (_, at) => `[include]\n  path = ../f${at}\n`).join("")
      inTheOpen("git init -q inner", including)
      writeFileSync(`${including}/inner/.git/config`, many)
      expect((yield* Effect.flip(findGitFiles(host, [including]))).message).toContain("git reads more than 500 files")
    }))

  it.live("refuses a repository whose configuration git cannot read", () =>
    Effect.gen(function* () {
      const { directory, write } = yield* workshop
      makeRepository(directory)
      write("broken.inc", "[broken")
      inTheOpen("git config include.path ../broken.inc", directory)
      const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make({ writable: [directory] })))
      expect(error).toMatchObject({ _tag: "OptionError", option: "writable" })
      expect(error.message).toContain("reports there (fatal: bad config line")
    }))
})
