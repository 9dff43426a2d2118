import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ShellEvent } from "../../src/command/ShellFault.ts"
import { decodeEvent } from "../../src/wire/mod.ts"

it("decodes and refuses a chunk with any fields as its Schema does", () => {
  const decode = Schema.decodeUnknownResult(ShellEvent)
  const chunk = { _tag: "ShellOutputChunk", commandId: "c1", stream: "stdout", content: "a", timestamp: 1, seq: 0 }
  const values = [
    "",
    "c1",
    "x y",
    "é",
    "x".repeat(201),
    "stderr",
    0,
    -0,
    -1,
    0.5,
    1e300,
    2 ** 53,
    null,
    true,
    [],
    {},
    "__proto__",
  ]
  let refused = 0
  for (const key of [...Object.keys(chunk), "more"]) {
    for (const value of [...values, undefined]) {
      const text = JSON.stringify({ ...chunk, [key]: value })
      // An unknown tag is skipped before.
      const own = decodeEvent(text)
      if (Result.isSuccess(own) && own.success === undefined) continue
      const schema = decode(JSON.parse(text))
      expect(Result.isSuccess(own), text).toBe(Result.isSuccess(schema))
      if (Result.isSuccess(own) && Result.isSuccess(schema)) {
        expect(own.success).toStrictEqual(schema.success)
        expect(Object.keys(own.success ?? {})).toEqual(Object.keys(schema.success))
      } else refused++
    }
  }
  expect(refused).toBeGreaterThan(50)
})
