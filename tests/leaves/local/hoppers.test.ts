/** Families in which each generation starts the next in a session of its own and is gone. */
import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { scriptAnswer } from "../../support/script.ts"

const Answer = Schema.Struct({ began: Schema.Int, survivors: Schema.Int, reasons: Schema.Array(Schema.String) })

describe.runIf(process.platform === "linux")("process families that change sessions", () => {
  // Where twenty other processes want each core, families may hop faster than they can be followed: up to four attempts.
  it("are ended completely, twelve at once", { retry: 3 }, async () => {
    const answer = await scriptAnswer(Answer, new URL("./hoppers.fixture.ts", import.meta.url), ["12", "12"])
    expect(answer).toEqual({ began: 12, survivors: 0, reasons: ["Timeout"] })
  })
})
