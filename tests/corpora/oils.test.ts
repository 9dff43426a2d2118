/** Runs Oils' spec tests (`spec/*.test.sh` of its source, in the folder `SLUICE_OILS`) in the sandbox, as bash answers them. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"
import { parseOils } from "./parseOils.ts"

const folder = process.env["SLUICE_OILS"] ?? ""

it.each(readdirSync(folder).filter((file) => file.endsWith(".test.sh")))("%s", async (file) => {
  const cases = parseOils(readFileSync(`${folder}/${file}`, "utf8"))
  const failures: Array<string> = []
  for (const { line, name, script, status, stdout } of cases) {
    const env = { SH: "bash", TMP: "/tmp", HOME: "/home/user", LC_ALL: "C.UTF-8" }
    await using sandbox = await Sandbox.open({ cwd: "/w", files: { "/w/case.sh": script }, env })
    const found = await sandbox.run("bash case.sh", { timeout: 10_000, check: false })
    if ((stdout !== undefined && found.stdout !== stdout) || found.exitCode !== status) {
      failures.push(`${line}: ${name}\n  expected ${status} ${stdout}\n  given ${found.exitCode} ${found.stdout}`)
    }
  }
  expect(failures.join("\n"), `${failures.length} of ${cases.length}`).toBe("")
}, 600_000)
