import { expect, it } from "@effect/vitest"
import { joinSearchPath, splitSearchPath } from "../../src/base/searchPath.ts"

it("splits PATH at colons on POSIX, and keeps empty entries, which are the current directory", () => {
  expect(splitSearchPath("posix", "/bin::/a;b")).toEqual(["/bin", "", "/a;b"])
  expect(splitSearchPath("posix", "")).toEqual([""])
})

it("splits PATH at semicolons outside quotes on Windows, and drops quotes and empty entries", () => {
  expect(splitSearchPath("windows", 'C:\\a;;"C:\\b;c" ;C:\\"d e"\\f; ;""')).toEqual([
    "C:\\a",
    "C:\\b;c",
    "C:\\d e\\f",
  ])
  // A quote that is not closed reaches to the end.
  expect(splitSearchPath("windows", 'C:\\a;"C:\\b;C:\\c')).toEqual(["C:\\a", "C:\\b;C:\\c"])
  expect(splitSearchPath("windows", "")).toEqual([])
})

it("joins the entries that it split", () => {
  const directories = ["C:\\a", "C:\\b;c", "D:\\d e"]
  expect(joinSearchPath("windows", directories)).toBe('C:\\a;"C:\\b;c";D:\\d e')
  expect(splitSearchPath("windows", joinSearchPath("windows", directories))).toEqual(directories)
  expect(joinSearchPath("posix", ["/a", "/b;c"])).toBe("/a:/b;c")
})
