/** Several processes that use one file at the same moment: none sees a half, none is refused for the others, nothing is lost. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { scriptAnswer } from "../../support/script.ts"

const processes = Number(process.env["SLUICE_PROCESSES"] ?? 10)

const roots: Array<string> = []
const makeRoot = (): string => {
  const root = mkdtempSync(join(tmpdir(), "sluice-writers-"))
  roots.push(root)
  return root
}
afterAll(() => roots.forEach((root) => rmSync(root, { recursive: true, force: true })))

const script = new URL("./manyWriters.ts", import.meta.url)
const run = (root: string, what: string, id: string, until: number) =>
  scriptAnswer(Schema.Record(Schema.String, Schema.Number), script, [root, what, id, String(until)])

/** Long enough for all of them to have started. */
const soon = () => Date.now() + 1_500 + 150 * processes

const sum = (answers: ReadonlyArray<Readonly<Record<string, number>>>): Record<string, number> => {
  const total: Record<string, number> = {}
  for (const answer of answers) {
    for (const [outcome, count] of Object.entries(answer)) total[outcome] = (total[outcome] ?? 0) + count
  }
  return total
}

// Windows refuses to replace what others have open.
describe.skipIf(process.platform === "win32")("processes that use one file", () => {
  it("read and append to it while others replace it: it is always there, and whole", async () => {
    const root = makeRoot()
    writeFileSync(join(root, "f"), "0".repeat(100_000))
    const end = soon() + 1_500
    const loops = ["replace", "replace", "replaceExisting", "append", "read", "stat"]
    const answers = await Promise.all(loops.map((what, index) => run(root, what, String(index), end)))
    answers.forEach((answer, index) => {
      expect([loops[index], Object.keys(answer)]).toEqual([loops[index], ["done"]])
      expect(answer["done"]).toBeGreaterThan(0)
    })
    expect(readdirSync(root)).toEqual(["f"])
  })

  const ids = Array.from({ length: processes }, (_, index) => `writer-${index}`)

  it("create it: one of them does", async () => {
    const root = makeRoot()
    const at = soon()
    const answers = await Promise.all(ids.map((id) => run(root, "create", id, at)))
    expect(sum(answers)).toEqual({ done: 1, AlreadyExists: processes - 1 })
    expect(readFileSync(join(root, "new"), "utf8")).toBe(ids[answers.findIndex((answer) => answer["done"] === 1)])
    expect(readdirSync(root)).toEqual(["new"])
  })

  it("append to it, also the first one: nothing is lost", async () => {
    const root = makeRoot()
    const at = soon()
    const answers = await Promise.all(ids.map((id) => run(root, "appendNew", id, at)))
    expect(sum(answers)).toEqual({ done: processes })
    expect(readFileSync(join(root, "log"), "utf8").trim().split("\n").sort()).toEqual(ids.toSorted())
  })
})
