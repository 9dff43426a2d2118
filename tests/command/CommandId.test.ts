import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { CommandId } from "../../src/command/CommandId.ts"
import { makeUuidV7 } from "../../src/command/makeUuidV7.ts"

it("makes UUIDv7s that sort in the order they were made, within one millisecond too", () => {
  const ids = Array.from({ length: 10_000 }, () => makeUuidV7(1_700_000_000_000))
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it("refuses ids that are empty, too long, or not printable", () => {
  const decode = Schema.decodeUnknownSync(CommandId)
  for (const bad of ["", "a b", "a\n", "x".repeat(201), "é", 3]) expect(() => decode(bad)).toThrow()
  expect(decode("build-1")).toBe("build-1")
})
