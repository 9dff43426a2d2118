/** Tests the risks of lists of commands, and that the programs of the table write as it says. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { writers } from "../../src/policy/launchers/fileWriters.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { workshop } from "../support/workshop.ts"
import type { Settings } from "./support.ts"

const said = (settings: Settings): ReadonlyArray<string> =>
  AccessPolicy.risks(AccessPolicy.make(settings)).map(({ message }) => message.replace(/(?<=repository name): .*/, ""))

const settings = "git runs programs that the settings of a repository name"

it("names commands without limits, programs that git runs, and pairs of commands that write and run", () => {
  expect(said({ allowedCommands: ["ls", "cat"] })).toEqual([])
  expect(said({ allowedCommands: ["find", "sed", "tar"] })).toEqual([])
  expect(said({ allowedCommands: ["git", "ls"] })).toEqual([settings])
  expect(said({ allowedCommands: ["git", "/usr/bin/find", "sed"] })).toEqual([
    settings,
    "files that find -fprintf, sed -i can write determine what git will run",
  ])
  expect(said({ allowedCommands: ["awk", "sed", "make"] })).toEqual([
    "the allowed commands restrict nothing: a caller that may run make can run anything, so scripts may run what these could run",
    "files that sed -i can write determine what make will run",
  ])
  expect(said({ allowedCommands: ["git", "npm"] }).slice(1)).toEqual([
    settings,
    "files that git apply can write determine what git, npm will run",
  ])
  expect(said({ allowedCommands: ["git"], redirects: "all" })).toEqual([
    settings,
    "files that redirections can write determine what git will run",
  ])
  expect(said({ allowedCommands: ["*", "git", "cp"] })).toEqual([
    "the allowed commands restrict nothing: a caller that may run * can run anything, so scripts may run what these could run",
  ])
})

it("counts interpreters that are left their files, where code is refused", () => {
  expect(said({ allowedCommands: ["python3", "tee"], code: "refuse" })).toEqual([
    "files that tee can write determine what python3 will run",
  ])
  expect(said({ allowedCommands: ["make", "tee"], code: "refuse" })).toEqual([])
})

const isThere = (program: string): boolean => spawnSync("which", [program]).status === 0

/** Those that need a server, or a file that another program of theirs makes. */
const untried: ReadonlySet<string> = new Set(["wget", "unzip", "yq"])

for (const { example, names: [name = ""] } of writers) {
  if (!isThere(name) || untried.has(name)) continue
  it.live(`${example}: writes a file`, () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const at = { cwd: shop.directory, env: { ...process.env, GNUPGHOME: shop.directory } }
      shop.write("in", "text\n")
      const before = name === "sed" ? "old\n" : ""
      if (before !== "") shop.write("out", before)
      shop.write("patch", "--- /dev/null\n+++ b/out\n@@ -0,0 +1 @@\n+text\n")
      const packed: Readonly<Record<string, () => unknown>> = {
        tar: () => execFileSync("tar", ["-cf", "archive.tar", "--transform=s/in/out/", "in"], at),
        gzip: () => (shop.write("out", "x"), execFileSync("gzip", ["out"], at)),
        ar: () => (shop.write("out", "x"), execFileSync("ar", ["rc", "archive.a", "out"], at)),
        cpio: () => (shop.write("out", "x"), execFileSync("sh", ["-c", "echo out | cpio -o >archive; rm out"], at)),
      }
      packed[name]?.()
      if (name === "ar") execFileSync("rm", ["out"], at)
      const input = name === "cpio" ? execFileSync("cat", ["archive"], at) : "text\n"
      const call = example.replace("DIRECTORY", shop.directory.slice(1))
      spawnSync("sh", ["-c", call], { ...at, input })
      const written = ["out", "outaa"].map((each) => shop.read(each)).join("")
      expect(written === before ? "" : written).not.toBe("")
    }))
}
