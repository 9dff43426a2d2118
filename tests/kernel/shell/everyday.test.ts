import { readdirSync } from "node:fs"
import { beforeAll, expect, it } from "vitest"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import { ask, type Expected, readScripts } from "./oracle.ts"
import { makeWorld, start } from "./support.ts"

const scripts = readdirSync(new URL("everyday", import.meta.url)).sort()
  .flatMap((file) => readScripts(file.replace(".sh", "")))

const env: ReadonlyArray<readonly [string, string]> = [
  ["PATH", "/usr/bin:/bin"],
  ["HOME", "/root"],
  ["LC_ALL", "C.UTF-8"],
]

/** Removes process ids and the text of syntax errors, which differ. */
const comparable = (stderr: string): string =>
  stderr.replace(/(?<=line \d+: ) *\d+(?= (?:Killed|Terminated|Hangup|Aborted))/g, " PID")
    .replace(/(?<=line \d+: )(?:syntax error|unexpected (?:EOF|token))[^\n]*(?:\n[^\n]*: `[^\n]*)?/g, "syntax error")

/** Runs `bash script.sh` in a world of its own. */
const run = async (script: string): Promise<Expected> => {
  const kernel = makeWorld({ env })
  const text = new StaticFile(new TextEncoder().encode(script))
  await start(kernel, "sh", ["sh", "-c", "cat > script.sh"], text).answer
  const { exitCode, stderr, stdout } = await start(kernel, "bash", ["bash", "script.sh"]).answer
  kernel.close()
  return { stdout, stderr: comparable(stderr), exitCode, complained: stderr !== "" }
}

// Real bash works while ours does; a few dozen scripts at a time share the waiting.
const bash = ask("bash", scripts.map(({ script }) => script), "file")

beforeAll(() => bash)

const atOnce = 16
const ours = new Map<number, Promise<Expected>>()

const answer = (index: number): Promise<Expected> => {
  for (let next = index; next < Math.min(index + atOnce, scripts.length); next++) {
    if (!ours.has(next)) ours.set(next, run(scripts[next]?.script ?? ""))
  }
  return ours.get(index) ?? run("")
}

for (const [index, { theme, title }] of scripts.entries()) {
  it(`${theme}: ${title}, as bash does`, async () => {
    const [got, expected] = [await answer(index), (await bash)[index]]
    expect(got).toEqual({ ...expected, stderr: comparable(expected?.stderr ?? "") })
  })
}

it("compares at least 200 scripts", () => {
  expect(scripts.length).toBeGreaterThanOrEqual(200)
})
