/** Scripts that made git run a program, or write outside of the roots, with a list that has git alone. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync, symlinkSync } from "node:fs"
import process from "node:process"
import type { KeptFiles } from "../../src/policy/gitSettings.ts"
import { readsOnlyInside } from "../../src/policy/readsOnlyInside.ts"
import { type Workshop, workshop } from "../support/workshop.ts"
import { said } from "./support.ts"

interface Attack {
  /** `MARK` is a file that a program which is not on the list would make. */
  readonly script: string
  /** Prepares what the user has. */
  readonly given?: (shop: Workshop) => void
  /** Folders of the workshop. Default: `work`, and `home` beside it. */
  readonly root?: string
  readonly home?: string
  /** Files of the workshop that have to be as they were. */
  readonly kept?: ReadonlyArray<string>
  /** A text of a repository outside of the root, which no output has. */
  readonly hidden?: string
}

const person = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
}

const file = (name: string, lines: ReadonlyArray<string>, mode = "100644"): string =>
  [
    "git apply - <<'END'",
    `diff --git a/${name} b/${name}`,
    `new file mode ${mode}`,
    "--- /dev/null",
    `+++ b/${name}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    "END",
    "",
  ].join("\n")

const begin = "git init -q -b main .; git commit -q --allow-empty -m one; git commit -q --allow-empty -m two\n"
const evil = file("git-merge-x/evil", ["#!/bin/sh", "touch MARK"], "100755")
const tar = ['[tar "x"]', "\tcommand = touch MARK; cat"]

const changed = (before: string, after: string): string =>
  `git apply - <<'END'
diff --git a/f b/f
--- a/f
+++ b/f
@@ -1 +1 @@
-${before}
+${after}
END
`

/** Settings that run a filter come into the working tree, and another git starts then. */
const autostash = `${begin}${file("f", ["1"])}git add .; git commit -qm base; git branch topic
${file("more", ['[filter "x"]', "\tsmudge = touch MARK; cat"])}${
  file(".gitattributes", ["f filter=x"])
}git add .; git commit -qm more; git checkout -q topic
${changed("1", "2")}git rebase --autostash main`

const attacks: Readonly<Record<string, Attack>> = {
  "a strategy that is a file of the working tree": {
    script:
      `${begin}${evil}git add .; git commit -qm three; git cherry-pick --allow-empty --strategy=x/evil HEAD; git cherry-pick --allow-empty --strategy x/evil HEAD
git rebase -f -s x/evil HEAD~1; git rebase -f -sx/evil HEAD~1; git rebase --strat=x/evil -f HEAD~1; git revert --strategy=x/evil HEAD; git pull -s x/evil . main`,
  },
  "a log that stash writes": {
    script: `${begin}${file("f", ["1"])}git add .; git commit -qm f; ${changed("1", "2")}git stash -q
git stash list -- --output=../home/.gitconfig '--format=[tar "x"]%n command = touch MARK; cat'
git stash list --output=../home/.gitconfig '--format=[tar "x"]%n command = touch MARK; cat'
git log --author -- --output=../home/.gitconfig '--format=[tar "x"]%n command = touch MARK; cat'
git archive --format=x HEAD`,
    kept: ["home/.gitconfig"],
  },
  "an alias and a program of upload-pack, where HOME is a root": {
    root: "home",
    script: `git init -q -b main r; ${
      file(".gitconfig", [
        "[alias]",
        "\treplay = !touch MARK",
        "[uploadpack]",
        "\tpackObjectsHook = touch MARK;",
        ...tar,
      ])
    }cd r; git commit -q --allow-empty -m x; git clone -q --no-local . ../c; git replay; git archive --format=x HEAD`,
  },
  "a file that the user's settings include": {
    given: (shop) => void shop.write("home/.gitconfig", `[include]\n\tpath = ${shop.path("work/more")}\n`),
    script: `${file("more", tar)}${begin}git archive --format=x HEAD; git -C . archive --format=x HEAD`,
  },
  "the user's settings, which are a link into the root": {
    given: (shop) => symlinkSync("../work/more", shop.path("home/.gitconfig")),
    script: `${file("more", tar)}${begin}git archive --format=x HEAD`,
  },
  "a reference outside of the repository": {
    given: (shop) => void shop.write("home/.bashrc", "old\n"),
    script:
      `${begin}git symbolic-ref ../../home/.bashrc refs/heads/main; git symbolic-ref ../../home/new refs/heads/main
git symbolic-ref -m '; touch MARK' ../../../home/.bashrc refs/heads/main; git symbolic-ref -d ../../home/.bashrc`,
    kept: ["home/.bashrc", "home/new"],
  },
  "a clone into an empty home folder": {
    script: `${begin}${
      file(".gitconfig", tar)
    }git add .; git commit -qm x; git clone -q . ../home; git clone -q . --no-local ../home -b main
git worktree add ../home/w; git init ../home/i; git bundle create ../home/b main; git format-patch -qo ../home/p -1
git archive --format=x HEAD`,
    kept: ["home/.gitconfig", "home/w", "home/i", "home/b", "home/p"],
  },
  "an action of git config that is taken back": {
    script:
      `${begin}git config --list --no-list tar.x.command 'touch MARK; cat'; git config --get --no-get tar.x.command 'touch MARK; cat'
git config --get --no-get --global tar.x.command 'touch MARK; cat'; git config get a.b --unset-all core.bare; git archive --format=x HEAD`,
    kept: ["home/.gitconfig"],
  },
  "instructions of a rebase, of a repository whose folder has another name": {
    given: (shop) => {
      execFileSync("git", ["init", "-q", "--bare", "-b", "main", shop.path("work/.bare")])
      shop.write("work/.git", "gitdir: ./.bare\n")
      execFileSync("git", ["-C", shop.path("work/.bare"), "config", "core.bare", "false"])
    },
    script: `git commit -q --allow-empty -m one; git commit -q --allow-empty -m two
git apply --unidiff-zero - <<'END'
diff --git a/.bare/config b/.bare/config
--- a/.bare/config
+++ b/.bare/config
@@ -0,0 +1,5 @@
+[rebase]
+	instructionFormat = "%s%nexec touch MARK"
+[core]
+	worktree = ../../home
+
END
git rebase -f --keep-empty HEAD~1; git checkout -f`,
  },
  "the code that request-pull gives perl": {
    script: `${begin}git request-pull HEAD . 'HEAD:-esystem("touch MARK")'`,
  },
  "a link to the repository's folder, and folders that are missing": {
    given: (shop) => symlinkSync(".git", shop.path("work/lnk")),
    script: `${begin}${file("git-rebase-todo", ["exec touch MARK"])}${file("head-name", ["detached HEAD"])}${
      file("interactive", ["x"])
    }git add .; git commit -qm todo; git worktree add --detach lnk/rebase-merge/.; git worktree add lnk/n1/n2
git format-patch -qolnk/hooks -1; git format-patch -qqqo lnk/hooks -1; git rebase --continue`,
    kept: ["work/.git/rebase-merge", "work/.git/n1", "work/.git/hooks/0001-todo.patch"],
  },
  "a todo list in a repository whose folder has another name": {
    given: (shop) => {
      const git = (...words: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", shop.path("work"), ...words], { env: { ...process.env, ...person } })
      git("init", "-q", "-b", "main")
      git("commit", "-q", "--allow-empty", "-m", "one")
      execFileSync("mv", [shop.path("work/.git"), shop.path("work/data")])
      symlinkSync("data", shop.path("work/.git"))
    },
    script: [
      ...[["git-rebase-todo", "exec touch MARK"], ["head-name", "detached HEAD"], ["interactive", "x"]],
      ...[["onto", "HEAD-ID"], ["orig-head", "HEAD-ID"]],
    ].map(([name, line = ""]) => file(`data/rebase-merge/${name}`, [line])).join("") + "git rebase --continue",
  },
  "lines of a rebase in another encoding": {
    // A subject that is two lines there.
    script: `${begin}git commit -q --allow-empty -m '${
      Buffer.from("x \nexec touch ../M; :").toString("utf16le")
    }'; git -c i18n.logOutputEncoding=UTF-16LE rebase -r -f HEAD~1`,
  },
  "code that a script of git evaluates out of a variable": {
    script:
      `${begin}export OPTIONS_SPEC=$'x\\n--\\nh,help x\\nEOF\\n touch MARK\\n' && git cherry-pick --allow-empty --strategy=octopus -X help-all HEAD
export OPTIONS_SPEC=$'x\\n--\\nh,help x\\nEOF\\n touch MARK\\n' && git rebase -f -s resolve -Xhelp-all HEAD~1
git merge -X help-all HEAD~1 HEAD`,
  },
  "a place that looks like an option": {
    script: `${begin}${file("-o/f", ["x"])}${file(".gitconfig", tar)}git add .gitconfig; git commit -qm c
git clone -q -- . -o/../../home; git worktree add -- -b/../../home/w HEAD; git init -q -- -b/../../home/i; git archive --format=x HEAD`,
    kept: ["home/.gitconfig", "home/w", "home/i"],
  },
  "an option that is the beginning of another": {
    given: (shop) => void shop.write("home/.bashrc", "old\n"),
    script: `${begin}git read-tree --index=../home/.bashrc HEAD; git read-tree --index-output=../home/.bashrc HEAD
git repack --expire=../home/x; git checkout --recurse; git rebase --edit`,
    kept: ["home/.bashrc"],
  },
  "links that lead out of the root": {
    given: (shop) => {
      symlinkSync("../home", shop.path("work/lnk"))
      symlinkSync("../home/.bashrc", shop.path("work/out"))
      symlinkSync("../home/new", shop.path("work/new"))
      shop.write("home/.bashrc", "old\n")
    },
    script: `${begin}${
      file("f", tar)
    }git add f; git commit -qm x; git mv f lnk/.gitconfig; git bundle create out main; git bundle create new main
git archive --format=x HEAD`,
    kept: ["home/.gitconfig", "home/.bashrc", "home/new"],
  },
  "an included file that git itself makes": {
    given: (shop) => void shop.write("home/.gitconfig", `[include]\n\tpath = ${shop.path("work/more")}\n`),
    script: autostash,
  },
  "a file of the repository's settings that git itself makes": {
    script: autostash,
    given: (shop) => {
      execFileSync("git", ["init", "-q", "-b", "main", shop.path("work")])
      execFileSync("git", ["-C", shop.path("work"), "config", "include.path", "../more"])
    },
  },
  "a module that a script of git loads": {
    given: (shop) => void shop.write("home/.gitconfig", '[add "interactive"]\n\tuseBuiltin = false\n'),
    script: `${begin}${
      file("Git.pm", ['BEGIN { system("touch MARK") } 1;'])
    }git add Git.pm; git commit -qm x; GITPERLLIB=$PWD git add -p; export GITPERLLIB=$PWD && git add -p`,
  },
}

const outside = (shop: Workshop): void => {
  shop.write("out/rc", "own\n")
  shop.makeDirectory("work")
  symlinkSync("../out", shop.path("work/lnk"))
}

const places: Readonly<Record<string, Attack>> = {
  "links of the working tree that are not in the index": {
    given: (shop) => {
      outside(shop)
      made(shop, "work")
      symlinkSync(".git", shop.path("work/dot"))
    },
    script: `${
      ["lnk/rc", "dot/new"].flatMap((path) =>
        ["--index", "-3", "--3way"].map((option) => file(path, ["evil"]).replace("git apply", `git apply ${option}`))
      ).join("")
    }${
      file("lnk/g", ["evil"]).replace(
        "git apply - <<'END'",
        "git am <<'END'\nFrom: A <a@example.com>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: x\n\n---",
      )
    }`,
    kept: ["out/rc", "out/g", "work/.git/new"],
  },
  "a line feed in the path of a worktree": {
    script: `${begin}git branch t; git commit -q --allow-empty -m three
git worktree add -q $'w\\nexec touch M\\n#' t
git rebase -f --update-refs HEAD~2`,
    kept: ["work/M"],
  },
  "a line feed in the path of a folder that git starts in": {
    given: (shop) => {
      const folder = shop.path("work/w\nexec touch M\n#")
      execFileSync("git", ["init", "-q", "-b", "main", shop.path("work")])
      execFileSync("git", ["-C", shop.path("work"), "commit", "-q", "--allow-empty", "-m", "x"], {
        env: { ...process.env, ...person },
      })
      shop.makeDirectory("work/w\nexec touch M\n#")
      if (!existsSync(folder)) throw new Error("the folder is missing")
    },
    script: `cd w*
git worktree add -q -b t x
cd .
git commit -q --allow-empty -m two; git commit -q --allow-empty -m three
git config rebase.updateRefs true; git -c rebase.updateRefs=true rebase -f --root; git rebase -f --update-refs --root`,
    kept: ["work/M", "work/w\nexec touch M\n#/x"],
  },
  "a name that clone takes of what is before a port": {
    script: `git init -q -b main .git.git:80
git -C .git.git:80 commit -q --allow-empty -m one
git clone -q .git.git:80`,
    kept: ["work/.git"],
  },
  "a name that clone takes, which is a link": {
    given: (shop) => {
      shop.makeDirectory("empty")
      symlinkSync("../empty", shop.path("work/lnk"))
    },
    script: `git init -q -b main s/lnk.git
git -C s/lnk.git commit -q --allow-empty -m one
git clone -q ./s/lnk.git`,
    kept: ["empty/.git"],
  },
  "a path that goes back behind what is missing": {
    given: outside,
    script: `${begin}${file("f", ["1"])}git add f; git commit -qm f
git mv -f f n1/../lnk/rc
git clone -q . n1/../lnk/x`,
    kept: ["out/rc", "out/x"],
  },
  "a repository above the root": {
    given: (shop) => {
      shop.write("top/rc", "own\n")
      shop.makeDirectory("top/P")
      execFileSync("git", ["init", "-q", "-b", "main", shop.path("top")])
    },
    root: "top/P",
    script:
      `id=$(git hash-object -w --stdin <<< evil) && git update-index --add --cacheinfo "100644,$id,rc" && git checkout -f -- :/`,
    kept: ["top/rc"],
  },
  "the end of a worktree's path": {
    given: (shop) => {
      const git = (...words: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", shop.path("work"), ...words], { env: { ...process.env, ...person }, stdio: "pipe" })
      git("init", "-q", "-b", "main", ".")
      git("commit", "-q", "--allow-empty", "-m", "x")
      git("worktree", "add", "-q", "--detach", "../other")
    },
    script: "git worktree remove --force other",
    kept: ["other"],
  },
  "a value that may be missing": {
    script: `${begin}${file("f", ["1"])}git add f; git commit -qm f
git format-patch --unified -o.husky -1`,
    kept: ["work/.husky"],
  },
}

const owned = (cwd: string, ...words: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "protocol.file.allow=always", ...words], {
    cwd,
    env: { ...process.env, ...person },
    stdio: "pipe",
  })

/** A repository with one commit. */
const made = (shop: Workshop, name: string, subject = "one"): string => {
  const path = shop.makeDirectory(name)
  owned(path, "init", "-q", "-b", "main")
  owned(path, "commit", "-q", "--allow-empty", "-m", subject)
  return path
}

/** A repository with a file that a filter of its settings reads; `config` is where they are. */
const filtered = (shop: Workshop, name: string): string => {
  const path = made(shop, name)
  shop.write(`${name}/.gitattributes`, "* filter=x\n")
  shop.write(`${name}/f`, "1\n")
  owned(path, "add", ".")
  owned(path, "commit", "-qm", "files")
  owned(path, "config", "filter.x.clean", `touch ${shop.path("M")}; cat`)
  owned(path, "config", "core.fsmonitor", `touch ${shop.path("M")}; false`)
  return path
}

const looks =
  `git status; git diff; git diff --submodule=diff HEAD; git log -p --submodule=diff; git add .; git commit -am x
git submodule status; git submodule summary; git rm -q --cached p; git reset --hard; git describe --dirty --always; git stash; git status -s`

const submodules: Readonly<Record<string, Attack>> = {
  "a submodule that is a repository with programs": {
    given: (shop) => {
      filtered(shop, "work/p")
      owned(made(shop, "work"), "add", "p")
      shop.write("work/p/f", "2\n")
    },
    script: looks,
  },
  "a submodule whose folder is in that of its repository": {
    given: (shop) => {
      const other = filtered(shop, "other")
      const work = made(shop, "work")
      owned(work, "submodule", "-q", "add", other, "p")
      owned(work, "commit", "-qm", "p")
      owned(`${work}/p`, "config", "filter.x.clean", `touch ${shop.path("M")}; cat`)
      owned(`${work}/p`, "config", "filter.x.smudge", `touch ${shop.path("M")}; cat`)
      shop.write("work/p/f", "2\n")
      shop.write("work/.gitmodules", shop.read("work/.gitmodules") + "\tignore = none\n")
      shop.write("work/.git/modules/p/hooks/post-checkout", `#!/bin/sh\ntouch ${shop.path("M")}\n`, 0o755)
    },
    script: `${looks}; git submodule update --force; git submodule update --remote --force`,
  },
  "a submodule made of a repository whose folder has another name": {
    given: (shop) => {
      filtered(shop, "work/p")
      execFileSync("mv", [shop.path("work/p/.git"), shop.path("work/p/.bare")])
      shop.write("work/p/.git", "gitdir: ./.bare\n")
      shop.write("work/p/f", "2\n")
    },
    script: `git init -q -b main .; git add p; git commit -qm p; ${looks}`,
  },
  "a submodule whose folder a name with a backslash leads to": {
    given: (shop) => {
      const other = filtered(shop, "other")
      const work = made(shop, "work")
      owned(work, "submodule", "-q", "add", "--name", "libs/foo", other, "libs/foo")
      owned(work, "commit", "-qm", "p")
      owned(`${work}/libs/foo`, "config", "filter.x.smudge", `touch ${shop.path("M")}; cat`)
      owned(work, "submodule", "-q", "deinit", "-f", "libs/foo")
      const names = ["libs\\\\foo", "libs/foo/", "libs//foo", "./libs/foo"]
      const lines = names.map((name) => `[submodule "${name}"]\n\tpath = libs/foo\n\turl = https://127.0.0.1:1/x\n`)
      shop.write("work/.gitmodules", lines.join(""))
    },
    script: "git add .gitmodules; git submodule update --init --force; git submodule update --force",
  },
  "a worktree with settings of its own": {
    given: (shop) => {
      const work = filtered(shop, "work")
      for (const section of ["core.fsmonitor", "filter.x.clean"]) owned(work, "config", "--unset", section)
      owned(work, "config", "extensions.worktreeConfig", "true")
      owned(work, "worktree", "add", "-q", "w")
      owned(`${work}/w`, "config", "--worktree", "filter.x.clean", `touch ${shop.path("M")}; cat`)
      shop.write("work/w/f", "2\n")
    },
    script: "git add w; git status -s --ignore-submodules=none; git diff --ignore-submodules=none",
  },
  "a submodule that a commit brings where a repository is": {
    given: (shop) => {
      filtered(shop, "work/p")
      shop.write("work/p/f", "2\n")
      made(shop, "work")
      owned(shop.path("work"), "tag", "base")
    },
    script: `${
      file(".gitmodules", ['[submodule "p"]', "\tpath = p", "\turl = https://127.0.0.1:1/x", "\tignore = none"])
    }git add .gitmodules p; git commit -qm p
git checkout -q base; git checkout main; git checkout -q base; git stash -u; git merge main; git rebase main; ${looks}`,
  },
}

const fetches = (address: string): string =>
  `git fetch -f ${address} main:got; git pull ${address} main; git clone -q ${address} c1; git -C c1 log
git remote add o ${address}; git fetch o; git remote update; git submodule add ${address} s; git log --all; git remote remove o`

it("git accepts no word or option value as a local repository unless it is one at the start", () => {
  const there: KeptFiles = {
    realPath: (path) => /^\/w\/(?:c\/)?\.git/.test(path) ? path : undefined,
    isKept: () => false,
    isInside: () => true,
    isRoot: (path) => path === "/w",
    keepsHome: true,
  }
  const reads = (call: string) => readsOnlyInside(call.split(" "), "/w", [], there)
  expect(
    ["clone c d", "fetch c main:got", "fetch .", "pull . main", "pull --rebase . main", "ls-remote c HEAD"].filter((
      call,
    ) => !reads(call)),
  )
    .toEqual([])
  const refused =
    "fetch nx, fetch, pull nx main, pull --rebase c main, fetch -o . nx, fetch --depth . nx, clone nx d, remote add -f o c, push c"
  expect(refused.split(", ").filter(reads)).toEqual([])
})

const readers: Readonly<Record<string, Attack>> = {
  "the path of a repository outside": {
    given: (shop) => void [made(shop, "out", "hidden"), made(shop, "work")],
    script: `${fetches("../out")}; ${fetches("$PWD/../out")}; ${fetches("file://$PWD/../out")}`,
    hidden: "hidden",
  },
  "files that say where a repository is": {
    given: (shop) => {
      const out = made(shop, "out", "hidden")
      made(shop, "work")
      shop.write("work/f", `gitdir: ${out}/.git\n`)
      shop.write("work/x.git", `gitdir: ${out}/.git\n`)
      shop.write("work/y.bundle", `gitdir: ${out}/.git\n`)
      shop.makeDirectory("work/s")
      for (const [name, line] of [["HEAD", "ref: refs/heads/main"], ["commondir", `${out}/.git`]]) {
        shop.write(`work/d/${name}`, `${line}\n`)
      }
    },
    script: `${
      ["./f", "f", "x", "x/", "./x", "d", "./d", "$PWD/f/", "f//", "y"].map(fetches).join("; ")
    }; cd s; git fetch -f f main:got; git log --all`,
    hidden: "hidden",
  },
  "a path from the home folder": {
    given: (shop) => void [made(shop, "home/out", "hidden"), made(shop, "work")],
    script: `${fetches("'~/out'")}; git remote add h '~/out'; git fetch --multiple . '~/out' h; git log --all`,
    hidden: "hidden",
  },
  "a repository that is made again, whose folder is outside": {
    given: (shop) => {
      made(shop, "out", "hidden")
      execFileSync("rm", ["-r", shop.path("out/.git/hooks")])
      made(shop, "work")
      shop.write("work/p/.git", `gitdir: ../../out/.git\n`)
    },
    script: "git init p; git init -q ./p/; git init -- $PWD/p; git -C p init; git clone . p",
    kept: ["out/.git/hooks"],
  },
  "objects of another repository": {
    given: (shop) => {
      const out = made(shop, "out", "hidden")
      made(shop, "work")
      owned(shop.path("work"), "init", "-q", "--bare", "-b", "main", "b")
      owned(shop.path("out"), "push", "-q", shop.path("work/b"), "main")
      execFileSync("rm", ["-r", shop.path("work/b/objects")])
      shop.write("work/b/objects/info/alternates", `${out}/.git/objects\n`)
      shop.write("work/f", `gitdir: ${out}/.git\n`)
    },
    script: `${
      fetches("./b")
    }; git clone -q --reference ../out . c2; git clone -q --reference f . c3; git clone -qs b c4
git -C c1 log; git -C c2 cat-file --batch-all-objects --batch; git -C c3 cat-file --batch-all-objects --batch`,
    hidden: "hidden",
  },
  "a repository whose folder is outside": {
    given: (shop) => {
      const out = made(shop, "out", "hidden")
      made(shop, "work")
      shop.write("work/p/.git", `gitdir: ${out}/.git\n`)
      shop.makeDirectory("work/l")
      symlinkSync(`${out}/.git`, shop.path("work/l/.git"))
      made(shop, "work/o")
      execFileSync("rm", ["-r", shop.path("work/o/.git/objects")])
      symlinkSync(`${out}/.git/objects`, shop.path("work/o/.git/objects"))
      made(shop, "work/a")
      shop.write("work/a/.git/objects/info/alternates", `${out}/.git/objects\n`)
    },
    script: ["p", "l", "o", "a"].map((name) =>
      `git -C ${name} log --all; git -C ${name} cat-file --batch-all-objects --batch; git clone -q ${name} c-${name}; git -C c-${name} log --all; git -C c-${name} cat-file --batch-all-objects --batch`
    ).join("; "),
    hidden: "hidden",
  },
  "a remote that borrows objects, or is another repository as git reads it": {
    given: (shop) => {
      const out = made(shop, "out", "hidden")
      const work = made(shop, "work")
      for (const [name, from] of [["b", out], ["d", work]] as const) {
        owned(work, "init", "-q", "--bare", "-b", "main", name)
        owned(from, "push", "-q", `${work}/${name}`, "main")
        owned(work, "remote", "add", name, `./${name}`)
      }
      execFileSync("rm", ["-r", shop.path("work/b/objects")])
      shop.write("work/b/objects/info/alternates", `${out}/.git/objects\n`)
      shop.write("work/d/.git", `gitdir: ${out}/.git\n`)
    },
    script: "git fetch b; git fetch d; git pull --rebase b main; git remote update; git log --all",
    hidden: "hidden",
  },
  "settings that turn an address into a path": {
    given: (shop) => {
      made(shop, "out", "hidden")
      const work = made(shop, "work")
      owned(work, "config", "url.../.insteadOf", "https://127.0.0.1:1/")
      owned(work, "config", "branch.main.remote", "../out")
      owned(work, "config", "branch.main.merge", "refs/heads/main")
      owned(work, "config", "protocol.file.allow", "always")
    },
    script: `git fetch https://127.0.0.1:1/out main; git fetch; git pull; ${fetches("https://127.0.0.1:1/out")}`,
    hidden: "hidden",
  },
}

for (
  const [name, { given, hidden, home = "home", kept = [], root = "work", script }] of Object.entries({
    ...attacks,
    ...places,
    ...submodules,
    ...readers,
  })
) {
  it.live(`git runs nothing and writes nowhere else by ${name}`, () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      shop.makeDirectory("home")
      shop.makeDirectory("work")
      const mark = shop.path("M")
      given?.(shop)
      const { stdout: head } = spawnSync("git", ["-C", shop.path(root), "rev-parse", "HEAD"], { encoding: "utf8" })
      const look = (path: string) => existsSync(shop.path(path)) ? "there" : "missing"
      const read = (path: string) => /rc$/.test(path) ? readFileSync(shop.path(path), "utf8") : look(path)
      const before = kept.map(read)
      const own = process.env["HOME"]
      const settings = { allowedCommands: ["git"], allowedCwdRoots: [shop.path(root)] }
      const text = yield* Effect.acquireUseRelease(
        Effect.sync(() => process.env["HOME"] = shop.path(home)),
        () =>
          // Each line by itself: a refusal ends a script.
          Effect.forEach(
            statements(script.replaceAll("MARK", mark).replaceAll("HEAD-ID", head.trim())),
            (line) => said(settings, line, { cwd: shop.path(root), env: person }),
          ),
        () => Effect.sync(() => process.env["HOME"] = own),
      )
      expect([existsSync(mark), existsSync(mark) ? text : []]).toEqual([false, []])
      expect(kept.map(read)).toEqual(before)
      if (hidden !== undefined) expect(text.filter((each) => each.includes(hidden))).toEqual([])
    }))
}

/** The commands of a script, here-documents with theirs; a `cd` counts for all behind it. */
const statements = (script: string): ReadonlyArray<string> => {
  const parts = script.split(/(?<=\nEND)\n|;(?= git| cd)\s*|\n(?=git)/)
  let place = ""
  return parts.flatMap((part) => {
    if (/^cd /.test(part)) {
      place = `${part}; `
      return []
    }
    return [place + part]
  })
}
