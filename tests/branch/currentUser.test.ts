import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ownName } from "../support/ownName.ts"
import { scriptAnswer } from "../support/script.ts"

it("is the user of the process, whatever its variables say", async () => {
  const answer = scriptAnswer(Schema.String, new URL("./currentUser.fixture.ts", import.meta.url), [], {
    env: { ...process.env, USER: "mallory", LOGNAME: "mallory", USERNAME: "mallory" },
  })
  expect(await answer).toBe(ownName)
})
