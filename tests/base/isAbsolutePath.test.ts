import { expect, it } from "@effect/vitest"
import { isAbsolutePath } from "../../src/base/isAbsolutePath.ts"

const onPosix = ["/", "/a/b"]
const onWindows = ["C:\\", "c:/a", "\\\\server\\share", "//server/share"]
const onNeither = ["", "a", "./a", "~/a", "C:", "C:a", "\\a", "1:\\a"]

it("recognizes the absolute paths of each platform", () => {
  for (const path of onPosix) expect([path, isAbsolutePath(path, "posix")]).toEqual([path, true])
  for (const path of onWindows) expect([path, isAbsolutePath(path, "windows")]).toEqual([path, true])
  expect(isAbsolutePath("/a", "windows")).toBe(false)
  expect(isAbsolutePath("C:\\a", "posix")).toBe(false)
  for (const path of onNeither) {
    for (const platform of ["posix", "windows"] as const) {
      expect([path, isAbsolutePath(path, platform)]).toEqual([path, false])
    }
  }
})

it("without a platform accepts the absolute paths of both", () => {
  for (const path of [...onPosix, ...onWindows]) expect([path, isAbsolutePath(path)]).toEqual([path, true])
  for (const path of onNeither) expect([path, isAbsolutePath(path)]).toEqual([path, false])
})
