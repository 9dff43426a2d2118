import { expect, it } from "@effect/vitest"
import { parse } from "yaml"
import { toYaml } from "../../src/mcp/toYaml.ts"
import { forSeeds } from "../support/random.ts"

it("writes several lines unchanged as a block", () => {
  expect(toYaml({ exit_code: 0, stdout: "a: b\n\n  # c\n", stderr: "no end" }))
    .toBe("exit_code: 0\nstdout: |\n  a: b\n\n    # c\nstderr: no end\n")
})

it("omits undefined, and keeps null", () => {
  expect(toYaml({ error: undefined, exit_code: null, stdout: "" })).toBe('exit_code: null\nstdout: ""\n')
})

it("folds no line, however long", () => {
  const long = `${"word ".repeat(200)}end`
  expect(toYaml({ stdout: long })).toBe(`stdout: ${long}\n`)
})

it("quotes text that a block cannot hold", () => {
  expect(toYaml({ stdout: "\u001b[31mred\n\r\n" })).toBe('stdout: "\\e[31mred\\n\\r\\n"\n')
})

const parts = [
  "a",
  "\n",
  "\r",
  " ",
  "\t",
  "\u001b",
  "#",
  ": ",
  "- ",
  "\0",
  "é",
  "😀",
  "\u0085",
  "\u2028",
  "\ufeff",
  "'",
  '"',
  "|",
  "---\n",
]

it("parses back to the same text", () => {
  forSeeds(300, ({ int, pick }) => {
    const stdout = Array.from({ length: int(0, 12) }, () => pick(parts)).join("")
    expect(parse(toYaml({ stdout, exit_code: 0 }))).toEqual({ stdout, exit_code: 0 })
  })
})
