import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { inspect, promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { allExamples, examplesOf, isShown, nameOf, root, shownOutput, writeExamples } from "../../scripts/examples.mjs"

const runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node"
const others = ["deno", "bun", "node", "no-run"].filter((word) => word !== runtime)

const examples = allExamples()
const modules = examples.filter(({ language, words }) =>
  language === "ts" && (words.includes(runtime) || !words.some((word) => others.includes(word)))
)
// They start the command line on Deno, where it is installed.
const scripts = examples.filter(({ language, words }) =>
  runtime === "deno" && language === "sh" && words.includes("run")
)
const folder = writeExamples(runtime, modules)

// Journals that examples keep in the checkout: an earlier version may have written them.
for (const { code } of [...modules, ...scripts]) {
  for (const [path] of code.matchAll(/\.sluice\/guide[\w.-]*/g)) rmSync(join(root, path), { force: true })
}

/** What was printed, in the same form on every runtime. */
let printed = ""

beforeEach(() => {
  printed = ""
  vi.spyOn(console, "log").mockImplementation((...values: ReadonlyArray<unknown>) => {
    // The logger of Effect, such as a warning at the end of a daemon.
    if (/^\[[\d:.]+\] [A-Z]+ \(#\d+\):/.test(String(values[0]))) return
    const texts = values.map((value) => typeof value === "string" ? value : inspect(value, { breakLength: Infinity }))
    printed += `${texts.join(" ")}\n`
  })
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe("every example in the documentation runs as it is written", () => {
  for (const example of modules) {
    it(`${example.file}:${example.line}`, async () => {
      await import(/* @vite-ignore */ pathToFileURL(join(folder, nameOf(example))).href)
      const shown = shownOutput(example.code)
      if (!isShown(shown, printed)) expect(printed.trimEnd().split("\n")).toEqual(shown)
    })
  }

  for (const example of scripts) {
    // Processes of their own, which wait more than they work.
    it.runIf(process.platform !== "win32")(`${example.file}:${example.line}`, { concurrent: true }, async () => {
      // In place of the program that `npx` finds where the package is installed; bundled before the first test.
      const sluice = `'${process.execPath}' run -A --quiet '${process.env["TEST_CLI_FILE"] ?? "src/cli/main.ts"}'`
      const code = example.code.replaceAll("npx sluice", sluice)
      await promisify(execFile)("sh", ["-ec", code], { cwd: root })
    })
  }
})

describe("the output that an example shows", () => {
  const code = [
    "const text = await run()",
    "console.log(text) // hello",
    "console.log(",
    "  [1, 2],",
    ") // [ 1, 2 ]",
    "// No output.",
    "const more = 1",
    "for await (const line of lines()) console.log(line)",
    "// one",
    "// t…o",
    "await program(Console.log)",
    "// …",
    "// end",
  ].join("\n")
  const shown = ["hello", "[ 1, 2 ]", "one", "t…o", "…", "end"]

  it("is the comments behind and below console.log, and at its end", () => {
    expect(shownOutput(code)).toEqual(shown)
    expect(shownOutput("const one = 1\n// No output.")).toEqual([])
  })

  it.each([
    ["hello\n[ 1, 2 ]\none\ntwo\nend\n", true],
    ["hello\n\n[ 1, 2 ]\none\nto\n1\n2\nend\n", true],
    ["hello\n[ 1, 2 ]\none\ntwo\nend\nmore\n", false],
    ["hello\n[ 1, 2 ]\none\ntwo\n", false],
    ["hallo\n[ 1, 2 ]\none\ntwo\nend\n", false],
    ["", false],
  ])("is compared with what it printed: %j", (printed, is) => {
    expect(isShown(shown, printed)).toBe(is)
  })
})

describe("an example", () => {
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

  it("prints what it says, and asserts nothing: an assertion only prints that it failed", () => {
    expect(examples.filter(({ code }) => code.includes("console.assert")).map(nameOf)).toEqual([])
  })

  it("is found in the sources", () => {
    expect(modules.length).toBeGreaterThan(3)
  })
})
