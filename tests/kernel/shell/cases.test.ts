import { readdirSync } from "node:fs"
import { beforeAll, expect, it } from "vitest"
import { ask, type Case, type Expected, readCases } from "./oracle.ts"
import { type Answer, sh } from "./support.ts"

const cases = readdirSync(new URL("cases", import.meta.url)).sort().flatMap((file) =>
  readCases(file.replace(".txt", ""))
)
const posix = cases.filter((each) => each.posix)
const scripts = (some: ReadonlyArray<Case>) => some.map(({ script }) => script)

// The shells of this machine work while ours does; a few dozen scripts at a time share the waiting.
const bash = ask("bash", scripts(cases))
const dash = ask("dash", scripts(posix))

beforeAll(() => Promise.all([bash, dash]))

const ours = new Map<string, Promise<Answer>>()
const atOnce = 16

const run = (script: string): Promise<Answer> => {
  const known = ours.get(script) ?? sh(script)
  ours.set(script, known)
  return known
}

/** Returns the result of a script, and starts the runs of those that follow. */
const answer = async (some: ReadonlyArray<Case>, index: number): Promise<Expected> => {
  for (const next of some.slice(index, index + atOnce)) void run(next.script)
  const { exitCode, stderr, stdout } = await run(some[index]?.script ?? "")
  return { stdout, exitCode, complained: stderr !== "", stderr }
}

/** The parts of a result that are compared: not the text of error messages. */
const promised = (answers: ReadonlyArray<Expected>, index: number): Omit<Expected, "stderr"> | undefined => {
  const found = answers[index]
  return found && { stdout: found.stdout, exitCode: found.exitCode, complained: found.complained }
}

const title = ({ promise, script, theme }: Case, shell: string): string =>
  `${theme}: ${promise}, as ${shell} does: ${JSON.stringify(script).slice(1, 90)}`

for (const [index, each] of cases.entries()) {
  it(title(each, "bash"), async () => {
    const { stderr, ...got } = await answer(cases, index)
    expect(got, stderr).toEqual(promised(await bash, index))
  })
}

for (const [index, each] of posix.entries()) {
  it(title(each, "dash"), async () => {
    const { stderr, ...got } = await answer(posix, index)
    expect(got, stderr).toEqual(promised(await dash, index))
  })
}

it("compares at least 500 scripts", () => {
  expect(cases.length).toBeGreaterThan(500)
})
