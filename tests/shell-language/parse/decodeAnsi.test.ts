import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { random } from "../../support/random.ts"
import { scriptOf } from "../render.ts"

const decoded = (text: string): string => {
  const command = scriptOf(`$'${text}'`).statements[0]?.pipelines[0]?.commands[0]
  const part = command?._tag === "SimpleCommand" ? command.words[0]?.parts[0] : undefined
  return part?._tag === "SingleQuoted" ? part.value : "no part"
}

it("ends at an unescaped quote and at a NUL", () => {
  expect(decoded("a\\'b")).toBe("a'b")
  expect(decoded("a\\\\")).toBe("a\\")
  expect(decoded("a\\0b")).toBe("a")
  expect(decoded("\\xff\\U00110000")).toBe("\udcff\ufffd")
})

if (existsSync("/bin/bash")) {
  it("decodes the escapes that bash decodes", () => {
    const { int, pick } = random(5)
    const pieces = [
      "\\n",
      "\\t",
      "\\a",
      "\\b",
      "\\e",
      "\\E",
      "\\f",
      "\\r",
      "\\v",
      "\\\\",
      "\\'",
      '\\"',
      "\\?",
      "\\x41",
      "\\x4",
      "\\101",
      "\\7",
      "\\u00e9",
      "\\u41",
      "\\U0001F600",
      "\\cA",
      "\\c?",
      "\\q",
      "\\xg",
      "\\8",
      "a",
      "é",
      "4",
      "f",
      "\\xc3\\xa9",
      "\n",
    ]
    const texts = Array.from({ length: 400 }, () => Array.from({ length: int(1, 8) }, () => pick(pieces)).join(""))
    const script = texts.map((text) => `printf '%s\\0' $'${text}'`).join("\n")
    const env = { ...process.env, LC_ALL: "C.UTF-8" }
    const theirs = execFileSync("/bin/bash", { input: script, encoding: "utf8", env }).split("\0").slice(0, -1)
    expect(texts.map((text) => [text, decoded(text)])).toEqual(texts.map((text, i) => [text, theirs[i]]))
  })
}
