/** Tests which suites a run leaves out, and the messages about them. */
import { expect, it } from "vitest"
import { prepareSystem, suites } from "../../scripts/system.mjs"

const node = process.platform === "win32" ? "node.exe" : "node"

it("skips nothing if everything is installed", () => {
  expect(prepareSystem([{ name: "anything", programs: { [node]: "nodejs" } }])).toEqual([])
})

it("leaves suites out, by name, that cannot run on this system, and installs nothing for them", () => {
  const suite = { name: "elsewhere", platforms: ["aix" as const], programs: { "no-such-program": "no-such-package" } }
  expect(prepareSystem([suite])).toEqual([{ suite, why: `not on ${process.platform}` }])
})

it("looks beside PATH where a suite says that its programs may be", () => {
  const suite = {
    name: "elsewhere",
    programs: { "system.test.ts": "no-such-package" },
    folders: () => [import.meta.dirname],
  }
  expect(prepareSystem([suite])).toEqual([])
})

it("builds nothing unless it is asked to", () => {
  let built = 0
  const suite = {
    name: "elsewhere",
    programs: {},
    isPrepared: () => built > 0,
    prepare: () => {
      built++
      return undefined
    },
  }
  expect(prepareSystem([suite])).toEqual([{ suite, why: "not installed" }])
  expect(built).toBe(0)
  expect(prepareSystem([suite], { install: true })).toEqual([])
  expect(prepareSystem([suite])).toEqual([])
  expect(built).toBe(1)
})

it("names a Debian package for every program, and each suite once", () => {
  const names = suites.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(suites.flatMap(({ programs }) => Object.values(programs)).filter((name) => !/^[a-z0-9.+-]+$/.test(name)))
    .toEqual([])
})
