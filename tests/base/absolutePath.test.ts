import { expect, it } from "vitest"
import { absolutePath, resolveDots } from "../../src/base/absolutePath.ts"

it("resolves a path against a folder by its text", () => {
  expect(absolutePath("a/./b//c", "/work")).toBe("/work/a/b/c")
  expect(absolutePath("../x", "/work/a")).toBe("/work/x")
  expect(absolutePath("/x/../../y/", "/work")).toBe("/y")
  expect(absolutePath("..", "/")).toBe("/")
})

it("resolves dots among names, and does not change the given names", () => {
  const start = ["a", "b"]
  expect(resolveDots(["..", "", ".", "c"], start)).toEqual(["a", "c"])
  expect(start).toEqual(["a", "b"])
})
