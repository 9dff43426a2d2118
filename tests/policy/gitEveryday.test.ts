/** Everyday calls of git behind a list with roots: what is refused of them, with the reason, and that others do what they say. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import process from "node:process"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { type Workshop, workshop } from "../support/workshop.ts"
import { said } from "./support.ts"

const lines = readFileSync(new URL("./gitEveryday.txt", import.meta.url), "utf8").trim()

/** Calls that are refused, and a part of the reason. */
const refused: Readonly<Record<string, string>> = {
  "git config --global --add safe.directory /x": "with settings to write",
  "git bisect run make test": "with the command bisect run",
  "git submodule foreach git status": "with the command submodule foreach",
  "git help log": "which starts man: use -h after a command to list its options",
  "git log --help": "which starts man: use -h after a command to list its options",
  'git rebase -x "make test" main': "with the option -x, which is not known to be safe",
  "git mergetool": "which is not known to be safe",
  "git lfs ls-files": "which is not known to be safe",
  'git -c "safe.directory=*" status': "with -c safe.directory=*",
  "git apply -p1 --3way --index x.patch": "with the option --3way",
  "git am x.patch": "with the command am x.patch",
  "git am -3 x.patch": "with the command am -3",
  "git -c http.sslVerify=false fetch": "with -c http.sslVerify=false",
  "git --git-dir=.git status": "with --git-dir=.git: name a folder by -C",
}

const person = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
}

const owned = (cwd: string, ...words: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "protocol.file.allow=always", ...words], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...person },
    stdio: "pipe",
  })

/** A repository with two commits and a submodule. */
const repository = (shop: Workshop): string => {
  const [root, other] = [shop.makeDirectory("r"), shop.makeDirectory("other")]
  for (const each of [root, other]) {
    owned(each, "init", "-q", "-b", "main")
    shop.write(`${each === root ? "r" : "other"}/a.txt`, "first\n")
    owned(each, "add", ".")
    owned(each, "commit", "-qm", "first")
  }
  owned(root, "submodule", "-q", "add", other, "sub")
  owned(root, "commit", "-qm", "second")
  return root
}

it.live("git is let through with everyday calls, and a refusal says why", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const root = repository(shop)
    const policy = AccessPolicy.make({ allowedCommands: ["git"], allowedCwdRoots: [root] })
    const explained = yield* AccessPolicy.explain(policy, ShellExec.shell(lines, { cwd: root })).pipe(
      Effect.provide(LocalShell.layer),
    )
    expect(explained).toHaveLength(lines.split("\n").length)
    const found = explained.flatMap(({ command, decision }) =>
      decision._tag === "Allowed" ? [] : [[command, decision._tag === "Refused" ? decision.message : decision._tag]]
    )
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(refused).map(([line, why]) => [line, expect.stringContaining(why)])),
    )
  }))

/** Scripts, each in a repository of its own, and what they print. */
const runs: ReadonlyArray<readonly [script: string, output: RegExp]> = [
  [
    "git bisect start HEAD HEAD~1 >/dev/null; git bisect log; git bisect reset",
    /git bisect start[^]*first bad commit/,
  ],
  [
    "git archive -o out.tar.gz HEAD && git archive --output=out.zip HEAD && git status -s",
    /\?\? out.tar.gz\n\?\? out.zip/,
  ],
  [
    "git config user.name X && git config --unset user.name && git config --local --get user.name || echo none",
    /^none/,
  ],
  ["git -c http.version=HTTP/1.1 -c core.hooksPath=/dev/null log --format=%s", /^second\nfirst/],
  [
    "git grep -e first && git help -a && git version --build-options",
    /a.txt:first[^]*Main Porcelain[^]*git version/,
  ],
  [
    "git submodule status; git submodule init; git submodule update; git submodule sync -q; git -C sub status",
    /^ \w+ sub \(heads.main\)\n[^]*On branch main/,
  ],
  [
    "git worktree add -q w && git -C w status && git -C w commit -q --allow-empty -m w && git log --format=%s w --",
    /On branch w[^]*w\nsecond/,
  ],
  [
    "git clone -q . c && git -C c fetch && git -C c log --format=%s && git pull -q . main && git ls-remote . HEAD",
    /^second\nfirst\n\w+\tHEAD/,
  ],
  ["git gc -q && git maintenance run --quiet && git stash list && git fsck --no-progress && echo done", /^done/],
]

for (const [script, output] of runs) {
  it.live(`git works: ${script.slice(0, 60)}`, () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const root = repository(shop)
      const settings = { allowedCommands: ["git", "echo"], allowedCwdRoots: [root], redirects: "all" as const }
      expect(yield* said(settings, script, { cwd: root, env: person })).toMatch(output)
    }))
}

it.live("git works in a root that is a worktree, whose repository is elsewhere, and in no folder below it that leads there", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const own = repository(shop)
    const root = shop.path("w")
    owned(own, "worktree", "add", "-q", root)
    shop.write("w/p/.git", `gitdir: ${own}/.git\n`)
    const settings = { allowedCommands: ["git", "echo"], allowedCwdRoots: [root], redirects: "all" as const }
    const ask = (script: string) => said(settings, script, { cwd: root, env: person })
    expect(yield* ask("git status && git commit -q --allow-empty -m third && git log --format=%s")).toMatch(
      /On branch w[^]*third\nsecond\nfirst/,
    )
    expect(yield* ask("git -C p log")).toContain("is outside of the allowed roots")
  }))
