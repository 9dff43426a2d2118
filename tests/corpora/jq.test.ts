/** Runs jq's own tests (`tests/*.test` of its source, in the folder `SLUICE_JQ`) in the kernel. */
import { expect, it } from "vitest"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { Sandbox } from "@sluice/shell/sandbox"
import { runCoroutineSync } from "../../src/kernel/Coroutine.ts"
import { parseText } from "../../src/kernel/utilities/jq/parseText.ts"
import { equals } from "../../src/kernel/utilities/jq/compare.ts"
import { parseJqTests } from "./parseJqTests.ts"

const folder = process.env["SLUICE_JQ"] ?? ""

const modules = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(`${folder}/modules`, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(?:jq|json)$/.test(path) && statSync(`${folder}/modules/${path}`).isFile())
      .map((path) => [`/w/modules/${path}`, readFileSync(`${folder}/modules/${path}`, "utf8")]),
  )

const isSame = (a: string, b: string): boolean => {
  try {
    return equals(runCoroutineSync(parseText(a)), runCoroutineSync(parseText(b)))
  } catch {
    return a === b
  }
}

it.each(["jq.test", "man.test", "manonig.test", "onig.test", "base64.test", "optional.test"])("%s", async (file) => {
  await using sandbox = await Sandbox.open({
    files: modules(),
    cwd: "/w",
    env: { HOME: "/w/modules/home1", TZ: "UTC", PAGER: "less" },
  })
  const tests = parseJqTests(readFileSync(`${folder}/${file}`, "utf8"))
  const failures: Array<string> = []
  for (const { fails, input, line, outputs, program } of tests) {
    await sandbox.writeFile("/w/program.jq", program)
    await sandbox.writeFile("/w/input.json", `${input}\n`)
    const given = await sandbox.run("jq -c -L modules -f program.jq input.json", { timeout: 20_000, check: false })
    const lines = given.stdout.split("\n").slice(0, -1)
    const passes = fails
      ? given.exitCode === 3
      : lines.length === outputs.length && outputs.every((output, at) => isSame(output, lines[at] ?? ""))
    if (!passes) {
      failures.push(`${line}: ${program}\n  expected ${outputs.join(" ")}\n  given ${given.stdout}${given.stderr}`)
    }
  }
  expect(failures.join("\n"), `${failures.length} of ${tests.length}`).toBe("")
}, 600_000)
