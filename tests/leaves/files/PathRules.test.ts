/** The rules of each system about paths, on every system. */
import { describe, expect, it } from "@effect/vitest"
import { isInside, posixRules, windowsRules } from "../../../src/leaves/files/PathRules.ts"

const windows = windowsRules(true)

describe("windowsRules", () => {
  it.each([
    "CON",
    "con",
    "Prn",
    "AUX",
    "nul",
    "NUL.txt",
    "nul.tar.gz",
    "COM0",
    "com9",
    "LPT1",
    "lpt1.log",
    "COM¹",
    "LPT³",
  ])(
    "refuses the device %s",
    (name) => expect(windows.checkName(name)).toContain("a device"),
  )

  it.each(["file:stream", "a::$DATA", "C:", "a<b", "a>b", 'a"b', "a|b", "a?b", "a*b", "a\\b", "..\\..", "a/b"])(
    "refuses the characters of %s",
    (name) => expect(windows.checkName(name)).toContain("Windows does not allow"),
  )

  it.each(["a.", "a ", "a..", "a. ", "nul .", "..."])(
    "refuses the end of %j",
    (name) => expect(windows.checkName(name)).toMatch(/Windows drops the end|a device/),
  )

  it.each(["PROGRA~1", "progra~2", "LONGFI~1.TXT", "A~1", "AB12CD~9.C"])(
    "refuses the short name %s",
    (name) => expect(windows.checkName(name)).toContain("short name"),
  )

  it.each([
    "console",
    "com",
    "com10",
    "lpt",
    "nullable",
    "auxiliary.txt",
    ".con",
    "a~b",
    "file~12345678",
    "notes~1.html",
    "日本",
    "a b",
  ])(
    "accepts %s",
    (name) => expect(windows.checkName(name)).toBe(undefined),
  )

  it("joins names with backslashes and the prefix of long paths, also on a share and a drive's root", () => {
    expect(windows.join("C:\\work", ["a", "b"])).toBe("\\\\?\\C:\\work\\a\\b")
    expect(windows.join("C:\\", ["a"])).toBe("\\\\?\\C:\\a")
    expect(windows.join("C:/work/", ["a"])).toBe("\\\\?\\C:\\work\\a")
    expect(windows.join("\\\\server\\share", ["a"])).toBe("\\\\?\\UNC\\server\\share\\a")
    expect(windows.join("\\\\?\\C:\\work", ["a"])).toBe("\\\\?\\C:\\work\\a")
    expect(windows.join("C:\\work", ["x".repeat(255), "y".repeat(255)]).length).toBe(4 + 7 + 1 + 255 + 1 + 255)
    expect(windowsRules(false).join("C:\\work", ["a"])).toBe("C:\\work\\a")
  })

  it("splits, and compares without case and without prefix", () => {
    expect(windows.split("\\\\?\\C:\\work\\a")).toEqual(["\\\\?\\C:\\work", "a"])
    expect(windows.isSame("\\\\?\\C:\\Work", "c:\\work")).toBe(true)
    expect(windows.isSame("\\\\?\\UNC\\server\\share\\a", "\\\\SERVER\\share\\A")).toBe(true)
    expect(windows.isSame("C:\\work", "D:\\work")).toBe(false)
    expect(windows.caseSensitive).toBe(false)
  })

  it("knows what is inside, by whole names", () => {
    const inside = (path: string) => isInside(windows, "C:\\Work", path)
    expect(["C:\\Work", "c:\\work\\a", "\\\\?\\C:\\WORK\\a\\b"].map(inside)).toEqual([true, true, true])
    expect(["C:\\Workshop", "C:\\", "D:\\Work\\a", "C:\\Work2\\a", "\\\\?\\C:\\Other"].map(inside)).toEqual(
      [false, false, false, false, false],
    )
    expect(isInside(windows, "C:\\", "C:\\a")).toBe(true)
    expect(isInside(windows, "C:\\", "D:\\a")).toBe(false)
  })
})

describe("posixRules", () => {
  const linux = posixRules(true)
  const mac = posixRules(false)

  it("accepts every name that a path may have", () => {
    for (const name of ["CON", "a:b", "a.", "PROGRA~1", "a\\b", " "]) expect(linux.checkName(name)).toBe(undefined)
  })

  it("joins and splits, also at the root", () => {
    expect(linux.join("/", ["a", "b"])).toBe("/a/b")
    expect(linux.join("/work", [])).toBe("/work")
    expect(linux.split("/a")).toEqual(["/", "a"])
    expect(linux.split("/a/b")).toEqual(["/a", "b"])
  })

  it("compares exactly on Linux; without case and normal form on macOS", () => {
    expect(linux.isSame("/a", "/A")).toBe(false)
    expect(linux.isSame("/caf\u00e9", "/cafe\u0301")).toBe(false)
    expect(mac.isSame("/CAF\u00c9", "/cafe\u0301")).toBe(true)
  })

  it("knows what is inside, by whole names", () => {
    expect(["/work", "/work/a"].map((path) => isInside(linux, "/work", path))).toEqual([true, true])
    expect(["/workshop", "/", "/wor", "/WORK/a"].map((path) => isInside(linux, "/work", path))).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(isInside(linux, "/", "/anything")).toBe(true)
  })
})
