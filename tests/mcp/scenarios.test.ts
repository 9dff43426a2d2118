/** The scenarios of the execution specification, by their names, through an official client. */
import { expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { delimiter } from "node:path"
import { parse } from "yaml"
import type { DurationInput } from "../../src/base/duration.ts"
import { LocalShell } from "../../mod.ts"
import { mcpRoutes } from "../../src/mcp/http.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { type Workshop, workshop } from "../support/workshop.ts"
import { type Answer, clients, served } from "./support.ts"

interface Server {
  readonly shop: Workshop
  readonly call: (tool: string, args: Record<string, unknown>) => Effect.Effect<Answer>
}

/**
 * A server with the environment of a scenario, `REPO` being a repository that it stands in, and a client of it. The
 * `npm` there tells its version and where it ran, and leaves a file.
 */
const serverWith = (
  environment: Readonly<Record<string, string>>,
  defaultTimeout: DurationInput = "30 seconds",
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("bin/npm", `#!/bin/sh\necho 11.0.0\npwd\necho ran > '${shop.path("ran")}'\n`, 0o755)
    shop.makeDirectory("repos/monorepo/frontend")
    const workingDirectory = shop.path("repos/monorepo")
    const variables = Object.entries(environment).map((
      [name, value],
    ) => [name, value.replaceAll("REPO", workingDirectory)])
    const policy = AccessPolicy.make({
      ...yield* Effect.orDie(AccessPolicy.config.parse(ConfigProvider.fromEnvRecord(Object.fromEntries(variables)))),
      searchPath: `${shop.path("bin")}${delimiter}${process.env["PATH"]}`,
    })
    const layer = AccessPolicy.guard(policy)(LocalShell.layerWith({ cwd: workingDirectory }))
    const url = yield* served(mcpRoutes({ layer, token: "t0ken", policy: policy, defaultTimeout }))
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => clients.client.http(url, "t0ken")),
      (one) => Effect.promise(() => one.close()),
    )
    return { shop, call: (tool, args) => Effect.promise(() => client.call(tool, args)) }
  })

/** `npm -v` in a directory, where `REPO` and what is in it are those of the server. */
const npm = (environment: Readonly<Record<string, string>>, cwd: string) =>
  Effect.gen(function* () {
    const { call, shop } = yield* serverWith(environment)
    const directory = cwd.replaceAll("REPO", shop.path("repos/monorepo"))
    const answer = yield* call("execute_command", { command: "npm -v", cwd: directory })
    return { answer, shop, ran: shop.exists("ran") }
  })

it.live("Default timeout prevents hangs", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "bash" }, "300 millis")
    const { isError, result, text } = yield* call("execute_command", { command: "bash -c 'echo begun; sleep 60'" })
    expect({ isError, result }).toMatchObject({
      isError: true,
      result: { reason: "Timeout", exit_code: null, stdout: "begun\n" },
    })
    expect(parse(text).error).toMatch(/did not end within 300ms and was ended \(TIMEOUT\)$/)
  }).pipe(Effect.scoped))

it.live("Caller-provided timeout overrides default", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "bash" })
    for (
      const [tool, args] of [
        ["execute_command", { command: "bash -c 'echo begun; echo why >&2; sleep 60'" }],
        ["execute_process", { file: "bash", args: ["-c", "echo begun; echo why >&2; sleep 60"] }],
        ["execute_code", { language: "bash", code: "echo begun; echo why >&2; sleep 60" }],
      ] as const
    ) {
      const { isError, result } = yield* call(tool, { ...args, timeout_ms: 400 })
      expect({ isError, result }).toMatchObject({
        isError: true,
        result: {
          reason: "Timeout",
          error: expect.stringMatching(/400 ?ms|0\.4 ?s/),
          stdout: "begun\n",
          stderr: "why\n",
        },
      })
    }
  }).pipe(Effect.scoped))

it.live("Allowed Command", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "ls,cat" })
    const { isError, result } = yield* call("execute_command", { command: "ls" })
    expect({ isError, result }).toMatchObject({ isError: false, result: { exit_code: 0, stdout: "frontend\n" } })
  }).pipe(Effect.scoped))

it.live("Disallowed Command", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "ls" })
    const { isError, result } = yield* call("execute_command", { command: "pwd" })
    expect({ isError, result }).toMatchObject({
      isError: true,
      result: {
        error: "exec: pwd is not among the allowed commands (NOT_ALLOWED); allowed commands: ls",
        reason: "NotAllowed",
        stdout: "",
      },
    })
  }).pipe(Effect.scoped))

it.live("Wildcard Allowlist", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "*" })
    const { isError, result } = yield* call("execute_command", { command: "whoami" })
    expect({ isError, result }).toMatchObject({ isError: false, result: { exit_code: 0 } })
  }).pipe(Effect.scoped))

it.live("YAML Output", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "echo" })
    const { text } = yield* call("execute_command", { command: "echo one; echo two >&2" })
    expect(text).toMatch(/^exit_code: 0\nstdout: \|\n {2}one\nstderr: \|\n {2}two\n/)
    expect(parse(text)).toMatchObject({ exit_code: 0, stdout: "one\n", stderr: "two\n" })
  }).pipe(Effect.scoped))

for (
  const [title, cwd] of [
    ["Execute with relative `cwd`", "frontend"],
    ["Execute with absolute `cwd`", "REPO/frontend"],
  ] as const
) {
  it.live(title, () =>
    Effect.gen(function* () {
      const { answer, shop } = yield* npm({ ALLOWED_COMMANDS: "npm" }, cwd)
      const stdout = `11.0.0\n${shop.path("repos/monorepo/frontend")}\n`
      expect(answer.result).toMatchObject({ exit_code: 0, stdout, stderr: "" })
    }).pipe(Effect.scoped))
}

it.live("Error on non-existent `cwd`", () =>
  Effect.gen(function* () {
    const { answer, ran } = yield* npm({ ALLOWED_COMMANDS: "npm" }, "does-not-exist")
    expect(answer).toMatchObject({ isError: true, result: { reason: "NotFound", exit_code: null } })
    expect(answer.result.error).toContain("does-not-exist")
    expect(ran).toBe(false)
  }).pipe(Effect.scoped))

it.live("Allowed when within `ALLOWED_CWD_ROOTS`", () =>
  Effect.gen(function* () {
    const { answer } = yield* npm({ ALLOWED_COMMANDS: "npm", ALLOWED_CWD_ROOTS: "REPO" }, "REPO/frontend")
    expect(answer).toMatchObject({ isError: false, result: { exit_code: 0 } })
  }).pipe(Effect.scoped))

it.live("Rejected when outside `ALLOWED_CWD_ROOTS`", () =>
  Effect.gen(function* () {
    const { answer, ran, shop } = yield* npm({ ALLOWED_COMMANDS: "npm", ALLOWED_CWD_ROOTS: "REPO" }, "/tmp")
    expect(answer).toMatchObject({ isError: true, result: { reason: "NotAllowed" } })
    expect(answer.result.error).toMatch(/^exec: cwd is not allowed: \/tmp is not within an allowed root/)
    expect(answer.result.error).toContain(`allowed directories: ${shop.path("repos/monorepo")}, and those within`)
    expect(ran).toBe(false)
  }).pipe(Effect.scoped))

it.live("No restriction when `ALLOWED_CWD_ROOTS` is unset", () =>
  Effect.gen(function* () {
    const { answer } = yield* npm({ ALLOWED_COMMANDS: "npm" }, "/tmp")
    expect(answer).toMatchObject({ isError: false, result: { exit_code: 0 } })
  }).pipe(Effect.scoped))

it.live("Reject when `ALLOWED_CWD_ROOTS` contains an invalid root", () =>
  Effect.gen(function* () {
    const environment = { ALLOWED_COMMANDS: "npm", ALLOWED_CWD_ROOTS: "REPO,/path/that/does/not/exist" }
    const { answer, ran } = yield* npm(environment, "REPO/frontend")
    expect(answer).toMatchObject({ isError: true, result: { reason: "NotAllowed" } })
    expect(answer.result.error).toContain("the configuration ALLOWED_CWD_ROOTS names /path/that/does/not/exist")
    expect(ran).toBe(false)
  }).pipe(Effect.scoped))

it.live("Execute_process runs argv-based command", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "python3" })
    const { text } = yield* call("execute_process", { file: "python3", args: ["-c", "print('$HOME')"] })
    expect(parse(text)).toMatchObject({ exit_code: 0, stdout: "$HOME\n" })
  }).pipe(Effect.scoped))

it.live("Execute_code rejects a language whose interpreter is not allowed", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "bash" })
    const { isError, result } = yield* call("execute_code", { language: "python", code: "print(1)" })
    expect({ isError, result }).toMatchObject({
      isError: true,
      result: { error: "exec: python3 is not among the allowed commands (NOT_ALLOWED); allowed commands: bash" },
    })
  }).pipe(Effect.scoped))

it.live("Execute_process rejects disallowed file", () =>
  Effect.gen(function* () {
    const { call } = yield* serverWith({ ALLOWED_COMMANDS: "echo" })
    const { isError, result } = yield* call("execute_process", { file: "python3", args: ["-c", "print(1)"] })
    expect({ isError, result }).toMatchObject({
      isError: true,
      result: { error: "exec: python3 is not among the allowed commands (NOT_ALLOWED); allowed commands: echo" },
    })
  }).pipe(Effect.scoped))
