/**
 * Runs comparison fixtures of just-bash (`*.json` in the folder `SLUICE_JUST_BASH`, each an object of cases: a command, files
 * and what bash answered) in the sandbox.
 */
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"

const folder = process.env["SLUICE_JUST_BASH"] ?? ""

const Fixtures = Schema.Record(
  Schema.String,
  Schema.Struct({
    command: Schema.String,
    files: Schema.Record(Schema.String, Schema.String),
    stdout: Schema.String,
    exitCode: Schema.Int,
  }),
)

const files = readdirSync(folder).filter((file) => file.endsWith(".json"))

it.each(files)("%s", async (file) => {
  const cases = Schema.decodeUnknownSync(Schema.fromJsonString(Fixtures))(readFileSync(`${folder}/${file}`, "utf8"))
  const failures: Array<string> = []
  for (const { command, exitCode, files, stdout } of Object.values(cases)) {
    const given = Object.fromEntries(Object.entries(files).map(([path, text]) => [`/project/${path}`, text]))
    await using sandbox = await Sandbox.open({ files: given, cwd: "/project", env: { HOME: "/home/user", TZ: "UTC" } })
    const found = await sandbox.run(command, { timeout: 20_000, check: false })
    if (found.stdout !== stdout || found.exitCode !== exitCode) {
      failures.push(
        `${command}\n  expected ${exitCode} ${stdout}\n  given ${found.exitCode} ${found.stdout}${found.stderr}`,
      )
    }
  }
  expect(failures.join("\n"), `${failures.length} of ${Object.keys(cases).length}`).toBe("")
}, 600_000)
