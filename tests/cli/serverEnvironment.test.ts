/** Tests which variables and directory the commands of a server inherit, and who may read its token. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { denoProcess } from "../../src/cli/denoProcess.ts"
import { nodeProcess } from "../../src/cli/nodeProcess.ts"
import { eventually } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { sluice, startSluice } from "./support.ts"

const secrets = {
  SLUICE_TOKEN: "t0ken-of-the-server",
  SLUICE_JOURNAL: "",
  DATABASE_PASSWORD: "passw0rd",
  ALLOWED_CWD_ROOTS: "/",
  LC_TIME: "C",
}

/** A server on a free port, and what a command on it wrote. */
const serving = (env: Readonly<Record<string, string>>, token: string, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const server = yield* startSluice(["serve", "--port", "0", ...flags], { env })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("\n") || server.hasEnded())
    const run = (exec: unknown, host?: string) =>
      Effect.promise(async () => {
        const headers = {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json",
        }
        const init = { method: "POST", headers: { ...headers, ...(host && { host }) }, body: JSON.stringify(exec) }
        const response = await fetch(`${server.stdout().trim()}/exec`, init)
        return { status: response.status, ...(await response.json()) }
      })
    return { server, run }
  })

const call = (id: number, method: string, params: unknown): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`

/** What a tool of `sluice mcp` wrote. */
const tool = (env: Readonly<Record<string, string>>, args: unknown, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const running = yield* startSluice(["mcp", ...flags], {
      env,
      keepsInputOpen: true,
      input: call(1, "initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      }) + call(2, "tools/call", { name: "execute_process", arguments: args }),
    })
    const answer = () => running.stdout().split("\n").slice(0, -1).find((line) => line.includes('"id":2'))
    // The end of its input would end the command.
    yield* eventually("the tool answers", () => answer() !== undefined)
    running.endInput()
    yield* running.status
    return { stderr: running.stderr(), text: answer() ?? "" }
  }).pipe(Effect.scoped)

const hidden = /t0ken-of-the-server|passw0rd|SLUICE_TOKEN|ALLOWED_/

it.live(
  "gives commands over HTTP the usual variables and the named ones",
  () =>
    Effect.scoped(Effect.gen(function* () {
      const { run } = yield* serving(secrets, secrets.SLUICE_TOKEN)
      const { stdout } = yield* run({ command: "env" })
      expect(stdout).not.toMatch(hidden)
      expect(stdout).toMatch(/^PATH=/m)
      expect(stdout).toMatch(/^HOME=/m)
      expect(stdout).toMatch(/^LC_TIME=C$/m)
      const script = yield* run({ command: "env; printenv DATABASE_PASSWORD", useShell: true })
      expect(script.stdout).not.toMatch(hidden)
      const passing = yield* serving(secrets, secrets.SLUICE_TOKEN, "--pass-env", "DATABASE_PASSWORD")
      expect((yield* passing.run({ command: "env" })).stdout).toMatch(/^DATABASE_PASSWORD=passw0rd$/m)
      // Behind a list, too.
      const listed = yield* serving(secrets, secrets.SLUICE_TOKEN, "--allow-command", "env")
      expect((yield* listed.run({ command: "env" })).stdout).not.toMatch(hidden)
      expect((yield* listed.run({ command: "env", useShell: true })).stdout).not.toMatch(hidden)
    })),
)

it.live("gives tools over stdio the same", () =>
  Effect.gen(function* () {
    const env = { ...secrets, ALLOWED_COMMANDS: "env" }
    const { text } = yield* tool(env, { file: "env" })
    expect(text).toContain("PATH=")
    expect(text).not.toMatch(hidden)
    const passing = yield* tool(env, { file: "env" }, "--pass-env", "DATABASE_PASSWORD")
    expect(passing.text).toContain("DATABASE_PASSWORD=passw0rd")
  }))

it.live("passes no variable of the server's own, also not when it is named", () =>
  Effect.gen(function* () {
    for (const name of ["SLUICE_TOKEN", "ALLOWED_COMMANDS", "ALLOWED_CWD_ROOTS"]) {
      const { status, stderr } = yield* sluice(["serve", "--port", "0", "--pass-env", name], { env: secrets })
      expect([status, stderr]).toEqual([
        125,
        `sluice: --pass-env: ${name} is reserved for the server; commands never inherit it\n`,
      ])
    }
    const { stderr } = yield* sluice(["mcp", "--pass-env", "A=b"], { env: secrets })
    expect(stderr).toBe('sluice: --pass-env: "A=b" is not a variable name\n')
  }))

it.live("reads the token from a file that only its owner may read", () =>
  Effect.scoped(Effect.gen(function* () {
    const shop = yield* workshop
    const file = shop.write("token", "from-a-file\n", 0o600)
    const env = { SLUICE_TOKEN: "" }
    const { run, server } = yield* serving(env, "from-a-file", "--token-file", file)
    expect((yield* run({ command: "echo", arguments: ["hi"] })).stdout).toBe("hi\n")
    expect(server.stderr()).not.toContain("from-a-file")
    const fails = (path: string, ...more: ReadonlyArray<string>) =>
      Effect.map(sluice(["serve", "--port", "0", "--token-file", path, ...more], { env }), ({ stderr }) => stderr)
    const open = shop.write("open", "x", 0o640)
    expect(yield* fails(open)).toBe(
      `sluice: --token-file: other users can read or write ${open} (mode 640): run chmod 600 on it\n`,
    )
    expect(yield* fails(shop.write("empty", " \n", 0o600))).toMatch(/is empty\n$/)
    expect(yield* fails(shop.write("two", "a b", 0o600))).toMatch(/^sluice: --token-file: write printable ASCII/)
    expect(yield* fails(shop.path("none"))).toMatch(/^sluice: --token-file: .*(ENOENT|No such file)/)
    expect(yield* fails(shop.directory)).toMatch(/is not a regular file\n$/)
    expect(yield* fails(file, "--token", "x")).toMatch(/are mutually exclusive\n$/)
  })))

it.live(
  "runs commands without a directory in --default-cwd, within the roots",
  () =>
    Effect.scoped(Effect.gen(function* () {
      const shop = yield* workshop
      shop.makeDirectory("root/sub")
      const env = { ...secrets, ALLOWED_CWD_ROOTS: shop.path("root"), ALLOWED_COMMANDS: "pwd" }
      const set = yield* serving(env, secrets.SLUICE_TOKEN, "--default-cwd", shop.path("root/sub"))
      expect((yield* set.run({ command: "pwd" })).stdout).toBe(`${shop.path("root/sub")}\n`)
      expect((yield* set.run({ command: "pwd", workingDirectory: ".." })).stdout).toBe(`${shop.path("root")}\n`)
      expect(set.server.stderr()).toMatch(/^sluice: page \S+\n$/)
      const { stderr } = yield* sluice(["serve", "--port", "0", "--default-cwd", shop.directory], { env })
      expect(stderr).toContain("is not within an allowed root")
      const none = yield* sluice(["mcp", "--default-cwd", shop.path("none")], { env })
      expect(none.stderr).toMatch(/--default-cwd: .*none is not an accessible directory/)
      const { text } = yield* tool(env, { file: "pwd" }, "--default-cwd", shop.path("root/sub"))
      expect(text).toContain(shop.path("root/sub"))
    })),
)

it("takes variables out of the environment of this process", () => {
  const own = denoProcess() ?? nodeProcess()
  process.env["SLUICE_TOKEN"] = "t0ken"
  process.env["SLUICE_OTHER"] = "other"
  own?.forget((name) => name === "SLUICE_TOKEN")
  expect([own?.variable("SLUICE_TOKEN"), process.env["SLUICE_TOKEN"], own?.variable("SLUICE_OTHER")])
    .toEqual([undefined, undefined, "other"])
  delete process.env["SLUICE_OTHER"]
})
