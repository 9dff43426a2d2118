/** git in repositories whose settings name programs, behind a policy and its guard. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { listSettings, overridesOf, programsOf, readSettings } from "../../src/policy/gitPrograms.ts"
import { encodeGitSettings } from "../../src/policy/gitVariables.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { callOf, gitCommands, withGitGuard } from "../../src/policy/gitGuard.ts"
import { decideSettings } from "../../src/policy/gitSettings.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { type Workshop, workshop } from "../support/workshop.ts"

const person = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
}

/** git as the owner of the files runs it. */
const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...person },
    stdio: ["ignore", "pipe", "pipe"],
  })

/** A repository with a file `b.x` of all drivers that has changed, and a branch that changes it otherwise. */
const repository = (shop: Workshop): string => {
  const path = shop.makeDirectory("r")
  git(path, "init", "-q", "-b", "main")
  shop.write("r/.gitattributes", "*.x diff=d merge=d filter=f\n")
  shop.write("r/b.x", "1\n")
  git(path, "add", ".")
  git(path, "commit", "-qm", "first")
  git(path, "checkout", "-qb", "topic")
  shop.write("r/b.x", "2\n")
  git(path, "commit", "-qam", "second")
  git(path, "checkout", "-q", "main")
  shop.write("r/b.x", "3\n")
  git(path, "commit", "-qam", "third")
  shop.write("r/b.x", "4\n")
  return path
}

/** Nothing that commands could write, but what is in a repository. */
const all = {
  isKept: () => true,
  isInside: () => true,
  isRoot: () => false,
  keepsHome: true,
  realPath: (path: string) => path,
}

/** What a command does behind the policy, with the guard. */
const run = (cwd: string, words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const policy = AccessPolicy.make({ allowedCommands: ["git", "env", "timeout"] })
    const shell = yield* AccessPolicy.guardService(withGitGuard(yield* Shell, all), policy)
    const [program = "", ...args] = words
    return yield* Shell.run(ShellExec.make(program, args, { cwd, env: person })).pipe(
      Effect.provideService(Shell, Shell.of(shell)),
      Effect.catchTag("ShellFault", (fault) => Effect.succeed(fault)),
    )
  }).pipe(Effect.provide(LocalShell.layer))

const textOf = (answer: Effect.Success<ReturnType<typeof run>>): string =>
  answer instanceof ShellFault ? answer.message : answer.stdout

/** Settings with what is run; `MARK` makes a file.  */
const programs: ReadonlyArray<readonly [setting: string, value: string, words: string]> = [
  ["diff.external", "MARK", "git diff"],
  ["diff.d.command", "MARK", "git diff"],
  ["diff.d.textconv", "MARK; cat", "git diff"],
  ["diff.d.textconv", "MARK; cat", "git log -p"],
  ["diff.external", "MARK", "env timeout 60 git -C . diff"],
  ["filter.f.clean", "MARK; cat", "git add b.x"],
  ["filter.f.smudge", "MARK; cat", "git checkout topic -- b.x"],
  ["filter.f.process", "MARK; cat", "git add b.x"],
  ["merge.d.driver", "MARK; false", "git merge topic"],
  ["tar.x.command", "MARK; cat", "git archive --format=x HEAD"],
  ["trailer.s.command", "MARK; echo", "git commit -qm x --allow-empty --trailer s=1"],
  ["trailer.s.cmd", "MARK; echo", "git commit -qm x --allow-empty --trailer s=1"],
  ["gpg.program", "SCRIPT", "git commit -S -qm x --allow-empty"],
  ["gpg.openpgp.program", "SCRIPT", "git commit -S -qm x --allow-empty"],
  ["core.alternateRefsCommand", "MARK; true", "git -C ../alternate fetch -q origin"],
  ["core.gitProxy", "SCRIPT", "git ls-remote git://127.0.0.1:1/x"],
  ["remote.origin.uploadpack", "MARK; git-upload-pack", "git -C ../alternate fetch -q origin"],
]

describe("git in a repository whose settings name programs", () => {
  for (const [setting, value, words] of programs) {
    it.live(`${setting}: ${words}`, () =>
      Effect.gen(function* () {
        const tried = (isGuarded: boolean) =>
          Effect.scoped(Effect.gen(function* () {
            const shop = yield* workshop
            const directory = repository(shop)
            shop.write("script", `#!/bin/sh\ntouch ${shop.path("M")}\n`, 0o755)
            git(directory, "stash", "-q")
            git(directory, "clone", "-q", "--reference", ".", ".", "../alternate")
            git(directory, "stash", "pop", "-q")
            git(directory, "commit", "-q", "--allow-empty", "-m", "fourth")
            if (words.includes("merge")) git(directory, "checkout", "-q", ".")
            const place = words.includes("alternate") ? shop.path("alternate") : directory
            const named = value.replace("MARK", `touch ${shop.path("M")}`).replace("SCRIPT", shop.path("script"))
            git(place, "config", setting, named)
            const [program = "", ...args] = words.split(" ")
            const env = { ...process.env, ...person, GIT_EDITOR: ":", GIT_PAGER: "cat" }
            if (isGuarded) yield* run(directory, words.split(" "))
            else spawnSync(program, args, { cwd: directory, env })
            return shop.exists("M")
          }))
        expect([yield* tried(false), yield* tried(true)]).toEqual([true, false])
      }))
  }

  it.live("leaves settings outside of the repository alone, and works as before", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const directory = repository(shop)
      expect(textOf(yield* run(directory, ["git", "diff", "--stat"]))).toContain("b.x")
      expect(textOf(yield* run(directory, ["git", "log", "--format=%s"]))).toBe("third\nfirst\n")
      expect(textOf(yield* run(shop.directory, ["git", "init", "-q", "new"]))).toBe("")
      git(directory, "config", "filter.f.clean", "false")
      git(directory, "config", "filter.f.required", "true")
      expect(textOf(yield* run(directory, ["git", "commit", "-qam", "fourth"]))).toBe("")
      expect(git(directory, "show", "HEAD:b.x")).toBe("4\n")
    }))

  it.live("refuses git where nothing goes before a setting, or the settings cannot be read, and says so", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const directory = repository(shop)
      git(directory, "config", "remote.o.uploadpack", "x")
      const refused = yield* run(directory, ["git", "status"])
      expect(textOf(refused)).toContain("a repository with the setting remote.o.uploadpack in .git/config")
      shop.write("r/.git/config", "[core\n")
      expect(textOf(yield* run(directory, ["git", "status"]))).toContain("because its settings cannot be listed")
    }))
})

describe("the guard", () => {
  it("finds the places of all calls", () => {
    const of = (line: string) => gitCommands(line.split(" ")).map((call) => [call[0], ...callOf(call).place].join(" "))
    expect(of("git -C a --no-pager -C b log -C c")).toEqual(["git a b"])
    expect(of("env A=1 timeout 5 /usr/bin/git log")).toEqual(["/usr/bin/git"])
    expect(of("find . -exec git -C x log ; -exec git add {} ;")).toEqual(["git x", "git"])
    expect(of("xargs -n 1 git blame --")).toEqual(["git"])
    expect(of("ls git")).toEqual([])
  })

  it("has a setting that goes before each one that git lists, as git 2.54 reads them", () => {
    const decided = (...names: ReadonlyArray<string>) =>
      decideSettings(names.map((name) => ({ scope: "local", file: ".git/config", name, value: "x" })), all, "/r")
    expect(
      decided("hook.a b.command", "filter.x.process", "core.sshcommand", "credential.https://x.helper").last,
    )
      .toEqual([
        ["hook.a b.enabled", "false"],
        ["filter.x.process", ""],
        ["filter.x.required", "false"],
        ["core.sshcommand", "ssh"],
        ["credential.https://x.helper", ""],
      ])
    const module = { scope: "local", file: "/w/.git/modules/s/config", name: "core.worktree", value: "../../../s" }
    expect(decideSettings([module], { ...all, isKept: (path) => !path.startsWith("/w/") }, "/w").stays).toBeUndefined()
    expect(decideSettings([module], all, "/w").stays).toBe(module)
    // A file that is nowhere: the search ends at the top, of a drive too.
    const missing = { ...module, file: ".git/config", name: "core.bare" }
    for (const directory of ["/w/a", "C:\\w\\a", "/"]) {
      expect(decideSettings([missing], { ...all, realPath: () => undefined }, directory).stays).toBe(missing)
    }
    expect(decided("core.pager", "gc.recentobjectshook").stays?.name).toBe("gc.recentobjectshook")
  })

  it.live("git lists every setting that names a program, also from files that are included", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const directory = repository(shop)
      const names =
        `core.pager core.editor core.sshCommand core.askPass core.gitProxy core.alternateRefsCommand pager.log
        sequence.editor credential.helper credential.https://X.y/.helper diff.external diff.a.command diff.a.textconv
        merge.a.driver filter.A b.clean filter.a.smudge filter.a.process gpg.program gpg.x509.program gpg.ssh.program
        gpg.ssh.defaultKeyCommand interactive.diffFilter remote.o.uploadpack remote.o.receivepack remote.o.vcs
        trailer.t.command trailer.t.cmd tar.t.command gc.recentObjectsHook hook.h.command hook.h.event submodule.s.update rebase.instructionFormat format.outputDirectory
        http.saveCookies`
          .split(/\s{2,}|(?<!A) (?!b)/)
      const included = names.map((name) => ["config", "-f", shop.path("r/.git/more"), name, "x"])
      for (const words of included) git(directory, ...words)
      git(directory, "config", "include.path", "more")
      const found = programsOf(readSettings(git(directory, ...listSettings)))
      expect(found.map((name) => name.toLowerCase())).toEqual(names.map((name) => name.toLowerCase()))
      const settings = found.flatMap((name) => overridesOf(name) ?? [])
      const stays = found.filter((name) => overridesOf(name) === undefined)
      expect(stays).toHaveLength(4)
      const env = { ...process.env, ...encodeGitSettings(settings) }
      const left = execFileSync("git", ["config", "--list"], { cwd: directory, encoding: "utf8", env }).split("\n")
      // The last one of a name holds.
      const last = new Map(left.map((line): [string, string] => [line.replace(/=.*/, ""), line.replace(/.*?=/, "")]))
      const open = [...last].filter(([, value]) => value === "x").map(([name]) => name)
      expect(open.toSorted()).toEqual([...stays, "hook.h.command", "hook.h.event"].toSorted())
    }))
})
