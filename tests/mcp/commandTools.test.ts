import { expect, it } from "@effect/vitest"
import { McpProtocol, McpTest } from "effect/ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import { AccessPolicy } from "../../src/policy/AccessPolicy.ts"
import { codeTool, commandResources, commandTools, type McpToolOptions } from "../../src/mcp/mod.ts"
import { JournaledShell } from "../../src/compute/journal.ts"
import { workshop } from "../support/workshop.ts"
import { answerOf } from "./support.ts"

const protocols = [McpProtocol.v2025_11_25] as const

const client = (settings?: McpToolOptions) =>
  McpTest.makeClient(
    Layer.merge(commandTools(settings), codeTool(settings)).pipe(Layer.provide(LocalShell.layer)),
    { protocols },
  )

it.live("leaves out the middle of output beyond the budget, and says how much", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client({ maxOutputBytes: 200 })
    const answer = answerOf(yield* callTool({ name: "execute_process", arguments: { file: "seq", args: ["1000"] } }))
    const { stdout, stdout_bytes_omitted = 0 } = answer.result
    expect(stdout).toMatch(/^1\n2\n[^]*\[… \d+ bytes left out …\][^]*\n999\n1000\n$/)
    // seq writes 3,893 bytes, and stderr leaves its half of the budget.
    expect(stdout_bytes_omitted).toBe(3_693)
    expect(answer.isError).toBe(false)
  }).pipe(Effect.scoped))

it.live("names the signal that ended a command", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client()
    const call = { name: "execute_process", arguments: { file: "sh", args: ["-c", "kill -KILL $$"] } }
    expect(answerOf(yield* callTool(call))).toMatchObject({
      isError: false,
      result: { exit_code: 137, signal: "SIGKILL" },
    })
  }).pipe(Effect.scoped))

it.live("returns an error for a command that cannot be started", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client()
    for (
      const [name, args, reason] of [
        ["execute_process", { file: "no-such-program" }, "NotFound"],
        ["execute_process", { file: "echo", args: ["a\0b"] }, "InvalidRequest"],
        ["execute_code", { language: "klingon", code: "" }, "UnknownLanguage"],
      ] as const
    ) {
      expect(answerOf(yield* callTool({ name, arguments: args }))).toMatchObject({
        isError: true,
        result: { reason, exit_code: null, stdout: "", error: expect.stringMatching(/^exec: /) },
      })
    }
  }).pipe(Effect.scoped))

it.live("runs code with the requested version", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client()
    const call = (version: string) =>
      Effect.map(
        callTool({ name: "execute_code", arguments: { language: "bash", version, code: "echo $BASH_VERSINFO" } }),
        answerOf,
      )
    expect(yield* call("0.1")).toMatchObject({ isError: true, result: { reason: "VersionNotFound" } })
    expect((yield* call("5")).result).toMatchObject({ exit_code: 0, stdout: "5\n" })
  }).pipe(Effect.scoped))

it.live("explains arguments in the name of a program, and lists the allowed programs", () =>
  Effect.gen(function* () {
    const call = { name: "execute_process", arguments: { file: "git log -3" } }
    const hint = 'arguments go into "args": {"file":"git","args":["log","-3"]}'
    const open = answerOf(yield* (yield* client()).callTool(call))
    expect(open.result.error).toMatch(/not found in PATH \(ENOENT\); arguments go into/)
    const { callTool } = yield* client({ policy: AccessPolicy.make({ allowedCommands: ["git", "ls"] }) })
    expect(answerOf(yield* callTool(call)).result.error).toBe(
      `exec: "git log -3" is not among the allowed commands (NOT_ALLOWED); allowed commands: git, ls; ${hint}`,
    )
  }).pipe(Effect.scoped))

it.live("has defaults in its schemas: no arguments, and the timeout of the server", () =>
  Effect.gen(function* () {
    const schemasOf = (settings?: McpToolOptions) =>
      Effect.gen(function* () {
        const { tools } = yield* (yield* client(settings)).listTools()
        return new Map(tools.map(({ inputSchema, name }) => [name, inputSchema]))
      })
    const usual = yield* schemasOf()
    expect(usual.get("execute_process")).toMatchObject({
      properties: { args: { type: "array", items: { type: "string" }, default: [] } },
      required: ["file"],
    })
    const slow = yield* schemasOf({ defaultTimeout: "2 minutes" })
    for (const name of ["execute_command", "execute_process", "execute_code"]) {
      const described = (text: string) => ({ properties: { timeout_ms: { description: expect.stringMatching(text) } } })
      expect(usual.get(name)).toMatchObject(described("Default: 30000 \\(30 s\\)$"))
      expect(slow.get(name)).toMatchObject(described("Default: 120000 \\(120 s\\)$"))
    }
  }).pipe(Effect.scoped))

it.live("does not treat an exit code as an error, in any tool", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client()
    for (
      const [name, args] of [
        ["execute_command", { command: "echo why >&2; exit 7" }],
        ["execute_code", { language: "bash", code: "echo why >&2; exit 7" }],
      ] as const
    ) {
      const answer = answerOf(yield* callTool({ name, arguments: args }))
      expect(answer).toMatchObject({ isError: false, result: { exit_code: 7, stderr: "why\n" } })
      expect(answer.result.error).toBeUndefined()
    }
  }).pipe(Effect.scoped))

it.live("refuses invalid or unknown parameters, and runs nothing", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client()
    for (const args of [{}, { command: "" }, { command: "true", timeout: 1 }, { command: "true", timeout_ms: 0 }]) {
      const { content, isError, structuredContent } = yield* callTool({ name: "execute_command", arguments: args })
      expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined })
      expect(content).toMatchObject([{
        type: "text",
        text: expect.stringMatching(/^error: .execute_command: .*its parameters: command, cwd, timeout_ms/),
      }])
    }
  }).pipe(Effect.scoped))

it.live("reads commands of a journal by any id, or its prefix", () =>
  Effect.gen(function* () {
    for (const commandId of ["build-1", "build-2", "a/b%c"]) {
      yield* Shell.run(ShellExec.make("echo", [commandId], { commandId }))
    }
    const { complete, readResource } = yield* McpTest.makeClient(commandResources(), { protocols })
    const read = (path: string) => readResource({ uri: `sluice://commands/${path}` })
    expect((yield* read(`${encodeURIComponent("a/b%c")}/stdout`)).contents).toMatchObject([{ text: "a/b%c\n" }])
    expect((yield* read("build-1")).contents).toMatchObject([{ text: expect.stringMatching(/^commandId: build-1\n/) }])
    const errors = yield* Effect.forEach(["build", "none", "%", "build-1/stdin"], (path) => Effect.flip(read(path)))
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("several commands have an id that begins with"),
      expect.stringContaining("no command in this journal has an id that begins with"),
      expect.any(String),
      expect.any(String),
    ])
    const ref = { type: "ref/resource", uri: "sluice://commands/{id}" } as const
    const { completion } = yield* complete({ ref, argument: { name: "id", value: "bu" } })
    expect(completion.values).toEqual(["build-2", "build-1"])
  }).pipe(
    Effect.scoped,
    Effect.provide(
      JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer)),
    ),
  ))

it.live("reports only the first of a million wrong parameters", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client()
    const args = Array.from({ length: 1_000_000 }, () => 1)
    const answer = yield* callTool({ name: "execute_process", arguments: { file: "true", args } })
    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer).length).toBeLessThan(1_000)
    expect(JSON.stringify(answer.content)).toContain("execute_process")
  }).pipe(Effect.scoped))

it.live("lists long commands cut, each with where the whole is", () =>
  Effect.gen(function* () {
    const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
    yield* Effect.gen(function* () {
      const long = "x".repeat(50_000)
      yield* Shell.run(ShellExec.make("true", [long], { commandId: "long" }))
      yield* Shell.run(ShellExec.shell(`true ${long}`, { commandId: "script" }))
      const { readResource } = yield* McpTest.makeClient(commandResources(), { protocols })
      const read = (uri: string) =>
        Effect.map(readResource({ uri }), ({ contents: [content] }) =>
          content !== undefined && "text" in content ? String(content.text) : "")
      const list = yield* read("sluice://commands")
      expect(list.length).toBeLessThan(5_000)
      expect(list).toContain("…")
      for (const id of ["long", "script"]) {
        expect(list).toContain(`sluice://commands/${id}`)
        expect(yield* read(`sluice://commands/${id}`)).toContain(long)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  }))

it.live("answers in the text or in the structured content, never in both", () =>
  Effect.gen(function* () {
    const call = { name: "execute_process", arguments: { file: "seq", args: ["3"] } }
    const asText = yield* (yield* client()).callTool(call)
    expect(asText.structuredContent).toBeUndefined()
    expect(asText.content).toMatchObject([{ text: expect.stringContaining("stdout: |\n  1\n  2\n  3\n") }])

    const structured = yield* client({ resultFormat: "structured" })
    const { tools } = yield* structured.listTools({})
    expect(tools.map(({ outputSchema }) => outputSchema?.["type"])).toEqual(["object", "object", "object"])
    const { content, structuredContent } = yield* structured.callTool(call)
    expect(structuredContent).toMatchObject({ exit_code: 0, stdout: "1\n2\n3\n" })
    expect(content).toMatchObject([{
      text: expect.stringMatching(/^exit_code: 0\nduration_ms: \d+\ncommand_id: \S+\n$/),
    }])
  }).pipe(Effect.scoped))

it.live("keeps an answer small, however much text the output needs", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client()
    for (
      const script of [
        "head -c 1000000 /dev/zero",
        "head -c 1000000 /dev/urandom",
        "seq 1000000",
        "yes é | head -c 1000000",
      ]
    ) {
      const answer = yield* callTool({ name: "execute_command", arguments: { command: script } })
      expect(new TextEncoder().encode(JSON.stringify(answer)).length).toBeLessThan(120_000)
      const { result, text } = answerOf(answer)
      expect(new TextEncoder().encode(text).length).toBeLessThan(40_000)
      expect(result.stdout_bytes_omitted).toBeGreaterThan(900_000)
    }
  }).pipe(Effect.scoped))

it.live("leaves the budget of a quiet stream to the other one", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client({ maxOutputBytes: 100 })
    const run = (command: string) => callTool({ name: "execute_command", arguments: { command } })
    const both = answerOf(yield* run("printf '%080d' 1; printf '%080d' 2 >&2")).result
    expect([both.stdout_bytes_omitted, both.stderr_bytes_omitted]).toEqual([30, 30])
    const one = answerOf(yield* run("printf '%080d' 1; printf '%010d' 2 >&2")).result
    expect([one.stdout.length, one.stderr.length, one.stdout_bytes_omitted]).toEqual([80, 10, undefined])
  }).pipe(Effect.scoped))

it.live("answers wrong arguments with text for the model, in each revision of the protocol", () =>
  Effect.gen(function* () {
    for (const protocol of [McpProtocol.v2025_06_18, McpProtocol.v2024_11_05]) {
      const tools = Layer.merge(commandTools(), codeTool()).pipe(Layer.provide(LocalShell.layer))
      const { callTool } = yield* McpTest.makeClient(tools, { protocols: [protocol] })
      const answer = yield* callTool({ name: "execute_command", arguments: { cmd: "ls" } })
      expect(answer.isError).toBe(true)
      expect(answerOf(answer).result).toMatchObject({
        reason: "InvalidArguments",
        error: expect.stringMatching(/^execute_command: .*cmd.* \(EINVAL\)$/),
      })
    }
  }).pipe(Effect.scoped))

it.live("names the directory of commands that name none", () =>
  Effect.gen(function* () {
    const { directory } = yield* workshop
    const policy = AccessPolicy.make({ allowedCommands: ["*"], allowedCwdRoots: [directory], defaultCwd: directory })
    const { listTools } = yield* client({ policy })
    for (const { inputSchema, name } of (yield* listTools({})).tools) {
      expect([name, JSON.stringify(inputSchema)]).toEqual([
        name,
        expect.stringContaining(`Directory to run in. Default: ${directory}`),
      ])
    }
  }).pipe(Effect.scoped))

it.live("offers the languages whose interpreter is allowed, and no tool if none is", () =>
  Effect.gen(function* () {
    const offered = (policy: AccessPolicy) =>
      Effect.gen(function* () {
        const { listTools } = yield* client({ policy: policy })
        return (yield* listTools({})).tools.map(({ inputSchema, name }) => [name, JSON.stringify(inputSchema)] as const)
      }).pipe(Effect.scoped)
    const names = yield* offered(AccessPolicy.make({ allowedCommands: ["ls"] }))
    expect(names.map(([name]) => name)).toEqual(["execute_command", "execute_process"])
    const refused = yield* offered(AccessPolicy.make({ allowedCommands: ["*"], code: "refuse" }))
    expect(refused).toHaveLength(2)
    const [, , code] = yield* offered(AccessPolicy.make({ allowedCommands: ["ls", "/usr/bin/python3"] }))
    expect(code).toMatchObject(["execute_code", expect.stringContaining('The language that the code is in: python"')])
  }))

it.live("does not link output that a full journal refused", () =>
  Effect.gen(function* () {
    const layer = JournaledShell.layer.pipe(
      Layer.provide(LocalShell.layer),
      Layer.provideMerge(MemoryJournal.layerWith({ chained: false, maxBytes: 1_000_000 })),
    )
    const { callTool } = yield* McpTest.makeClient(Layer.provide(commandTools(), layer), { protocols })
    const run = (bytes: number) =>
      Effect.map(
        callTool({ name: "execute_process", arguments: { file: "head", args: ["-c", `${bytes}`, "/dev/zero"] } }),
        answerOf,
      )
    expect((yield* run(100_000)).links).toHaveLength(1)
    const { links, text } = yield* run(3_000_000)
    expect(links).toEqual([])
    expect(text).not.toContain("stdout_uri")
  }).pipe(Effect.scoped))

it.live("answers within bounds about arguments of any size, and says nothing of roots where there are none", () =>
  Effect.gen(function* () {
    const { callTool } = yield* client()
    const long = "k".repeat(1_000_000)
    const odd = answerOf(yield* callTool({ name: "execute_command", arguments: { command: "true", [long]: 1 } }))
    expect(odd.isError).toBe(true)
    expect(odd.text.length).toBeLessThan(1_000)
    expect(odd.text).toContain("its parameters: command, cwd, timeout_ms")

    const policy = AccessPolicy.make({ allowedCommands: ["ls"] })
    const guarded = AccessPolicy.guard(policy)(LocalShell.layer)
    const tools = commandTools({ policy: policy }).pipe(Layer.provide(guarded))
    const { callTool: call } = yield* McpTest.makeClient(tools, { protocols })
    const lost = answerOf(yield* call({ name: "execute_process", arguments: { file: "ls", cwd: `/${long}` } }))
    expect(lost.isError).toBe(true)
    expect(lost.text).not.toContain("allowed directories")
  }).pipe(Effect.scoped))

it.effect("guards the shell with the policy of the tools, also one that is not guarded already", () =>
  Effect.gen(function* () {
    const policy = AccessPolicy.make({ allowedCommands: ["echo"] })
    const tools = Layer.mergeAll(commandTools({ policy }), codeTool({ policy })).pipe(Layer.provide(LocalShell.layer))
    const { callTool } = yield* McpTest.makeClient(tools, { protocols })
    const run = (file: string) =>
      Effect.map(callTool({ name: "execute_process", arguments: { file, args: ["hello"] } }), answerOf)
    expect((yield* run("echo")).text).toContain("hello")
    const refused = yield* run("ls")
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain("reason: NotAllowed")
    expect(refused.text).toContain("allowed commands: echo")
  }).pipe(Effect.scoped))
