import { expect, it } from "vitest"
import { execFileSync } from "node:child_process"
import { matchesGlob } from "node:path"
import { fileURLToPath } from "node:url"
import { suites } from "../../scripts/system.mjs"
import { filesOf, onNode, onOldestNode, quick, sharing } from "../../vitest.config.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "tests"], { cwd: root, encoding: "utf8" })
  .split("\n").filter((file) => file.endsWith(".test.ts"))

/** A glob for each word of its first braces: `a/{b,c}` is `a/b` and `a/c`. */
const split = (glob: string): ReadonlyArray<string> => {
  const [braces = "", words = ""] = /\{([^}]*)\}/.exec(glob) ?? []
  return braces === "" ? [glob] : words.split(",").map((word) => glob.replace(braces, word))
}

it.each(Object.entries({
  quick,
  onNode,
  onOldestNode,
  sharing,
  leftOut: suites.flatMap(({ files = [] }) => files),
}))("every glob of %s names a test file that is there", (_, globs) => {
  const empty = filesOf(globs).flatMap(split).filter((glob) => !files.some((file) => matchesGlob(file, glob)))
  expect(empty).toEqual([])
})
