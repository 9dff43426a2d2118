import { expect, it } from "vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, matchesGlob } from "node:path"
import { fileURLToPath } from "node:url"
import { suites } from "../../scripts/system.mjs"
import {
  exhaustive,
  filesOf,
  notOnBun,
  notOnNode,
  ofRuntime,
  once,
  onDenoAlone,
  onOldestNode,
  quick,
  sharing,
} from "../../vitest.config.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const sources = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "tests"], { cwd: root, encoding: "utf8" })
  .split("\n").filter((file) => file.endsWith(".ts"))
const files = sources.filter((file) => file.endsWith(".test.ts"))

/** A glob for each word of its first braces: `a/{b,c}` is `a/b` and `a/c`. */
const split = (glob: string): ReadonlyArray<string> => {
  const [braces = "", words = ""] = /\{([^}]*)\}/.exec(glob) ?? []
  return braces === "" ? [glob] : words.split(",").map((word) => glob.replace(braces, word))
}

it.each(Object.entries({
  quick,
  exhaustive,
  notOnBun,
  notOnNode,
  ofRuntime,
  onDenoAlone,
  onOldestNode,
  sharing,
  leftOut: suites.flatMap(({ files = [] }) => files),
}))("every glob of %s matches a test file", (_, globs) => {
  const empty = filesOf(globs).flatMap(split).filter((glob) => !files.some((file) => matchesGlob(file, glob)))
  expect(empty).toEqual([])
})

it("tests left out on Bun or Node run on Deno, and tests left out on both are listed as on Deno alone", () => {
  const runsOn = (file: string, globs: ReadonlyArray<string>) => globs.some((glob) => matchesGlob(file, glob))
  const leftOut = files.filter((file) => runsOn(file, [...onDenoAlone, ...notOnBun, ...notOnNode]))
  expect(leftOut.filter((file) => /\b(?:bun|node)\.test\.ts$/.test(file) || runsOn(file, once))).toEqual([])
  expect(files.filter((file) => runsOn(file, notOnBun) && runsOn(file, notOnNode))).toEqual([])
})

it("modules of several files register no hook when they are loaded: files that share a worker load them once", () => {
  const others = sources.filter((file) => !file.endsWith(".test.ts") && !file.startsWith("tests/node22/"))
  expect(others.length).toBeGreaterThan(100)
  const hook = /^(?:before|after)(?:All|Each)\(/m
  expect(others.filter((file) => hook.test(readFileSync(join(root, file), "utf8")))).toEqual([])
})
