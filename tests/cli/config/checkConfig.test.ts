import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { fakeProcess, openInput, runFakeProcess, sluice, type SluiceOptions, startSluice } from "../support.ts"

/** A command line within this process: its words name files by their whole paths, its answers by those in `cwd`. */
const inProcess = (args: ReadonlyArray<string>, { cwd, env = {} }: SluiceOptions & { readonly cwd: string }) =>
  Effect.map(
    runFakeProcess({ ...fakeProcess(args), variable: (name) => env[name], openInput }),
    ({ status, stderr, stdout }) => ({
      status,
      stderr: stderr.replaceAll(`${cwd}/`, ""),
      stdout: stdout.replaceAll(`${cwd}/`, ""),
    }),
  )

const file = `
allow-command = ["echo", "pwd", "sh"]
limit = { cpu = "1s" }

[serve]
port = 0

[[tokens]]
name = "ci"
token-env = "CI_TOKEN"
rights = ["read", "run"]
max-concurrency = 1

[[tokens]]
name = "viewer"
token-file = "viewer"
rights = ["read"]
rate = { requests = 3, per = "1h" }
`

const post = (url: string, token: string, command: string) =>
  Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: { "authorization": `Bearer ${token}`, "content-type": "application/json", "accept": "application/json" },
      body: JSON.stringify({ command: "sh", arguments: ["-c", command] }),
    })
  )

it.live("serves by a file: commands, limits, tokens with rights and rates", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    write("sluice.toml", file)
    write("viewer", "v1ewer\n")
    chmodSync(path("viewer"), 0o600)
    const server = yield* startSluice(["serve", "--config", "sluice.toml"], { cwd: directory, env: { CI_TOKEN: "c1" } })
    yield* eventually("it listens", () => server.stdout().endsWith("\n"))
    const url = `${server.stdout().trim()}/exec`
    // A new token is made, and said, only where none is given.
    expect(server.stderr()).not.toContain("sluice: token")

    const ran = yield* post(url, "c1", "echo hi")
    expect(ran.status).toBe(200)
    expect(yield* Effect.promise(() => ran.json())).toMatchObject({ stdout: "hi\n" })
    const busy = yield* post(url, "c1", "while :; do :; done")
    expect(yield* Effect.promise(() => busy.json())).toMatchObject({ signal: "SIGXCPU" })
    expect((yield* post(url, "v1ewer", "echo hi")).status).toBe(403)
    expect((yield* post(url, "other", "echo hi")).status).toBe(401)
    const list = () =>
      Effect.promise(() =>
        fetch(new URL("/commands", url), { headers: { authorization: "Bearer v1ewer" } }).then(async (response) => {
          await response.body?.cancel()
          return response.status
        })
      )
    const statuses = yield* Effect.forEach([1, 2, 3, 4], list)
    expect(statuses.at(-1)).toBe(429)
  }))

it.live("describes the effect of a file, and reads only a named file", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    write("sluice.toml", file)
    write("viewer", "v1ewer\n")
    chmodSync(path("viewer"), 0o600)
    const options = { cwd: directory, env: { CI_TOKEN: "c1" } }
    const checked = yield* sluice(["config", "check"], options)
    expect({ status: checked.status, stderr: checked.stderr }).toEqual({ status: 0, stderr: "" })
    expect(checked.stdout).toMatch(
      /^serve: http:\/\/127\.0\.0\.1:0; tokens ci \(read run, at most 1 concurrent\), viewer \(read, 3 requests per 3600000 ms\); commands echo, pwd, sh; note: [^\n]*sh[^\n]*; journal in memory\ndaemon: commands echo, pwd, sh; [^\n]*\nmcp: stdin and stdout; commands echo[^\n]*\nrun: commands echo, pwd, sh; [^\n]*\n$/,
    )
    expect(checked.stdout).not.toContain("c1")

    const mcp = yield* sluice(["mcp"], { ...options, env: { ALLOWED_COMMANDS: "ls" } })
    expect(mcp.stderr).toContain("sluice.toml is ignored; pass --config sluice.toml to use it")
  }))

it.live("reports the problem with a file once, and serves nothing", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    const wrong = (text: string, name = "sluice.toml") =>
      Effect.gen(function* () {
        write(name, text)
        const { status, stderr, stdout } = yield* inProcess(["config", "check", path(name)], { cwd: directory })
        // A run has no tokens.
        expect({ status, stdout: stdout.replace(/^run: [^\n]*\n/, "") }).toEqual({ status: 125, stdout: "" })
        return stderr
      })
    expect(yield* wrong("host = 1\nport = ")).toMatch(
      /^sluice: --config: sluice\.toml: line 2, column \d+: Invalid TOML[^\n]*\n$/,
    )
    expect(yield* wrong("{", "sluice.json")).toMatch(/^sluice: --config: sluice\.json: [^\n]*\n$/)
    expect(yield* wrong("[]", "sluice.json")).toBe("sluice: --config: sluice.json: it is not a table of settings\n")
    expect(yield* wrong("prt = 1")).toBe('sluice: --config: sluice.toml: unknown setting prt (did you mean "port"?)\n')
    expect(yield* wrong("[demon]\nlimit = 1")).toBe(
      'sluice: --config: sluice.toml: unknown setting demon (did you mean "daemon"?)\n',
    )
    expect(yield* wrong('[[tokens]]\nname = "a"')).toContain(
      "token a: needs exactly one of token, token-env and token-file",
    )
    expect(yield* wrong('[[tokens]]\nname = "a"\ntoken = "x"\nrigths = []')).toContain("rigths")
    expect(yield* wrong('[[tokens]]\nname = "a"\ntoken-env = "NOT_SET_AT_ALL"')).toContain("NOT_SET_AT_ALL is not set")
    write("open", "secret")
    chmodSync(path("open"), 0o644)
    expect(yield* wrong(`[[tokens]]\nname = "a"\ntoken-file = "${path("open")}"`)).toContain("chmod 600")
    const missing = yield* inProcess(["serve", "--config", path("ghost.toml")], { cwd: directory })
    expect(missing.status).toBe(125)
    expect(missing.stderr).toMatch(/^sluice: --config: ghost\.toml: /)
    const limit = yield* wrong('limit = "memory=lots"')
    expect(limit).toContain("--limit: memory:")
  }))

it.live(
  "shows no secret of a file, and takes no token from one that other users can read",
  () =>
    Effect.gen(function* () {
      const { directory, path, write } = yield* workshop
      const check = (name: string, text: string, mode = 0o600, env: Readonly<Record<string, string>> = {}) =>
        Effect.gen(function* () {
          write(name, text)
          chmodSync(path(name), mode)
          const { status, stderr, stdout } = yield* inProcess(["config", "check", path(name)], { cwd: directory, env })
          expect(stdout + stderr).not.toContain("s3cret")
          return { status, told: stdout + stderr }
        })
      // What JSON.parse itself says quotes the text.
      expect(yield* check("sluice.json", '{"tokens": [\n{"name": "a", "token": s3cret-s3cret}]}')).toEqual({
        status: 125,
        told: expect.stringMatching(/^sluice: --config: sluice\.json: it is not JSON[^\n]*\n$/),
      })
      const url = "postgres://u:s3cret@localhost/x"
      expect((yield* check("sluice.toml", `journal = "${url}"`)).told).toContain("; journal in PostgreSQL\n")
      expect((yield* check("sluice.toml", "", 0o600, { SLUICE_JOURNAL: url })).told).toContain(
        "; journal in PostgreSQL\n",
      )

      for (
        const text of ['token = "s3cret"', '[serve]\ntoken = "s3cret"', '[[tokens]]\nname = "a"\ntoken = "s3cret"']
      ) {
        expect((yield* check("sluice.toml", text)).status).toBe(0)
        const open = yield* check("sluice.toml", text, 0o640)
        expect(open.status).toBe(125)
        expect(open.told).toContain("other users can read or write sluice.toml (mode 640): run chmod 600 on it")
      }
      // A file that only names where its tokens are may be read by all.
      expect((yield* check("sluice.toml", '[[tokens]]\nname = "a"\ntoken-env = "T"', 0o644, { T: "s3cret" })).status)
        .toBe(0)
      const passed = 'pass-env = "T"\n[[tokens]]\nname = "a"\ntoken-env = "T"'
      expect((yield* check("sluice.toml", passed, 0o600, { T: "s3cret" })).told).toContain(
        "pass-env would give the token in ",
      )
      expect((yield* check("sluice.toml", "tokens = []")).told).toContain("tokens: the list is empty")
    }),
)

it.live("checks everything that a server checks at its start", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    const both = (text: string) =>
      Effect.gen(function* () {
        write("sluice.toml", `${text}\nport = 0\n`)
        const env = { SLUICE_CONFIG: path("sluice.toml") }
        const checked = yield* inProcess(["config", "check"], { cwd: directory, env })
        const served = yield* inProcess(["serve", "--config", path("sluice.toml")], { cwd: directory })
        expect({ checked: checked.status, served: served.status }).toEqual({ checked: 125, served: 125 })
        const problem = served.stderr.replace(/^sluice: /, "").trim()
        expect(checked.stderr).toContain(problem)
        return problem
      })
    expect(yield* both('default-cwd = "nowhere"')).toContain("nowhere is not an accessible directory")
    expect(yield* both('default-cwd = "/"\nallow-cwd-root = ["/tmp"]')).toContain("not within an allowed root")
    expect(yield* both('journal = "runs.txt"')).toContain("runs.txt")
    expect(yield* both('secret-env = "NOT_SET_AT_ALL"')).toContain("NOT_SET_AT_ALL is not set")
    // The kernel never counts the processes of root.
    if (process.getuid?.() === 0) expect(yield* both('limit = "processes=9"')).toContain("processes cannot be enforced")
  }))

it.live("prefers a token of the command line to the tokens of the file", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    write("sluice.toml", file)
    write("viewer", "v1ewer\n")
    chmodSync(path("viewer"), 0o600)
    const server = yield* startSluice(["serve", "--config", "sluice.toml", "--token", "other"], {
      cwd: directory,
      env: { CI_TOKEN: "c1" },
    })
    yield* eventually("it listens", () => server.stdout().endsWith("\n"))
    const url = `${server.stdout().trim()}/exec`
    expect((yield* post(url, "other", "echo hi")).status).toBe(200)
    expect((yield* post(url, "c1", "echo hi")).status).toBe(401)
  }))

it.live("looks for a sluice.toml without opening it: a FIFO there does not block the start", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    execFileSync("mkfifo", [path("sluice.toml")])
    const mcp = yield* sluice(["mcp"], { cwd: directory, env: { ALLOWED_COMMANDS: "ls" } })
    expect(mcp).toMatchObject({ status: 0, stderr: expect.stringContaining("sluice.toml is ignored") })
  }))

it.live("checks the table of run --explain, and names the nearest setting", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    const check = (text: string) =>
      Effect.gen(function* () {
        write("sluice.toml", `[run]\n${text}\n`)
        return yield* inProcess(["config", "check", path("sluice.toml")], { cwd: directory })
      })
    expect((yield* check('allow-command = "ls"')).stdout).toContain("\nrun: commands ls\n")
    expect((yield* check("")).stdout).toContain("\nrun: no policy, which --explain needs\n")
    const misspelt = yield* check('alow-command = "git"')
    expect(misspelt).toMatchObject({
      status: 125,
      stderr: 'sluice: --config: sluice.toml: [run]: unknown setting alow-command (did you mean "allow-command"?)\n',
    })
    expect(misspelt.stdout).toMatch(/^serve: [^\n]*\ndaemon: [^\n]*\nmcp: [^\n]*\n$/)
    expect((yield* check('allow-command = "git"\ndefault-cwd = "nowhere"')).stderr).toContain(
      "run: --default-cwd: nowhere is not an accessible directory",
    )
  }))
