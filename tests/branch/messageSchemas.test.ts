import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { eventSchema, messagesOf, requestSchema } from "../../src/branch/messageSchemas.ts"

const Ask = requestSchema("Ask", { text: Schema.String })
const Forget = requestSchema("Forget", {})
const Reply = eventSchema("Reply", { n: Schema.Int })

it("gives a request an id of its own where the caller gives none", () => {
  const [first, second] = [Ask.make({ text: "a" }), Ask.make({ text: "a" })]
  expect(first).toEqual({ _tag: "Ask", correlationId: expect.stringMatching(/^[0-9a-f-]{36}$/), text: "a" })
  expect(second.correlationId).not.toBe(first.correlationId)
  expect(Ask.make({ correlationId: "a1", text: "a" }).correlationId).toBe("a1")
})

it("reads no request and no event without an id", () => {
  for (const message of [{ _tag: "Ask", text: "a" }, { _tag: "Ask", correlationId: "", text: "a" }]) {
    expect(Schema.is(Ask)(message)).toBe(false)
  }
  expect(Schema.is(Reply)({ _tag: "Reply", n: 1 })).toBe(false)
  expect(Schema.is(Reply)({ _tag: "Reply", correlationId: "a1", n: 1 })).toBe(true)
})

it("has the tags of a union in their order", () => {
  const union = Schema.Union([Forget, Ask])
  expect(messagesOf(union)).toEqual({ tags: ["Forget", "Ask"], schema: union })
})
