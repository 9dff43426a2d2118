import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { answerOf, begin, post, toolCall } from "../../mcp/support.ts"
import { eventually, settled } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { fakeProcess, runFakeProcess, runInProcess, sluiceWords, startSluice } from "../support.ts"

const heartbeat = fileURLToPath(new URL("../../fixtures/heartbeat.sh", import.meta.url))

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
}

const linesOf = (...messages: ReadonlyArray<unknown>): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("")

/** The command line within this process, with an input and an environment. */
const told = (input: string, env: Readonly<Record<string, string>>) =>
  Effect.suspend(() => {
    const pieces = [new TextEncoder().encode(input)]
    return runFakeProcess({
      ...fakeProcess(["mcp"]),
      variable: (name) => env[name],
      openInput: (source) =>
        source === "-"
          ? Promise.resolve({ read: () => Promise.resolve(pieces.pop()), close: () => {} })
          : Promise.reject(new Error("no such file")),
    })
  })

it.effect("ends with stdin, and writes only responses to stdout", () =>
  Effect.gen(function* () {
    const input = linesOf(initialize, toolCall(1, "execute_process", { file: "pwd" }))
    const { status, stderr, stdout } = yield* told(input, { ALLOWED_COMMANDS: "ls,cat" })
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    const [first, second, ...more] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(first).toMatchObject({ id: 0, result: { serverInfo: { name: "sluice" } } })
    expect(answerOf(second.result)).toMatchObject({
      isError: true,
      result: { error: "exec: pwd is not among the allowed commands (NOT_ALLOWED); allowed commands: ls, cat" },
    })
    expect(more).toEqual([])
  }))

it.effect("runs nothing when ALLOWED_COMMANDS is not set", () =>
  Effect.gen(function* () {
    const { stderr, stdout } = yield* told(linesOf(initialize, toolCall(1, "execute_process", { file: "ls" })), {})
    expect(stderr).toBe(
      "sluice: no command may run: list some with --allow-command or in ALLOWED_COMMANDS, as in ALLOWED_COMMANDS=git,ls\n",
    )
    const answer = answerOf(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "").result)
    expect(answer.result.error).toBe("exec: ls is not among the allowed commands (NOT_ALLOWED); no command is allowed")
  }))

it.effect("reports a wrong ALLOWED_COMMANDS, and serves nothing", () =>
  Effect.gen(function* () {
    const { status, stderr, stdout } = yield* told(linesOf(initialize), { ALLOWED_COMMANDS: "git log" })
    expect({ status, stdout }).toEqual({ status: 125, stdout: "" })
    expect(stderr).toMatch(/^sluice: access: ALLOWED_COMMANDS .*"git log"/)
  }))

it.effect("ends its commands at SIGTERM, and exits with the status of the signal", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const [program = "", ...words] = sluiceWords
    const ended: Array<unknown> = []
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const env = { ...process.env, ALLOWED_COMMANDS: "*" }
        return spawn(program, [...words, "mcp"], { env, stdio: ["pipe", "ignore", "inherit"] })
      }),
      (one) => Effect.sync(() => ended.length === 0 && one.pid !== undefined && process.kill(one.pid, "SIGKILL")),
    )
    child.on("exit", (code, signal) => ended.push(code ?? signal))
    const command = `sh '${heartbeat}' '${path("heartbeat")}' & wait`
    child.stdin.write(linesOf(initialize, toolCall(1, "execute_command", { command })))
    yield* eventually("it runs", () => size("heartbeat") > 3)
    // Not child.kill: on Deno the exit status would be said to be the signal's, whatever it is.
    process.kill(child.pid ?? 0, "SIGTERM")
    yield* eventually("it ends", () => ended.length > 0)
    // Node leaves by the signal itself while a write is under way: to a shell that is 143, too.
    expect([143, "SIGTERM"]).toContain(ended[0])
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
  }).pipe(Effect.scoped))

it.live("warns on stderr of a command that waits behind servers, and writes nothing but answers to stdout", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const input = linesOf(
      initialize,
      ...[1, 2, 3, 4].map((id) =>
        toolCall(id, "execute_command", { command: `until test -e '${path("stop")}'; do sleep 0.1; done` })
      ),
      toolCall(5, "execute_command", { command: "true" }),
    )
    const server = yield* startSluice(["mcp"], { env: { ALLOWED_COMMANDS: "*" }, input, keepsInputOpen: true })
    yield* eventually("it warns", () => server.stderr().includes("exec: sh -c true"))
    writeFileSync(path("stop"), "")
    yield* eventually("all are answered", () => server.stdout().split("\n").length === 7)
    server.endInput()
    expect(yield* server.status).toBe(0)
    const ids = server.stdout().trimEnd().split("\n").map((line) => JSON.parse(line).id)
    expect(ids.toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    expect(server.stderr().match(/ WARN .*exec: sh -c true \(/g)).toHaveLength(1)
  }).pipe(Effect.scoped))

it.effect("serves clients with the token over HTTP, until a signal comes", () =>
  Effect.gen(function* () {
    const env = { ALLOWED_COMMANDS: "echo", SLUICE_TOKEN: "t0ken" }
    const server = yield* startSluice(["mcp", "--http", "0"], { env })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("\n"))
    const url = server.stdout().trim()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    const unknown = yield* Effect.promise(() => post(url, initialize, "wrong"))
    expect(unknown.status).toBe(401)
    yield* Effect.promise(() => unknown.text())
    const session = yield* Effect.promise(() => begin(url))
    const call = toolCall(1, "execute_command", { command: "echo hello" })
    const response = yield* Effect.promise(() => post(url, call, "t0ken", session))
    const { result } = JSON.parse(yield* Effect.promise(() => response.text()))
    expect(answerOf(result).result).toMatchObject({ exit_code: 0, stdout: "hello\n" })
    expect(server.stderr()).toBe("")
    server.signal("SIGTERM")
    expect(yield* server.status).toBe(0)
  }).pipe(Effect.scoped))

for (
  const [flags, what] of [
    [["--host", "0.0.0.0"], "--host requires --http"],
    [["--http", "99999"], `--http: "99999" is not a port`],
    [
      ["--timeout", "5d"],
      `--timeout: "5d" is not a duration; write seconds, or a number with a unit, as in 5, 500ms, 2m, 1h`,
    ],
    [
      ["--max-output", "much"],
      `--max-output: "much" is not a size; write bytes, or a number with a unit, as in 64K, 512M, 1G`,
    ],
    [["--journal", "where"], `--journal: cannot tell the store of "where"`],
  ] as const
) {
  it.effect(`reports the problem with 'mcp ${flags.join(" ")}' in one line`, () =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* runInProcess("mcp", ...flags)
      expect({ status, stdout }).toEqual({ status: 125, stdout: "" })
      expect(stderr).toContain(`sluice: ${what}`)
    }))
}
