import { expect, it, onTestFinished, vi } from "vitest"
import { endTreeSync } from "../../../../src/leaves/local/end/endTreeSync.ts"

it("kills stopped processes even if new ones start faster than they can be checked", () => {
  let now = 0
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now += 5)
  onTestFinished(() => clock.mockRestore())
  const root = { pid: 10, parent: 1, group: 10, started: "1" }
  const foreign = (pid: number) => ({ pid, parent: 1, group: pid, started: "2" })
  let latest = 100
  const sent: Array<string> = []
  endTreeSync({
    roots: () => [root.pid],
    marker: "mark",
    table: {
      living: () => new Map([[root.pid, root]]),
      entry: (pid) => pid === root.pid ? root : foreign(pid),
      isProcess: () => true,
      isMarked: () => false,
      watch: () => () => [latest++],
    },
    signal: (pid, name) => sent.push(`${pid} ${name}`),
  })
  expect([...new Set(sent)]).toEqual(["10 SIGSTOP", "10 SIGTERM", "10 SIGCONT", "10 SIGKILL"])
})
