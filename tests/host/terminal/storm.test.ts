/** 100 MB through each engine's terminal: complete, as fast as it is read, in flat memory. */
import { describe, expect, it } from "vitest"
import * as Schema from "effect/Schema"
import { currentHost } from "../../../src/host/currentHost.ts"
import { findEngines } from "../../../src/host/terminal/findEngine.ts"
import { scriptAnswer } from "../../support/script.ts"

const bytes = 100_000_000
const Answer = Schema.Struct({ count: Schema.Int, exitCode: Schema.Int, growth: Schema.Int })

const host = currentHost()
const engines = host === undefined ? [] : await findEngines(host)

// A lot of work: Node has the same engines as Deno, and the relay is the same program everywhere.
const isLeftOut = (name: string): boolean => host?.runtime !== "deno" && name !== "bun"

describe.each(engines)("100 MB through $name", ({ name }) => {
  it.skipIf(isLeftOut(name))("arrive whole, and memory stays flat while nobody reads", async () => {
    const fixture = new URL("./storm.fixture.ts", import.meta.url)
    const { count, exitCode, growth } = await scriptAnswer(Answer, fixture, [name, `${bytes}`])
    expect({ count, exitCode }).toEqual({ count: bytes, exitCode: 0 })
    // What is garbage until it is collected; read ahead, all of it would be more.
    expect(growth).toBeLessThan(60_000_000)
  })
})
