import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { runFlags } from "../../src/cli/runFlags.ts"
import { version } from "../../src/cli/version.ts"
import { runInProcess, sluice, sluiceLine } from "./support.ts"

it.effect("prints the help with every flag on stdout", () =>
  Effect.gen(function* () {
    const { status, stderr, stdout } = yield* runInProcess("run", "--help")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    for (const [name, { about }] of Object.entries(runFlags)) {
      expect(stdout).toContain(`--${name}`)
      expect(stdout).toContain(about)
    }
    expect((yield* runInProcess("--help")).stdout).toMatch(
      /run +Run one command\n +attach +Attach to a terminal on an execution server\n +code +Run code of a language\n +serve +Serve commands and files over HTTP\n +daemon +Run the commands[^\n]*\n +sandbox +Run a script[^\n]*\n +journal +List/,
    )
    expect((yield* runInProcess("serve", "--help")).stdout).toMatch(
      /--host .*127\.0\.0\.1[^]*--port .*8787[^]*--token T/,
    )
  }))

it.effect("shows the help when it is given no words", () =>
  Effect.gen(function* () {
    const { status, stderr, stdout } = yield* runInProcess()
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(stdout).toContain("SUBCOMMANDS")
  }))

it.effect("prints its version, which is that of the package", () =>
  Effect.gen(function* () {
    expect(yield* runInProcess("--version")).toEqual({ status: 0, stdout: `sluice v${version}\n`, stderr: "" })
    for (const file of ["package.json", "deno.json"]) {
      expect(JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")).version).toBe(version)
    }
  }))

const wrong: ReadonlyArray<readonly [line: string, problem: string]> = [
  ["run", "missing command: write it after the flags, as in sluice run -- git log (see sluice run --help)"],
  [
    "run --json --",
    "missing command: write it after the flags, as in sluice run -- git log (see sluice run --help)",
  ],
  ["files read", "missing PATH (see sluice files read --help)"],
  ["journal list --runs --failed", "--runs and --failed are mutually exclusive"],
  ["run --jsn -- true", 'unknown flag --jsn; did you mean "--json"? (see sluice run --help)'],
  ["rn true", 'unknown command rn; did you mean "run"? (see sluice --help)'],
  ["run --timeout -- true", "Missing value for flag --timeout. Expected: D (see sluice run --help)"],
  [
    "run --timeout 5d -- true",
    `--timeout: "5d" is not a duration; write seconds, or a number with a unit, as in 5, 500ms, 2m, 1h`,
  ],
  ["run --timeout 0s -- true", `--timeout: "0s" is not greater than zero`],
  ["run --env A -- true", `--env: "A" is not a variable; write NAME=VALUE`],
  [
    "run --max-output many -- true",
    `--max-output: "many" is not a size; write bytes, or a number with a unit, as in 64K, 512M, 1G`,
  ],
  ["run --limit cpu=0s -- true", `--limit: cpu: "0s" is less than 1`],
  ["run --cwd= -- true", "--cwd: is empty"],
  ["run --shell -- echo hi", "--shell takes one script: quote it, as in --shell -- 'ls | wc -l'"],
  ["run --input nowhere -- cat", "--input: no input"],
  ["serve --port 70000", `--port: "70000" is not a port`],
  ["serve --token t\u00e9", "--token: write printable ASCII"],
]

it.effect.each(wrong)(
  "reports the problem with '%s' in one line, and exits with 125",
  ([line, problem]) =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* runInProcess(...line.split(" "))
      expect({ status, stdout }).toEqual({ status: 125, stdout: "" })
      expect(stderr).toMatch(/^sluice: /)
      expect(stderr).toContain(problem)
      expect(stderr.match(/\n/g)).toHaveLength(1)
    }),
)

it.effect("reports a wrong window policy with the message of the policy's parser", () =>
  Effect.gen(function* () {
    const { status, stderr } = yield* runInProcess("run", "--window", "lines:many", "--", "true")
    expect(status).toBe(125)
    expect(stderr).toMatch(/^sluice: --window: window policy "lines" needs a whole number of lines .*\n$/)
  }))

it.effect("prints completions that a shell can read", () =>
  Effect.gen(function* () {
    const completions = yield* sluice(["--completions", "bash"])
    expect(completions.status).toBe(0)
    const checked = yield* sluice(["run", "--input", "-", "--", "bash", "-n"], { input: completions.stdout })
    expect(checked).toEqual({ status: 0, stdout: "", stderr: "" })
    expect(completions.stdout).toContain("--idle-timeout")
  }))

it.effect.skipIf(process.platform === "win32")(
  "writes completions to their end, however slowly they are read",
  () =>
    Effect.gen(function* () {
      const { stdout: whole } = yield* sluice(["--completions", "fish"])
      // More than a pipe takes.
      expect(whole.length).toBeGreaterThan(65_536)
      const line = `${sluiceLine} --completions fish | { sleep 0.3; wc -c; }`
      const { stdout } = yield* sluice(["run", "--", "sh", "-c", line])
      expect(Number(stdout)).toBe(new TextEncoder().encode(whole).length)
    }),
)
