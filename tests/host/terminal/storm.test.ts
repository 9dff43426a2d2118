/** 100 MB through the engine's terminal: complete, as fast as it is read, in flat memory. */
import { expect, it } from "vitest"
import * as Schema from "effect/Schema"
import { findHost } from "../../../src/host/findHost.ts"
import { scriptAnswer } from "../../support/script.ts"

const bytes = 100_000_000
const Answer = Schema.Struct({ count: Schema.Int, exitCode: Schema.Int, growth: Schema.Int })

// A lot of work: Node reads and writes the descriptor as Deno does.
it.skipIf(findHost()?.runtime === "node")(
  "100 MB on a terminal arrive whole, and memory stays flat without a reader",
  async () => {
    const { count, exitCode, growth } = await scriptAnswer(Answer, new URL("./storm.fixture.ts", import.meta.url), [
      `${bytes}`,
    ])
    expect({ count, exitCode }).toEqual({ count: bytes, exitCode: 0 })
    // Allows for uncollected garbage; reading ahead would keep all 100 MB.
    expect(growth).toBeLessThan(60_000_000)
  },
)
