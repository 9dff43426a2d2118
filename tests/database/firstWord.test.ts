import { expect, it } from "vitest"
import { firstWord } from "../../src/database/postgres/firstWord.ts"

it.each([
  ["SELECT 1", "select"],
  [" \t\r\n\v\fcommit", "commit"],
  [";;; ; END", "end"],
  ["-- a\n--b\r-- c\nROLLBACK", "rollback"],
  ["/* a */ /**/ /* /* b */ COMMIT */ BEGIN", "begin"],
  ["/***/COMMIT", "commit"],
  ["/*/**/*/COMMIT", "commit"],
  ["/* COMMIT", ""],
  ["/* /* */ COMMIT", ""],
  ["--COMMIT", ""],
  ["(SELECT 1)", ""],
  ['"COMMIT"', ""],
  ["", ""],
  [`${"/*".repeat(20_000)}${"*/".repeat(20_000)}COMMIT`, "commit"],
])("finds the first word of %j", (sql, word) => {
  expect(firstWord(sql)).toBe(word)
})
