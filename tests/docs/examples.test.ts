import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { allExamples, examplesOf, nameOf, root, writeExamples } from "../../scripts/examples.mjs"

const runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node"
const others = ["deno", "bun", "node", "no-run"].filter((word) => word !== runtime)

const examples = allExamples()
const modules = examples.filter(({ language, words }) =>
  language === "ts" && (words.includes(runtime) || !words.some((word) => others.includes(word)))
)
// They start the command line by npm, which takes Deno where it is installed.
const scripts = examples.filter(({ language, words }) =>
  runtime === "deno" && language === "sh" && words.includes("run")
)
const folder = writeExamples(runtime, modules)

// Journals that examples keep in the checkout: an earlier version may have written them.
for (const { code } of [...modules, ...scripts]) {
  for (const [path] of code.matchAll(/\.sluice\/guide[\w.-]*/g)) rmSync(join(root, path), { force: true })
}

/** What `console.assert` was told that is not so: it only prints, and here it must fail. */
let refuted: Array<string> = []

beforeEach(() => {
  refuted = []
  vi.spyOn(console, "assert").mockImplementation((condition, ...told) => {
    if (!condition) refuted.push(["an assertion does not hold", ...told].join(" "))
  })
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe("every example in the documentation runs as it is written", () => {
  for (const example of modules) {
    it(`${example.file}:${example.line}`, async () => {
      await import(/* @vite-ignore */ pathToFileURL(join(folder, nameOf(example))).href)
      expect(refuted).toEqual([])
    })
  }

  for (const example of scripts) {
    // Processes of their own, which wait more than they work.
    it.runIf(process.platform !== "win32")(`${example.file}:${example.line}`, { concurrent: true }, async () => {
      await promisify(execFile)("sh", ["-ec", example.code], {
        cwd: root,
        env: { ...process.env, SLUICE_RUNTIME: runtime },
      })
    })
  }
})

describe("what counts as an example", () => {
  const source = [
    "/**",
    " * Adds.",
    " *",
    " * @example",
    " * ```ts deno",
    " * const one = 1",
    " *",
    " * one + 1",
    " * ```",
    " */",
    "const text = `",
    "```ts",
    "`",
  ].join("\n")

  it("is a fenced block of a doc comment, with its line, its words and its empty lines", () => {
    expect(examplesOf("src/add.ts", source)).toEqual([
      { file: "src/add.ts", line: 6, language: "ts", words: ["deno"], code: "const one = 1\n\none + 1" },
    ])
  })

  it("is a fenced block of a page in ts or sh, and of no other language", () => {
    const page = ["```ts", "1", "```", "```json", "{}", "```", "```sh run", "true", "```"].join("\n")
    expect(examplesOf("README.md", page).map(({ language, line, words }) => [language, line, words])).toEqual([
      ["ts", 2, []],
      ["sh", 8, ["run"]],
    ])
  })

  it("is found in the sources", () => {
    expect(modules.length).toBeGreaterThan(3)
  })
})
