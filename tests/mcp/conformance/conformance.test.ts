import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { LocalShell } from "../../../mod.ts"
import { mcpRoutes } from "../../../src/mcp/http.ts"
import { served } from "../support.ts"
import { fixtures } from "./fixtures.ts"

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const suite = pathOf("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js")

const words = "Deno" in globalThis ? ["run", "-A", suite] : [suite]

/** Runs the suite against a server; it is ended by force when it takes a minute. */
const runSuite = (url: string, results: string): Promise<{ readonly code: unknown; readonly output: string }> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [
        ...words,
        "server",
        "--suite",
        "all",
        "--url",
        url,
        "--expected-failures",
        pathOf("expected-failures.yml"),
        "-o",
        results,
      ],
      { encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, output: `${stdout}${stderr}` }),
    )
  })

it.live(
  "passes the official conformance suite, except for the listed failures",
  () =>
    Effect.gen(function* () {
      const routes = mcpRoutes({ layer: LocalShell.layer, unauthenticated: true, registrations: fixtures })
      const url = yield* served(routes)
      const results = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true })),
      )
      const { code, output } = yield* Effect.promise(() => runSuite(url, results))
      expect(code, output).toBe(0)
      const [, passed] = /Total: (\d+) passed, 3 failed/.exec(output) ?? []
      // Checks of the 32 scenarios: fewer would mean that a scenario did not run.
      expect(Number(passed)).toBe(40)
    }).pipe(Effect.scoped),
)
