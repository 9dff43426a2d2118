/** Attempts to get out, each of which succeeds without walls where the machine lets it. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { engines, isolationWorks } from "../../../support/isolation.ts"
import { escapeCases, outputsOf } from "./cases.ts"
import { makeEscapeWorld, users } from "./world.ts"

const fixture = fileURLToPath(new URL("./host.fixture.ts", import.meta.url))
const runtime = [process.execPath, ...("Deno" in globalThis ? ["run", "-A", "--no-prompt"] : [])]

/** The outputs of those attempts of the user that succeeded, or those that failed. */
const attempt = async (user: "root" | "user", engine: string) => {
  const world = await makeEscapeWorld(user)
  try {
    const answer = `${world.directory}/answer`
    const text = await world.run([...runtime, fixture, engine, answer, JSON.stringify(world.env)])
    let outputs: ReadonlyArray<string> = []
    try {
      outputs = outputsOf(readFileSync(answer, "utf8"))
    } catch {
      // Its message says why there is no answer.
    }
    if (outputs.length !== escapeCases.length) throw new Error(`the host of ${engine} failed: ${text}`)
    const all = escapeCases.map(({ name, open, wall }, at) => ({
      name: `${wall}: ${name}`,
      open,
      output: outputs[at] ?? "",
    }))
      .filter(({ open }) => open !== "user" || user === "user")
    return {
      succeeded: all.filter(({ output }) => output.includes("ESCAPED")),
      failed: all.filter(({ output }) => !output.includes("ESCAPED")),
    }
  } finally {
    world.close()
  }
}

describe.runIf(isolationWorks).each(users)("escapes of %s", (user) => {
  it("succeed without isolation", async () => {
    const { failed } = await attempt(user, "open")
    expect(failed.filter(({ open }) => open === "any" || open === user)).toEqual([])
  })

  it.each(engines)("fail behind %s", async (engine) => {
    const { failed, succeeded } = await attempt(user, engine)
    expect(succeeded).toEqual([])
    expect(failed.length).toBeGreaterThan(50)
  })
})
