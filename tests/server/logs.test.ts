import { expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const fixture = fileURLToPath(new URL("logs.fixture.ts", import.meta.url))
const before = "Deno" in globalThis ? ["run", "-A", "--quiet"] : []

it("has the logs of promise faces and servers on stderr, and none on stdout", async () => {
  const { stderr, stdout } = await promisify(execFile)(process.execPath, [...before, fixture])
  const logged = stderr.split("== ").slice(1).map((part) => {
    const [name = "", ...lines] = part.split("\n")
    return [name, ["built", "used"].filter((log) => lines.some((line) => line.includes(log)))]
  })
  const all = ["built", "used"]
  expect(logged).toEqual([
    ["shellRoutes", all],
    ["shellRoutes of a runtime", ["used"]],
    ["shellRoutes of a broken journal", all],
    ["mcpRoutes", all],
    ["mcpRoutes of a server", all],
    ["fileRoutes", all],
    ["approvalRoutes of a broken journal", all],
    ["aiTools", all],
    ["a sandbox", all],
  ])
  expect(stdout).toBe("")
})

it("has one implementation: these modules run no Effect without src/base/stderrLogs.ts", () => {
  const rooms = ["http", "mcp", "sandbox", "console"].map((room) =>
    fileURLToPath(new URL(`../../src/${room}`, import.meta.url))
  )
  const found = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts")).flatMap((file) =>
      readFileSync(join(room, file), "utf8").split("\n")
        .filter((line) => /\bEffect\.run(Promise|Fork|Sync|Callback)(Exit)?\(/.test(line) && !/^\s*\*/.test(line))
        .map((line) => `${file}: ${line.trim()}`)
    )
  )
  expect(found).toEqual([])
})
