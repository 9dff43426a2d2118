/** Runs the tables of GNU grep's tests (`tests/*.tests` of its source, in the folder `SLUICE_GREP`) in the sandbox. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"

const folder = process.env["SLUICE_GREP"] ?? ""

/** What differs: braces that hold nothing are no error. */
const known = new Set(["a{} on BADBR: 1 instead of 2"])

/** Rows are `status@pattern@input`; a fourth column says that grep itself does not do it. */
const rowsOf = (file: string): ReadonlyArray<ReadonlyArray<string>> =>
  readFileSync(`${folder}/${file}`, "utf8").split("\n")
    .filter((line) => !line.startsWith("#"))
    .map((line) => line.split("@"))
    .filter((row) => row.length === 3)

it.each(readdirSync(folder).filter((file) => file.endsWith(".tests")))("%s", async (file) => {
  await using sandbox = await Sandbox.open({ cwd: "/w", files: { "/w/input": "" }, env: { LC_ALL: "C" } })
  const rows = rowsOf(file)
  const failures: Array<string> = []
  for (const [status = "", pattern = "", input = ""] of rows) {
    await sandbox.writeFile("/w/input", `${input}\n`)
    await sandbox.writeFile("/w/pattern", pattern)
    const style = file === "bre.tests" ? "" : "-E"
    const { exitCode } = await sandbox.run(`grep ${style} -e "$(cat pattern)" input`, { timeout: 20_000, check: false })
    if (exitCode !== Number(status)) failures.push(`${pattern} on ${input}: ${exitCode} instead of ${status}`)
  }
  expect(failures.filter((failure) => !known.has(failure)), `${failures.length} of ${rows.length}`).toEqual([])
}, 600_000)
