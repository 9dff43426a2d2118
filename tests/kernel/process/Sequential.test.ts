import { expect, it } from "@effect/vitest"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import { StreamSource } from "../../../src/kernel/process/StreamSource.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { bytes, copier, expectedTally, makeKernel, run, runPipeline } from "./support.ts"

const kernels = async () => {
  const programs = {
    ...Object.fromEntries(
      await Promise.all(
        ["produce", "relay", "tally", "crash", "pipeline"].map(async (name) => [name, await compileC(name)] as const),
      ),
    ),
    copy: copier(1_000),
  }
  return [false, true].map((sequential) => makeKernel({ programs, sequential, limits: { maxSpoolBytes: 1_048_576 } }))
}

it("runs programs in TypeScript as ever where WASM cannot be suspended", async () => {
  const kernel = makeKernel({ programs: { copy: copier(7) }, sequential: true })
  expect((await run(kernel, { program: "copy" }, new StaticFile(bytes("as ever")))).stdout).toBe("as ever")
})

if (canCompileC) {
  it.each(
    [
      [["produce", "300000", "777"], ["relay", "4096"], ["relay"], ["tally"]],
      [["produce", "300000", "777"], ["copy"], ["relay"], ["copy"], ["tally"]],
      [["relay"], ["tally"]],
      [["produce", "100000"], ["tally", "50000"]],
      [["pipeline", "produce", "100000", "--", "relay", "10", "--", "tally"]],
      [["pipeline", "produce", "5", "--", "none"]],
      [["crash", "abort"], ["tally"]],
      [["crash", "exit"]],
    ] as const,
  )("gives the same without suspending: %j", async (...stages) => {
    const [first, second] = await Promise.all((await kernels()).map((kernel) => runPipeline(kernel, stages)))
    expect(first).toEqual(second)
    expect(first?.codes.length).toBe(stages.length)
  })

  it("ends an endless producer once the pipe has reached its limit", async () => {
    const [, kernel] = await kernels()
    if (kernel === undefined) throw new Error("no kernel")
    const ran = await runPipeline(kernel, [["produce"], ["tally", "100000"]])
    expect(ran).toEqual({ stdout: expectedTally(100_000, 1), stderr: "", codes: [141, 0] })
  })

  it("collects the host's input before it starts, piece by piece", async () => {
    for (const kernel of await kernels()) {
      let left = 3
      let cancelled = 0
      const stdin = new StreamSource({
        pull: () => Promise.resolve(left-- > 0 ? bytes("abc") : undefined),
        cancel: () => cancelled++,
      })
      const ran = await run(kernel, { program: "relay" }, stdin)
      expect(ran).toMatchObject({ exitCode: 0, stdout: "abcabcabc" })
      expect(cancelled).toBe(1)
    }
  })

  it("treats timers as expired where it cannot wait, and fails calls that would deadlock", async () => {
    const [, kernel] = await kernels()
    if (kernel === undefined) throw new Error("no kernel")
    expect(await run(kernel, { program: "crash", args: ["crash", "sleep"] })).toMatchObject({ exitCode: 0 })
  })
}
