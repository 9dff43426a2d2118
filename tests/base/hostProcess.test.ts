import { afterEach, expect, it, vi } from "vitest"
import { hostProcess } from "../../src/base/hostProcess.ts"

afterEach(() => {
  vi.unstubAllGlobals()
})

it("loads built-in modules of the runtime", () => {
  const found = hostProcess()
  expect(found?.pid).toBe(process.pid)
  expect(found?.getBuiltinModule("node:path").posix.join("a", "b")).toBe("a/b")
})

it("finds nothing in a runtime whose process cannot load built-in modules", () => {
  vi.stubGlobal("process", { pid: 1 })
  expect(hostProcess()).toBe(undefined)
})

it("finds nothing in a runtime without a process", () => {
  vi.stubGlobal("process", undefined)
  expect(hostProcess()).toBe(undefined)
})
