import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { expect, it, onTestFinished, vi } from "vitest"
import { enableCompileCache } from "../../src/cli/enableCompileCache.ts"

const emptyDirectory = (): string => {
  const path = mkdtempSync(join(tmpdir(), "sluice-cache-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

it("makes no cache outside of a home that the user owns", () => {
  const cache = emptyDirectory()
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv("XDG_CACHE_HOME", cache)
  for (const home of ["", "/proc/self/no-such-home"]) {
    vi.stubEnv("HOME", home)
    enableCompileCache()
  }
  expect(readdirSync(cache)).toEqual([])
})

it("makes no cache on Deno and Bun, nor where the home is another user's", () => {
  const cache = emptyDirectory()
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  vi.stubEnv("XDG_CACHE_HOME", cache)
  vi.stubEnv("HOME", emptyDirectory())
  const getuid = process.getuid?.() ?? 0
  vi.spyOn(process, "getuid").mockReturnValue(getuid + 1)
  enableCompileCache()
  expect(readdirSync(cache)).toEqual([])
})

it("makes no cache where other users can write, nor at a relative path", () => {
  const home = emptyDirectory()
  const cache = join(home, ".cache")
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv("HOME", home)
  vi.stubEnv("XDG_CACHE_HOME", "relative")
  mkdirSync(cache)
  chmodSync(cache, 0o777)
  enableCompileCache()
  expect(existsSync(join(cache, "sluice/node"))).toBe(false)
  expect(existsSync("relative")).toBe(false)
})
