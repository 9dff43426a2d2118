import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeMessage } from "../../src/cli/writeMessage.ts"

it("writes one line that cannot control the terminal, whatever a server has put into it", async () => {
  let written = ""
  const write = (_: number, bytes: Uint8Array) => Effect.sync(() => void (written += new TextDecoder().decode(bytes)))
  await Effect.runPromise(writeMessage({ write }, "read a:\n  nothing \u001b]52;c;ZXZpbA==\u0007 there\u202e"))
  expect(written).toBe("sluice: read a: nothing \\u001b]52;c;ZXZpbA==\\u0007 there\\u202e\n")
})
