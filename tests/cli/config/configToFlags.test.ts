import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { configurableCommands } from "../../../src/cli/config/readConfiguredFlags.ts"
import { configToFlags } from "../../../src/cli/config/configToFlags.ts"

const words = (
  config: Readonly<Record<string, unknown>>,
  name = "serve",
  given: ReadonlyArray<[string, string[]]> = [],
) => Result.map(configToFlags(config, configurableCommands, name, new Map(given)), (all) => Object.fromEntries(all))

const refused = (config: Readonly<Record<string, unknown>>): string | undefined => {
  const result = words(config)
  return Result.isFailure(result) ? result.failure : undefined
}

it("reads keys as flags: top-level keys, keys of the command, and the command line before both", () => {
  const config = { "journal": "a.db", "allow-command": ["git", "ls"], "port": 1, "serve": { port: 2, mcp: true } }
  expect(words(config)).toEqual(Result.succeed({
    "journal": ["a.db"],
    "allow-command": ["git", "ls"],
    "port": ["2"],
    "mcp": ["true"],
  }))
  expect(words(config, "serve", [["port", ["3"]], ["allow-command", ["cat"]]])).toEqual(Result.succeed({
    "journal": ["a.db"],
    "allow-command": ["cat"],
    "port": ["3"],
    "mcp": ["true"],
  }))
  // Only serve has a port.
  expect(words(config, "mcp")).toEqual(Result.succeed({ "journal": ["a.db"], "allow-command": ["git", "ls"] }))
})

it("leaves out a top-level setting that requires a missing flag", () => {
  expect(words({ "host": "::1", "allow-origin": ["https://a.example"] }, "mcp")).toEqual(Result.succeed({}))
  expect(words({ "host": "::1", "mcp": { http: 0 } }, "mcp")).toEqual(Result.succeed({ host: ["::1"], http: ["0"] }))
})

it("reads tables, numbers and switches that are off", () => {
  const limit = { memory: "512M", processes: 64 }
  expect(words({ limit, mcp: {}, serve: { mcp: false } })).toEqual(
    Result.succeed({ limit: ["memory=512M", "processes=64"] }),
  )
})

it("refuses unknown settings and values of the wrong kind", () => {
  expect(refused({ "alow-command": ["ls"] })).toBe('unknown setting alow-command (did you mean "allow-command"?)')
  expect(refused({ serve: { prt: 1 } })).toBe('[serve]: unknown setting prt (did you mean "port"?)')
  expect(refused({ config: "other.toml" })).toMatch(/^unknown setting config/)
  expect(refused({ port: ["1"] })).toBe("port must be a string or a number")
  expect(refused({ serve: { mcp: "yes" } })).toBe("[serve]: mcp must be true or false")
  expect(refused({ "allow-command": [{}] })).toBe("allow-command must be a string, or an array of strings")
  expect(refused({ limit: { memory: [] } })).toBe("limit must be a string, or an array of strings, or a table")
})

it("lets a token or token file of higher precedence replace the other", () => {
  expect(words({ "token": "a", "serve": { "token-file": "f" } })).toEqual(Result.succeed({ "token-file": ["f"] }))
  expect(words({ "token-file": "f" }, "serve", [["token", ["b"]]])).toEqual(Result.succeed({ token: ["b"] }))
})

it("suggests nothing for a key that resembles no flag", () => {
  expect(refused({ colour: "x" })).toBe("unknown setting colour")
})

it("shows every mistake, and suggests the table for a misspelt short name", () => {
  expect(refused({ rnu: {}, colour: "x", mpc: {}, xyz: {}, rum: 1, serve: { prt: 1, mcp: "yes" } })).toBe(
    'unknown setting rnu (did you mean "run"?); unknown setting colour; unknown setting mpc (did you mean "mcp"?); ' +
      "unknown setting xyz; unknown setting rum; " +
      '[serve]: unknown setting prt (did you mean "port"?); [serve]: mcp must be true or false',
  )
})
