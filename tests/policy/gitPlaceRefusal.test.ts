/** Tests the paths that git may use behind a policy: `-C`, links into a repository's folder, the user's settings. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFileSync } from "node:child_process"
import { existsSync, symlinkSync } from "node:fs"
import process from "node:process"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import { workshop } from "../support/workshop.ts"

const setUp = Effect.gen(function* () {
  const shop = yield* workshop
  const root = shop.makeDirectory("root")
  shop.makeDirectory("root/sub")
  const outside = shop.makeDirectory("outside")
  execFileSync("git", ["init", "-q", root])
  symlinkSync(".git", `${root}/lnk`)
  symlinkSync(outside, `${root}/out`)
  shop.write("root/cfg", "[diff]\n\texternal = id\n")
  execFileSync("git", ["-C", root, "add", "cfg"])
  const policy = AccessPolicy.make({ allowedCommands: ["git", "cat"], allowedCwdRoots: [root] })
  const run = (...words: ReadonlyArray<string>) =>
    Shell.run(ShellExec.make("git", words, { cwd: root })).pipe(
      Effect.match({ onFailure: ({ reason }) => reason._tag, onSuccess: ({ exitCode }) => exitCode }),
      Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer)),
    )
  return { shop, root, outside, run, policy }
})

it.live("works in no folder by -C in which commands may not run, links followed", () =>
  Effect.gen(function* () {
    const { outside, root, run } = yield* setUp
    for (const place of [outside, "out", "../outside", "sub/../../outside", "lnk", `${root}/lnk`, "/"]) {
      expect([place, yield* run("-C", place, "apply", "--stat")]).toEqual([place, "NotAllowed"])
    }
    expect(yield* run("-C", "sub", "-C", "..", "status", "--short")).toBe(0)
    expect(yield* run("-C", "sub", "-C", "../out", "status")).toBe("NotAllowed")
  }))

it.live("takes no word that leads through a link into the folder of a repository", () =>
  Effect.gen(function* () {
    const { run, shop } = yield* setUp
    for (
      const words of [
        ["mv", "-f", "cfg", "lnk/config"],
        ["worktree", "add", "lnk/hooks3"],
        ["clone", ".", "lnk/hooks4"],
        ["format-patch", "-olnk/hooks", "-1"],
        ["format-patch", "--output-directory=lnk/hooks", "-1"],
        ["bundle", "create", "lnk/hooks/b", "HEAD"],
      ]
    ) expect([words, yield* run(...words)]).toEqual([words, "NotAllowed"])
    expect(existsSync(shop.path("root/.git/hooks3"))).toBe(false)
    expect(yield* run("ls-files", "cfg")).toBe(0)
  }))

it.live("takes no word, relative or absolute, that leads through a link out of the roots", () =>
  Effect.gen(function* () {
    const { outside, root, run } = yield* setUp
    for (const place of ["out", `${root}/out`]) {
      const words = ["mv", "-f", "cfg", `${place}/cfg`]
      expect([words, yield* run(...words)]).toEqual([words, "NotAllowed"])
    }
    expect(existsSync(`${outside}/cfg`)).toBe(false)
  }))

it.live("works in a repository below a folder of settings", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.makeDirectory("root")
    shop.makeDirectory("root/.config")
    const cwd = shop.makeDirectory("root/.config/editor")
    execFileSync("git", ["init", "-q", cwd])
    shop.write("root/.config/editor/a", "a\n")
    const policy = AccessPolicy.make({ allowedCommands: ["git"], allowedCwdRoots: [shop.path("root")] })
    for (const words of [["add", "."], ["status", "--short"], ["diff", "--cached", "a"]]) {
      const { exitCode } = yield* Shell.run(ShellExec.make("git", words, { cwd })).pipe(
        Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer)),
      )
      expect([words, exitCode]).toEqual([words, 0])
    }
  }))

it.live("runs no program of the user's own settings where commands could write them", () =>
  Effect.gen(function* () {
    const { outside, root, shop } = yield* setUp
    shop.write("root/.gitconfig", `[diff]\n\texternal = "touch ${outside}/ran; :"\n`)
    shop.write("root/cfg", "changed\n")
    const home = process.env["HOME"]
    const diff = (allowedCwdRoots: ReadonlyArray<string>) => {
      const policy = AccessPolicy.make({ allowedCommands: ["git"], allowedCwdRoots })
      return Shell.run(ShellExec.make("git", ["diff"], { cwd: root })).pipe(
        Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer)),
      )
    }
    yield* Effect.acquireUseRelease(
      Effect.sync(() => process.env["HOME"] = root),
      () => diff([root]),
      () => Effect.sync(() => process.env["HOME"] = home),
    )
    expect(existsSync(`${outside}/ran`)).toBe(false)
    // The setting does run where git is not guarded.
    execFileSync("git", ["diff"], { cwd: root, env: { ...process.env, HOME: root } })
    expect(existsSync(`${outside}/ran`)).toBe(true)
  }))

it.live("makes no link to a protected name, and leaves the mode and the times of one", () =>
  Effect.gen(function* () {
    const { root } = yield* setUp
    const policy = AccessPolicy.make({
      ...{ allowedCommands: ["ln", "chmod", "touch"], allowedCwdRoots: [root], utilities: "contained" },
    })
    for (
      const script of ["ln -s .git other", "ln -s sub/../.git/hooks h", "chmod 777 .git", "touch -d 2020-01-01 .git"]
    ) {
      const { exitCode, stderr } = yield* Shell.run(ShellExec.shell(script, { cwd: root })).pipe(
        Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer)),
      )
      expect([script, exitCode, stderr]).toEqual([script, 1, expect.stringContaining("not permitted")])
    }
  }))

it.live("ends an expression whose variables name each other again and again", () =>
  Effect.gen(function* () {
    const { policy, root } = yield* setUp
    const variables = Array.from({ length: 60 }, (_, n) => `v${n}='v${n + 1}+v${n + 1}'`).join(" ")
    for (const use of [": $((v0))", "[[ v0 -gt 1 ]]", "y=abc; : ${y:v0}", "q[v0]=1"]) {
      const { exitCode, stderr } = yield* Shell.run(ShellExec.shell(`${variables} v60=1; ${use}`, { cwd: root })).pipe(
        Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer)),
      )
      expect([use, exitCode, stderr]).toEqual([use, 1, expect.stringContaining("recursion level exceeded")])
    }
  }))

it.live("hides secrets that messages quote or cut", () =>
  Effect.gen(function* () {
    const { policy, root } = yield* setUp
    const tail = "0123456789".repeat(20)
    for (const secret of ['a"b\\c"d-secret', "-----BEGIN KEY-----\nAAAA\nBBBB", `begin-${tail}-end`]) {
      const fault = yield* Shell.run(ShellExec.make("git", ["-C", Redacted.make(`x${secret}`), "log"], { cwd: root }))
        .pipe(
          Effect.flip,
          Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer)),
        )
      const text = JSON.stringify([fault.message, fault.reason])
      for (const part of ["secret", "AAAA", "0123456789"]) expect(text).not.toContain(part)
    }
  }))
