/** Utilities of Sluice's own in place of the machine's: in scripts, and where a caller names a program and its arguments. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { workshop } from "../support/workshop.ts"
import { said, type Settings, told } from "./support.ts"

const listed = "cat cp du echo env find grep ls mkdir mv printf rm sort stat timeout uname xargs".split(" ")

const places = Effect.map(workshop, (shop) => {
  shop.write("root/in", "b\na\n")
  shop.write("outside/secret", "secret\n")
  const policy: Settings = {
    allowedCommands: listed,
    allowedCwdRoots: [shop.path("root")],
    redirects: "none",
    utilities: "contained",
  }
  const cwd = shop.path("root")
  return {
    shop,
    run: (program: string, ...args: ReadonlyArray<string>) => told(policy, program, args, { cwd }),
    script: (text: string) => said(policy, text, { cwd }),
    given: (input: string, program: string, ...args: ReadonlyArray<string>) =>
      told(policy, program, args, { cwd, input }),
    host: (program: string, ...args: ReadonlyArray<string>) =>
      told({ ...policy, utilities: "host" }, program, args, { cwd }),
  }
})

it.live("runs a program that is called with arguments as in a script: its files are those below the roots", () =>
  Effect.gen(function* () {
    const { given, host, run, shop } = yield* places
    const secret = shop.path("outside/secret")
    expect(yield* run("cat", "in")).toBe("b\na\n")
    expect(yield* run("/bin/cat", "in")).toBe("b\na\n")
    expect(yield* host("cat", secret)).toBe("secret\n")
    expect(yield* run("cat", secret)).toBe(`cat: ${secret}: No such file or directory\n`)
    expect(yield* run("/usr/bin/cat", secret)).toBe(`cat: ${secret}: No such file or directory\n`)
    expect(yield* run("ls", "..")).not.toContain("outside")
    expect(yield* given("z\ny\n", "sort", "-", "in")).toBe("a\nb\ny\nz\n")
    expect(yield* run("mkdir", "made")).toBe("")
    expect(existsSync(shop.path("root/made"))).toBe(true)
  }))

it.live("passes words as data, and the starts of a utility are decided about", () =>
  Effect.gen(function* () {
    const { given, run, shop } = yield* places
    expect(yield* run("printf", "%s|", "$(id)", "a b", "`x`", "*", "'", "--", "-n", "")).toBe(
      "$(id)|a b|`x`|*|'|--|-n||",
    )
    expect(yield* run("echo", "-e", "$HOME;", "|", "cat")).toBe("$HOME; | cat\n")
    expect(yield* given("in\n", "xargs", "cat")).toBe("b\na\n")
    expect(yield* given("in\n", "xargs", "touch")).toContain("touch is not among the allowed commands (NOT_ALLOWED)")
    expect(yield* run("find", ".", "-exec", "touch", "x", ";")).toContain("touch is not among the allowed commands")
    expect(yield* run("timeout", "5", "env", "A=b", "touch", "x")).toContain("touch is not among the allowed commands")
    expect(yield* run("touch", "x")).toContain("touch is not among the allowed commands")
    expect(readFileSync(shop.path("root/in"), "utf8")).toBe("b\na\n")
  }))

it.live("asks the host for facts about the machine", () =>
  Effect.gen(function* () {
    const { host, run, script } = yield* places
    const name = yield* host("uname", "-s")
    expect(yield* run("uname", "-s")).toBe(name)
    expect(yield* script("uname -s")).toBe(name)
  }))

it.live.skipIf(process.platform !== "linux")(
  "shows files as the machine's utilities do",
  () =>
    Effect.gen(function* () {
      const { host, run, shop } = yield* places
      for (const name of ["z", "b/y", "b/x", "a", "c/d"]) shop.write(`root/${name}`, name.repeat(3_000))
      const commands: ReadonlyArray<readonly [string, ...Array<string>]> = [
        ["ls", "-lA", "--time-style=+%s"],
        ["ls", "-lns", "--time-style=+%s", "b"],
        ["ls", "-U"],
        ["find", "."],
        ["find", ".", "-printf", "%u %g %U %G %p\n"],
        ["du", "-a"],
        ["du", "-sh", "b", "c"],
        ["du", "-b"],
        ["stat", "-c", "%U %G %u %g %b %s %n", "z", "b"],
        ["grep", "-rl", "y", "."],
      ]
      for (const [program, ...args] of commands) {
        expect(yield* run(program, ...args)).toBe(yield* host(program, ...args))
      }
    }),
)

it.live("leaves files alone that the user's programs read in a home folder below a root", () =>
  Effect.gen(function* () {
    const { script, shop } = yield* places
    const kept = [".config/x", ".local/bin/ls", "bin/ls", ".tool", ".cursor/rules"]
    for (const path of kept) shop.write(`root/${path}`, "old\n")
    shop.write("root/work/.config/x", "old\n")
    const home = process.env["HOME"]
    const text = [...kept, "work/.config/x", "work/bin"].map((path) => `sort in -o ${path}`).join("\n")
    const answer = yield* Effect.acquireUseRelease(
      Effect.sync(() => process.env["HOME"] = shop.path("root")),
      () => script(text),
      () => Effect.sync(() => process.env["HOME"] = home),
    )
    expect(answer.match(/Operation not permitted/g)?.length).toBe(kept.length)
    for (const path of kept) expect(readFileSync(shop.path(`root/${path}`), "utf8")).toBe("old\n")
    expect(readFileSync(shop.path("root/work/.config/x"), "utf8")).toBe("a\nb\n")
    expect(existsSync(shop.path("root/work/bin"))).toBe(true)
  }))

it.live("does not exchange a home folder below a root, or a folder above it", () =>
  Effect.gen(function* () {
    const { script, shop } = yield* places
    shop.write("root/a/user/own", "old\n")
    const home = process.env["HOME"]
    const answer = yield* Effect.acquireUseRelease(
      Effect.sync(() => process.env["HOME"] = shop.path("root/a/user")),
      () => script("mv a/user a/old\nmv a old\nrm -r a\nmkdir -p a/user/new; cp in a/user/copy; ls a/user"),
      () => Effect.sync(() => process.env["HOME"] = home),
    )
    expect(answer).toBe([
      "copy\nnew",
      "mv: cannot move 'a/user' to 'a/old': Operation not permitted",
      "mv: cannot move 'a' to 'old': Operation not permitted",
      "rm: cannot remove 'a/user': Operation not permitted\n",
    ].join("\n"))
    expect(existsSync(shop.path("root/a/user"))).toBe(true)
  }))

it.live("needs roots beside readable folders, from which a link could lead to any file", () =>
  Effect.gen(function* () {
    const settings: Settings = { allowedCommands: ["ls"], readable: ["/usr/share"], utilities: "contained" }
    const error = yield* Effect.flip(said(settings, "ls"))
    expect(error).toMatchObject({ _tag: "AccessPolicyError", field: "readable" })
  }))
