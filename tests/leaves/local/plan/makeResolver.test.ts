import { expect, it } from "@effect/vitest"
import type { FileKind, Lookup } from "../../../../src/host/resolveExecutable.ts"
import { makeResolver, type ResolverOptions } from "../../../../src/leaves/local/plan/makeResolver.ts"

/** A disk that can change, with a count of the looks at it. */
const setup = (options?: ResolverOptions) => {
  const files = new Map<string, FileKind>([["/c/tool", "executable"]])
  const state = { looks: 0 }
  const resolver = makeResolver(options)
  const find = (now: number, name = "tool", more: Partial<Lookup> & { readonly path?: string } = {}) => {
    const { path = "/a:/b:/c", ...lookup } = more
    const resolution = resolver({
      platform: "posix",
      name,
      directory: "/here",
      environment: (variable) => variable === "PATH" ? path : undefined,
      probe: {
        fileKind: (file) => {
          state.looks++
          return files.get(file) ?? "none"
        },
      },
      ...lookup,
    }, now)
    return resolution._tag === "Found" || resolution._tag === "NotExecutable" ? resolution.path : resolution._tag
  }
  const looks = (): number => {
    const { looks } = state
    state.looks = 0
    return looks
  }
  return { files, find, looks }
}

it("walks through PATH once, and then looks at the one file", () => {
  const { find, looks } = setup()
  expect(find(0)).toBe("/c/tool")
  expect(looks()).toBe(3)
  expect(find(999)).toBe("/c/tool")
  expect(looks()).toBe(1)
})

it("searches again after a second, and sees a new program in an earlier directory", () => {
  const { files, find } = setup()
  find(0)
  files.set("/a/tool", "executable")
  expect(find(999)).toBe("/c/tool")
  expect(find(1_000)).toBe("/a/tool")
})

it("searches again at once if the program is gone or no longer executable", () => {
  const { files, find } = setup()
  find(0)
  files.set("/c/tool", "file")
  expect(find(1)).toBe("/c/tool")
  files.set("/b/tool", "executable")
  expect(find(2)).toBe("/b/tool")
  files.clear()
  expect(find(3)).toBe("NotFound")
})

it("does not cache a failed search", () => {
  const { files, find } = setup()
  expect(find(0, "other")).toBe("NotFound")
  files.set("/a/other", "executable")
  expect(find(0, "other")).toBe("/a/other")
})

it("keeps results of another PATH, directory or platform apart", () => {
  const { files, find } = setup()
  files.set("/d/tool", "executable").set("/here/bin/tool", "executable").set("/there/bin/tool", "executable")
  expect(find(0)).toBe("/c/tool")
  expect(find(0, "tool", { path: "/d" })).toBe("/d/tool")
  expect(find(0, "tool", { path: "bin" })).toBe("/here/bin/tool")
  expect(find(0, "tool", { path: "bin", directory: "/there" })).toBe("/there/bin/tool")
  const windows = { platform: "windows", path: "C:\\a" } as const
  files.set("C:\\a\\tool.cmd", "executable").set("C:\\a\\tool.exe", "executable")
  expect(find(0, "tool", windows)).toBe("C:\\a\\tool.exe")
  const environment = (variable: string) => variable === "PATH" ? "C:\\a" : ".CMD"
  expect(find(0, "tool", { ...windows, environment })).toBe("C:\\a\\tool.cmd")
})

it("never remembers a path", () => {
  const { files, find, looks } = setup()
  expect(find(0, "/c/tool")).toBe("/c/tool")
  files.clear()
  expect(find(0, "/c/tool")).toBe("NotFound")
  expect(looks()).toBe(2)
})

it("evicts the oldest when it is full", () => {
  const { files, find, looks } = setup({ capacity: 2 })
  for (const name of ["x", "y"]) files.set(`/a/${name}`, "executable")
  for (const name of ["tool", "x", "y"]) find(0, name)
  looks()
  find(0, "x")
  find(0, "y")
  expect(looks()).toBe(2)
  find(0, "tool")
  expect(looks()).toBe(3)
})
