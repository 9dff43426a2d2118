import { describe, expect, it } from "@effect/vitest"
import { runScript } from "../../support/script.ts"

const once = new URL("./once.fixture.ts", import.meta.url)

// A timer, a pipe or a child that was forgotten would keep the script alive until it is killed.
describe("a script ends as soon as its last command has", () => {
  it.concurrent("when it has read all there was", async () => {
    const { stderr, ...result } = await runScript(once, ["whole", "left", "input"])
    expect(stderr).toBe("")
    expect(result).toEqual({ code: 0, stdout: "whole: Success true\nleft: Success true\ninput: Success true\n" })
  })

  it.concurrent("when a run was closed, aborted or late", async () => {
    const { stderr, ...result } = await runScript(once, ["taken", "aborted", "late"])
    expect(stderr).toBe("")
    expect(result).toEqual({ code: 0, stdout: "taken: Success true\naborted: Failure true\nlate: Failure true\n" })
  })
})
