import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { symlinkSync } from "node:fs"
import { Files } from "../../../src/files/Files.ts"
import { makeChangeCheck } from "../../../src/leaves/files/changeCheck.ts"
import * as LocalFileSystem from "../../../src/leaves/files/LocalFileSystem.ts"
import { posixRules, windowsRules } from "../../../src/leaves/files/PathRules.ts"
import { workshop } from "../../support/workshop.ts"

it("protects names only below the root, also in writable folders", () => {
  const check = makeChangeCheck(posixRules(true), "/home/me/.claude/tree", (path) => [path], "/home/me", {
    protected: ["/home/me/.claude/tree/hooks"],
    protectedNames: true,
  })
  const asked = ["", "/a", "/hooks/x", "/.envrc", "/sub/.git/config", "/.GIT", "/.gitignore"]
    .map((path) => check(`/home/me/.claude/tree${path}`)?.slice(0, 10))
  expect(asked).toEqual([undefined, undefined, "it is not ", ".envrc is ", ".git is pr", ".git is pr", undefined])
  const open = makeChangeCheck(posixRules(true), "/", (path) => [path], "/home/me", {
    writable: ["/sub/.git"],
    protectedNames: true,
  })
  expect([open("/sub/.git/config")?.slice(0, 4), open("/a")?.slice(0, 5)]).toEqual([".git", "it is"])
  const windows = makeChangeCheck(windowsRules(true), "C:\\.vscode\\w", (path) => [path], "C:\\Users\\me", {
    protectedNames: true,
  })
  expect([windows("C:\\.vscode\\w\\a"), windows("c:\\.VSCODE\\w\\.Git\\x")?.slice(0, 4)]).toEqual([undefined, ".git"])
})

it("protects files that programs read or run at their start in the home folder, where that is in the root", () => {
  const closed = (root: string, ...paths: ReadonlyArray<string>) => {
    const check = makeChangeCheck(posixRules(true), root, (path) => [path], "/home/me", { protectedNames: true })
    return paths.filter((path) => check(path) !== undefined)
  }
  const settings = ["/home/me/.config/x", "/home/me/.local/bin/ls", "/home/me/bin/ls", "/home/me/.any"]
  const others = ["/home/me/work/.eslintrc", "/home/me/work/bin/x", "/home/you/.any", "/home/me/a", "/home/.x"]
  expect(closed("/home/me", ...settings)).toEqual(settings)
  expect(closed("/", ...settings, ...others)).toEqual(settings)
  expect(closed("/home/me", ...others.slice(0, 2))).toEqual([])
  expect(closed("/home/me/work", "/home/me/work/.a", "/home/me/work/bin")).toEqual([])
  expect(closed("/home/me/.config/editor", "/home/me/.config/editor/a")).toEqual([])
})

it.live("a file system that protects names follows links before it asks", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write(".git/config", "old\n")
    symlinkSync(".git", shop.path("link"))
    symlinkSync(".git/config", shop.path("file"))
    const files = yield* LocalFileSystem.make({ rootPath: shop.directory, protectedNames: true })
    for (const path of ["link/config", "link/new", "file", ".git/config", ".env"]) {
      const fault = yield* Effect.flip(Effect.provideService(Files.write(path, "x"), Files, files))
      expect(fault).toMatchObject({ _tag: "FileFault", faultKind: "AccessDenied", path })
      expect(fault.message).toContain(path === ".env" ? ".env is protected" : ".git is protected")
    }
    const appended = yield* Effect.flip(
      Effect.provideService(Files.write("file", "x", { createMode: "CreateOrAppend" }), Files, files),
    )
    expect(appended.faultKind).toBe("AccessDenied")
    expect(shop.read(".git/config")).toBe("old\n")
  }))
