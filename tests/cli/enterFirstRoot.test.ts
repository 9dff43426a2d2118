/** Tests in which directory a server runs commands that was started outside of its roots, and what it says of a bad root. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { realpathSync } from "node:fs"
import { eventually } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { sluice, type SluiceOptions, startSluice } from "./support.ts"

const line = (id: number, method: string, params: unknown): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`

const initialize = line(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
})

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>]

/** The texts that `sluice mcp` answers calls with, and its stderr. */
const answers = (flags: ReadonlyArray<string>, options: SluiceOptions, calls: ReadonlyArray<Call>) =>
  Effect.gen(function* () {
    const input = calls.map(([name, args], at) => line(at + 1, "tools/call", { name, arguments: args })).join("")
    const server = yield* startSluice(["mcp", ...flags], {
      ...options,
      input: initialize + input,
      keepsInputOpen: true,
    })
    const lines = () => server.stdout().split("\n").slice(0, -1).filter((text) => !text.includes('"method"'))
    yield* eventually("every call is answered", () => lines().length > calls.length || server.hasEnded())
    server.endInput()
    yield* server.status
    const found = lines().map((text) => JSON.parse(text)).filter(({ id }) => id > 0).toSorted((a, b) => a.id - b.id)
    return { stderr: server.stderr(), texts: found.map(({ result }) => String(result?.content?.[0]?.text)) }
  }).pipe(Effect.scoped)

/** A home folder beside two roots. */
const places = Effect.map(workshop, (shop) => {
  shop.makeDirectory("home")
  shop.makeDirectory("one/sub")
  shop.makeDirectory("two")
  const [home, one, two] = ["home", "one", "two"].map((name) => realpathSync(shop.path(name)))
  return { shop, home: home ?? "", one: one ?? "", two: two ?? "" }
})

const pwd: Call = ["execute_process", { file: "pwd" }]

it.live("mcp goes into the first root when it is started outside of all, and says so once", () =>
  Effect.gen(function* () {
    const { home, one, two } = yield* places
    const env = { ALLOWED_COMMANDS: "pwd,bash", ALLOWED_CWD_ROOTS: `${one},${two}` }
    const { stderr, texts } = yield* answers([], { env, cwd: home }, [
      pwd,
      ["execute_command", { command: "pwd" }],
      ["execute_code", { language: "bash", code: "pwd" }],
      ["execute_process", { file: "pwd", cwd: "sub" }],
      ["execute_process", { file: "pwd", cwd: home }],
    ])
    expect(texts.slice(0, 3).map((text) => /^ {2}(\/.*)$/m.exec(text)?.[1])).toEqual([one, one, one])
    expect(texts[3]).toContain(`${one}/sub\n`)
    expect(texts[4]).toContain("is not within an allowed root")
    expect(stderr.split("\n").filter((text) => text.includes("root"))).toEqual([
      `sluice: started outside the allowed roots; working in ${one}`,
    ])
  }).pipe(Effect.scoped))

it.live("mcp stays where it is inside of a root, and --default-cwd keeps its meaning", () =>
  Effect.gen(function* () {
    const { home, one, two } = yield* places
    const env = { ALLOWED_COMMANDS: "pwd", ALLOWED_CWD_ROOTS: `${one},${two}` }
    const inside = yield* answers([], { env, cwd: two }, [pwd])
    expect(inside.texts[0]).toContain(`${two}\n`)
    expect(inside.stderr).toBe("")
    const named = yield* answers(["--default-cwd", "../one/sub"], { env, cwd: home }, [pwd])
    expect(named.texts[0]).toContain(`${one}/sub\n`)
    expect(named.stderr).toBe("")
  }).pipe(Effect.scoped))

it.live("finds a program by a relative path in the first root", () =>
  Effect.gen(function* () {
    const { home, one, shop } = yield* places
    shop.write("one/build.sh", "#!/bin/sh\necho built in $PWD\n", 0o755)
    const env = { ALLOWED_COMMANDS: "*", ALLOWED_CWD_ROOTS: one }
    const { texts } = yield* answers([], { env, cwd: home }, [["execute_process", { file: "./build.sh" }]])
    expect(texts[0]).toContain(`built in ${one}\n`)
    const spells = yield* answers(["--spells"], { env, cwd: home }, [["run_command", { command: "./build.sh" }]])
    expect(spells.texts[0]).toContain(`built in ${one}\n`)
  }).pipe(Effect.scoped))

it.live("roots are relative to the directory of the start, also where commands run elsewhere", () =>
  Effect.gen(function* () {
    const { home, one, two } = yield* places
    const flags = ["--allow-command", "pwd", "--allow-cwd-root", "../one", "--allow-cwd-root", "../two"]
    const entered = yield* answers(flags, { cwd: home }, [pwd, ["execute_process", { file: "pwd", cwd: two }]])
    expect(entered.texts[0]).toContain(`${one}\n`)
    expect(entered.texts[1]).toContain(`${two}\n`)
    const named = yield* answers([...flags, "--default-cwd", "../one/sub"], { cwd: home }, [pwd])
    expect(named.texts[0]).toContain(`${one}/sub\n`)
  }).pipe(Effect.scoped))

it.live("spells on files and commands see the first root, the journal stays where it was named", () =>
  Effect.gen(function* () {
    const { home, one, shop } = yield* places
    shop.write("one/a.txt", "in the root\n")
    const env = { ALLOWED_COMMANDS: "pwd", ALLOWED_CWD_ROOTS: one }
    const { stderr, texts } = yield* answers(["--spells", "--journal", "kept.ndjson"], { env, cwd: home }, [
      ["read_file", { path: "a.txt" }],
      ["run_command", { command: "pwd" }],
    ])
    expect(texts[0]).toContain("in the root")
    expect(texts[1]).toContain(`${one}\n`)
    expect(stderr).toBe(`sluice: started outside the allowed roots; working in ${one}\n`)
    expect(shop.exists("home/kept.ndjson")).toBe(true)
    const named = yield* answers(["--spells", "--root", "../one/sub"], { env, cwd: home }, [
      ["run_command", { command: "pwd" }],
    ])
    expect([named.texts[0], named.stderr]).toEqual([expect.stringContaining(`${one}/sub\n`), ""])
  }).pipe(Effect.scoped))

it.live("serve goes into the first root too, and config check says that it would", () =>
  Effect.gen(function* () {
    const { home, one, shop } = yield* places
    const env = { SLUICE_TOKEN: "t" }
    const flags = ["--allow-command", "pwd", "--allow-cwd-root", one]
    const server = yield* startSluice(["serve", "--port", "0", ...flags], { env, cwd: home })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("\n") || server.hasEnded())
    const output = yield* Effect.promise(async () => {
      const headers = { authorization: "Bearer t", "content-type": "application/json", accept: "application/json" }
      const body = JSON.stringify({ command: "pwd" })
      return (await fetch(`${server.stdout().trim()}/exec`, { method: "POST", headers, body })).json()
    })
    expect(output.stdout).toBe(`${one}\n`)
    expect(server.stderr()).toMatch(`sluice: started outside the allowed roots; working in ${one}\nsluice: page http`)
    const file = shop.write("sluice.toml", `allow-command = ["pwd"]\nallow-cwd-root = ["${one}"]\n`)
    const checked = yield* sluice(["config", "check", file], { env, cwd: home })
    expect(checked.stdout.split("\n").filter((text) => text.includes(`working in ${one}`))).toHaveLength(4)
  }).pipe(Effect.scoped))

it.live("names the one root that is not a directory, and refuses commands that name a directory", () =>
  Effect.gen(function* () {
    const { home, one, shop, two } = yield* places
    const [none, file] = [shop.path("none"), shop.write("file", "")]
    for (
      const [roots, bad, cwd, notes] of [
        [[one, none], none, one, []],
        [[file, one], file, one, []],
        [[one, none], none, home, [`sluice: started outside the allowed roots; working in ${one}`]],
        [[none, one, two], none, home, [`sluice: started outside the allowed roots; working in ${one}`]],
      ] as const
    ) {
      const env = { ALLOWED_COMMANDS: "pwd", ALLOWED_CWD_ROOTS: roots.join(",") }
      const { stderr, texts } = yield* answers([], { env, cwd }, [pwd, ["execute_process", { file: "pwd", cwd: one }]])
      expect(stderr.trimEnd().split("\n").toSorted()).toEqual([
        ...notes,
        `sluice: the allowed root ${bad} is not a directory; commands that name a working directory are refused`,
      ].toSorted())
      expect(texts[0]).toContain(`${one}\n`)
      expect(texts[1]).toContain(`the configuration ALLOWED_CWD_ROOTS names ${bad}, which is not a directory`)
      expect(texts[1]).not.toContain("allowed directories")
    }
  }).pipe(Effect.scoped))

it.live("refuses to start with --default-cwd and a root that is not a directory, and names that root", () =>
  Effect.gen(function* () {
    const { home, one, shop } = yield* places
    const env = { ALLOWED_COMMANDS: "pwd", ALLOWED_CWD_ROOTS: `${one},${shop.path("none")}` }
    const { status, stderr } = yield* sluice(["mcp", "--default-cwd", one], { env, cwd: home })
    expect([status, stderr]).toEqual([
      125,
      `sluice: the allowed root ${shop.path("none")} is not a directory\n`,
    ])
  }).pipe(Effect.scoped))
