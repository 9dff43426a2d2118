import { expect, it } from "vitest"
import { procTable, shellTable } from "../../../../src/leaves/local/end/ProcessTable.ts"

const ours = "sluice-lost.abc"
const theirs = "sluice-lost.xyz"
const mark = "sluice-lost."

/** A `/proc` in which an environment can be read once: then its process is gone. */
const brief = (environments: Readonly<Record<number, string>>) => {
  const left = new Map(Object.entries(environments))
  return {
    readNames: () => [...left.keys()],
    readText: (path: string): string | undefined => {
      const pid = path.split("/")[2] ?? ""
      const text = left.get(pid)
      left.set(pid, "")
      return text
    },
  }
}

it("distinguishes a marker from one that contains it, in one scan", async () => {
  const environments = { 10: `A=1\0SLUICE_RUN=${ours}`, 11: `SLUICE_RUN=${theirs}\0B=2`, 12: "A=1" }
  expect(await procTable(brief(environments)).marked([10, 11, 12], mark, [theirs])).toEqual([10])
  const { sync: quick } = procTable(brief(environments))
  expect([10, 11, 12].map((pid) => quick?.isMarked(pid, mark, [theirs]))).toEqual([true, false, false])
})

it("ignores processes that ended before their marker was read, if a scan needs several steps", async () => {
  const environments = new Map([[10, `SLUICE_RUN=${ours}`], [11, `SLUICE_RUN=${theirs}`], [12, `SLUICE_RUN=${theirs}`]])
  let looks = 0
  const table = shellTable((_, args) => {
    const text = args.at(-1) ?? ""
    const found = [...environments].filter(([, environment]) => environment.includes(text))
    // One of the others dies after the first look.
    if (++looks === 1) environments.set(12, "")
    return Promise.resolve(found.map(([pid]) => `/proc/${pid}/environ`).join("\n"))
  }, "sh")
  expect(await table.marked([10, 11, 12], mark, [theirs])).toEqual([10])
})
