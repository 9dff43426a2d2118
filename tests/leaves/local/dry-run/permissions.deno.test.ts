import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { scriptAnswer } from "../../../support/script.ts"

const fixture = new URL("./permissions.fixture.ts", import.meta.url)
const line = (...permissions: ReadonlyArray<string>) => scriptAnswer(Schema.String, fixture, [], { permissions })

it("needs no permission to run anything", async () => {
  expect(await line("--allow-read", "--allow-env")).toMatch(/^\/.*\/ls 'a b'$/)
})

it("names a program without its directory where it may not look for it", async () => {
  expect(await line("--allow-env")).toBe("ls 'a b'")
})
