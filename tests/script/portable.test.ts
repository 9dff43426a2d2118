/** Scripts in the portable shell on the local leaf, compared with bash, and with every program that starts looked at. */
import { expect, it } from "@effect/vitest"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInBash } from "../policy/witness/bashRuns.ts"
import { runTraced } from "../policy/witness/traced.ts"
import { everydayPortable } from "./everydayPortable.ts"

const fill = (folder: string): void => {
  mkdirSync(join(folder, "folder"), { recursive: true })
  writeFileSync(join(folder, "one.txt"), "one\ntwo\nthree\n")
  writeFileSync(join(folder, "two.txt"), "2\n")
  writeFileSync(join(folder, "folder/inner"), "inside\n")
  writeFileSync(join(folder, "vars.sh"), "VALUE=sourced\n")
  writeFileSync(join(folder, "tool.sh"), "#!/usr/bin/awk BEGIN { exit 3 }\n")
  chmodSync(join(folder, "tool.sh"), 0o755)
}

const environment = { PATH: "/usr/bin:/bin", HOME: "/nowhere", LANG: "C.UTF-8" }

it("gives the results of bash for everyday scripts, without starting a shell", async () => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sluice-portable-")))
  try {
    const [place, store, work] = [join(path, "place"), join(path, "bash"), join(path, "work")]
    for (const folder of [place, store, work]) mkdirSync(folder)
    for (const side of [place, store]) everydayPortable.forEach((_, index) => fill(join(side, String(index))))
    const [scripts, answers] = [join(work, "scripts"), join(work, "answers")]
    writeFileSync(scripts, JSON.stringify(everydayPortable))
    const root = statSync("/").mode
    const { executions, status, stderr } = await runTraced(
      new URL("portable.fixture.ts", import.meta.url),
      [place, scripts, answers],
      { environment, folders: [["write", place, place], ["write", work, work]], seconds: 100 },
    )
    expect([status, stderr]).toEqual([0, ""])
    expect(statSync("/").mode).toBe(root)
    const items = everydayPortable.map((script, index) => ({ id: String(index), script }))
    const bash = runInBash(place, items, [["write", store, place]], environment)
    const ours: ReadonlyArray<{ readonly status: number; readonly stdout: string }> = JSON.parse(
      readFileSync(answers, "utf8"),
    )
    const theirs = items.map(({ id }) => ({ status: bash.get(id)?.status, stdout: bash.get(id)?.stdout }))
    const named = <A>(all: ReadonlyArray<A>) => all.map((each, index) => ({ script: everydayPortable[index], ...each }))
    expect(named(ours)).toEqual(named(theirs))
    // One only merges the outputs of a program: it is how the leaf does that.
    const shells = executions.filter(({ argv, path }) => /\/(?:ba|da)?sh$/.test(path) && argv[2] !== 'exec "$@" 2>&1')
    expect(shells.map(({ argv }) => argv)).toEqual([])
    expect(executions.length).toBeGreaterThan(everydayPortable.length)
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}, 150_000)
