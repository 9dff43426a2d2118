/** The scenarios of the execution specification that are about the policy, by their names. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { delimiter } from "node:path"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { type Workshop, workshop } from "../support/workshop.ts"
import { answer } from "./support.ts"

/** A repository with an `npm` that tells its version and where it ran, and one that says it was run. */
const repository = Effect.map(workshop, (shop) => {
  shop.write("bin/npm", '#!/bin/sh\necho 11.0.0\npwd\necho ran >>"$(dirname "$0")/../ran"\n', 0o755)
  shop.makeDirectory("repos/monorepo/frontend")
  return shop
})

/** A policy of environment variables, with the repository's `npm` first on the path of the server. */
const policyOf = (shop: Workshop, environment: Readonly<Record<string, string>>) =>
  Effect.map(
    AccessPolicy.config.parse(ConfigProvider.fromEnvRecord(environment)),
    (policy) => AccessPolicy.make({ ...policy, searchPath: `${shop.path("bin")}${delimiter}${process.env["PATH"]}` }),
  )

/** Runs `npm -v` as the document does, in a server that stands in `repos/monorepo`. */
const npm = (environment: Readonly<Record<string, string>>, options: (shop: Workshop) => ShellExecOptions) =>
  Effect.gen(function* () {
    const shop = yield* repository
    const base = { cwd: shop.path("repos/monorepo") }
    const resolved: Record<string, string> = {}
    for (const [name, value] of Object.entries(environment)) {
      resolved[name] = value.replaceAll("REPO", base.cwd)
    }
    const policy = yield* policyOf(shop, resolved)
    const given = yield* answer(policy, ShellExec.shell("npm -v", options(shop)), base)
    return { given, shop, ran: shop.exists("ran") }
  })

const run = (environment: Readonly<Record<string, string>>, exec: ShellExec) =>
  Effect.flatMap(AccessPolicy.config.parse(ConfigProvider.fromEnvRecord(environment)), (policy) => answer(policy, exec))

it.live("Default timeout prevents hangs", () =>
  Effect.gen(function* () {
    const policy = yield* AccessPolicy.config.parse(ConfigProvider.fromEnvRecord({ ALLOWED_COMMANDS: "bash" }))
    const limited = AccessPolicy.make({ ...policy, defaultTimeout: Duration.millis(300) })
    const given = yield* answer(limited, ShellExec.shell("bash -c 'echo begun; sleep 60'"))
    expect(given).toMatchObject({ reason: { _tag: "Timeout", afterMillis: 300 }, stdout: "begun\n" })
  }))

it.live("Caller-provided timeout overrides default", () =>
  Effect.gen(function* () {
    const policy = yield* AccessPolicy.config.parse(ConfigProvider.fromEnvRecord({ ALLOWED_COMMANDS: "bash" }))
    const limited = AccessPolicy.make({ ...policy, defaultTimeout: Duration.hours(1) })
    const given = yield* answer(limited, ShellExec.shell("bash -c 'sleep 60'", { timeout: "200 millis" }))
    expect(given).toMatchObject({ reason: { _tag: "Timeout", afterMillis: 200 } })
  }))

it.live("Allowed Command", () =>
  Effect.gen(function* () {
    const given = yield* run({ ALLOWED_COMMANDS: "ls,cat" }, ShellExec.shell("ls"))
    expect(given).toMatchObject({ _tag: "ShellOutput", exitCode: 0 })
  }))

it.live("Disallowed Command", () =>
  Effect.gen(function* () {
    const given = yield* run({ ALLOWED_COMMANDS: "ls" }, ShellExec.shell("pwd"))
    expect(given).toMatchObject({
      reason: { _tag: "NotAllowed", policy: "allowedCommands", value: "pwd" },
      message: "exec: pwd is not among the allowed commands (NOT_ALLOWED)",
    })
  }))

it.live("Wildcard Allowlist", () =>
  Effect.gen(function* () {
    const given = yield* run({ ALLOWED_COMMANDS: "*" }, ShellExec.shell("whoami"))
    expect(given).toMatchObject({ _tag: "ShellOutput", exitCode: 0 })
  }))

it.live("Execute with relative `cwd`", () =>
  Effect.gen(function* () {
    const { given, shop } = yield* npm({ ALLOWED_COMMANDS: "npm" }, () => ({ cwd: "frontend" }))
    expect(given).toMatchObject({
      exitCode: 0,
      stdout: `11.0.0\n${shop.path("repos/monorepo/frontend")}\n`,
      stderr: "",
    })
  }))

it.live("Execute with absolute `cwd`", () =>
  Effect.gen(function* () {
    const { given, shop } = yield* npm({ ALLOWED_COMMANDS: "npm" }, (shop) => ({
      cwd: shop.path("repos/monorepo/frontend"),
    }))
    expect(given).toMatchObject({
      exitCode: 0,
      stdout: `11.0.0\n${shop.path("repos/monorepo/frontend")}\n`,
      stderr: "",
    })
  }))

it.live("Error on non-existent `cwd`", () =>
  Effect.gen(function* () {
    const { given, ran } = yield* npm({ ALLOWED_COMMANDS: "npm" }, () => ({ cwd: "does-not-exist" }))
    expect(given).toMatchObject({
      reason: { _tag: "NotFound", what: "workingDirectory" },
      message: "exec: Working directory does not exist 'does-not-exist' (ENOENT)",
    })
    expect(ran).toBe(false)
  }))

it.live("Allowed when within `ALLOWED_CWD_ROOTS`", () =>
  Effect.gen(function* () {
    const { given } = yield* npm({ ALLOWED_COMMANDS: "npm", ALLOWED_CWD_ROOTS: "REPO" }, (shop) => ({
      cwd: shop.path("repos/monorepo/frontend"),
    }))
    expect(given).toMatchObject({ _tag: "ShellOutput", exitCode: 0 })
  }))

it.live("Rejected when outside `ALLOWED_CWD_ROOTS`", () =>
  Effect.gen(function* () {
    const { given, ran } = yield* npm({ ALLOWED_COMMANDS: "npm", ALLOWED_CWD_ROOTS: "REPO" }, () => ({
      cwd: "/tmp",
    }))
    expect(given).toMatchObject({
      reason: { _tag: "NotAllowed", policy: "allowedCwdRoots", value: "/tmp" },
      message: "exec: cwd is not allowed: /tmp is not within an allowed root (NOT_ALLOWED)",
    })
    expect(ran).toBe(false)
  }))

it.live("No restriction when `ALLOWED_CWD_ROOTS` is unset", () =>
  Effect.gen(function* () {
    for (const roots of [{}, { ALLOWED_CWD_ROOTS: "" }, { ALLOWED_CWD_ROOTS: " " }]) {
      const { given } = yield* npm({ ALLOWED_COMMANDS: "npm", ...roots }, () => ({ cwd: "/tmp" }))
      expect(given).toMatchObject({ _tag: "ShellOutput", exitCode: 0 })
    }
  }))

it.live("Reject when `ALLOWED_CWD_ROOTS` contains an invalid root", () =>
  Effect.gen(function* () {
    const environment = { ALLOWED_COMMANDS: "npm", ALLOWED_CWD_ROOTS: "REPO,/path/that/does/not/exist" }
    const { given, ran } = yield* npm(
      environment,
      (shop) => ({ cwd: shop.path("repos/monorepo/frontend") }),
    )
    expect(given).toMatchObject({
      reason: { _tag: "NotAllowed", policy: "allowedCwdRoots", value: "/path/that/does/not/exist" },
      message: expect.stringContaining("the configuration ALLOWED_CWD_ROOTS names /path/that/does/not/exist"),
    })
    expect(ran).toBe(false)
    // The server's own directory is no request for one.
    const plain = yield* npm(environment, () => ({}))
    expect(plain.given).toMatchObject({ _tag: "ShellOutput", exitCode: 0 })
  }))

it.live("Execute_process runs argv-based command", () =>
  Effect.gen(function* () {
    const given = yield* run({ ALLOWED_COMMANDS: "python3" }, ShellExec.make("python3", ["-c", "print(1)"]))
    expect(given).toMatchObject({ _tag: "ShellOutput", exitCode: 0, stdout: "1\n" })
  }))

it.live("Execute_process rejects disallowed file", () =>
  Effect.gen(function* () {
    const given = yield* run({ ALLOWED_COMMANDS: "echo" }, ShellExec.make("python3", ["-c", "print(1)"]))
    expect(given).toBeInstanceOf(ShellFault)
    expect(given).toMatchObject({ message: "exec: python3 is not among the allowed commands (NOT_ALLOWED)" })
  }))
