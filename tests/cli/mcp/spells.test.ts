/** `sluice mcp --spells`: what the official clients are offered and may do, over stdin and stdout and over HTTP. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import type * as Scope from "effect/Scope"
import { castAll, type Elicit, type SpellClient, spellClients } from "../../mcp/spellClients.ts"
import { eventually, settled } from "../../support/eventually.ts"
import { heartbeat } from "../../support/heartbeat.ts"
import { type Workshop, workshop } from "../../support/workshop.ts"
import { runInProcess, startSluice } from "../support.ts"

const started = (
  flags: ReadonlyArray<string>,
  elicit?: Elicit,
  kind: keyof typeof spellClients = "sdk",
): Effect.Effect<SpellClient, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => spellClients[kind].stdio(["--spells", ...flags], elicit)),
    ({ close }) => Effect.promise(close),
  )

const cast = (client: SpellClient, name: string, args: Record<string, unknown>) =>
  Effect.promise(() => client.cast(name, args))

const namesOf = (client: SpellClient) =>
  Effect.map(Effect.promise(client.tools), (tools) => tools.map(({ name }) => name))

const files = ["read_file", "write_file", "edit_file", "list_directory", "search_files", "apply_patch", "delete_file"]

/** A folder to serve, beside a file that is outside of it. */
const repository: Effect.Effect<Workshop & { readonly root: string }, never, Scope.Scope> = Effect.map(
  workshop,
  (shop) => {
    shop.write("repository/a.txt", "inside\n")
    shop.write("outside.txt", "outside\n")
    return { ...shop, root: shop.path("repository") }
  },
)

for (const kind of ["sdk", "client", "client without sessions"] as const) {
  it.live(`@modelcontextprotocol/${kind} casts every spell over stdio`, () =>
    Effect.gen(function* () {
      const { makeDirectory, path } = yield* workshop
      makeDirectory("empty")
      const client = yield* started(["--root", path("empty"), "--allow-command", "*"], undefined, kind)
      yield* Effect.promise(() => castAll(client))
    }).pipe(Effect.scoped))
}

it.live("runs the listed commands in the folder of the files, and no others", () =>
  Effect.gen(function* () {
    const { path, root } = yield* repository
    const client = yield* started(["--root", root, "--allow-command", "cat"])
    expect((yield* cast(client, "run_command", { command: "cat", arguments: ["a.txt"] })).structured)
      .toMatchObject({ exitCode: 0, stdout: "inside\n" })
    expect((yield* cast(client, "run_command", { command: "ls" })).text)
      .toContain("exec: ls is not among the allowed commands (NOT_ALLOWED); allowed commands: cat")
    expect((yield* cast(client, "run_command", { command: "cat a.txt" })).text)
      .toContain('allowed commands: cat; arguments go into "arguments": {"command":"cat","arguments":["a.txt"]}')
    expect((yield* cast(client, "run_script", { script: "ls" })).text).toContain("; allowed commands: cat")
    expect((yield* cast(client, "start_process", { command: "ls" })).text).toContain("; allowed commands: cat")
    expect(yield* cast(client, "run_command", { command: "cat", cwd: path(".") })).toMatchObject({ isError: true })
    expect(yield* cast(client, "read_file", { path: "../outside.txt" })).toMatchObject({ isError: true })
  }).pipe(Effect.scoped))

it.live("serves only file spells if no command may run, and only reading ones with --read-only", () =>
  Effect.gen(function* () {
    const { read, root } = yield* repository
    const all = yield* started(["--root", root])
    expect(yield* namesOf(all)).toEqual(files)
    const reading = yield* started(["--root", root, "--read-only", "--allow-command", "*"])
    expect(yield* namesOf(reading)).toEqual(["read_file", "list_directory", "search_files"])
    expect((yield* cast(reading, "read_file", { path: "a.txt" })).isError).toBe(false)
    const chosen = yield* started(["--root", root, "--spell", "edit_file", "--spell", "read_file"])
    expect(yield* namesOf(chosen)).toEqual(["read_file", "edit_file"])
    const edits = [{ oldText: "inside", newText: "changed" }]
    expect((yield* cast(chosen, "edit_file", { path: "a.txt", edits })).isError).toBe(false)
    expect(read("repository/a.txt")).toBe("changed\n")
  }).pipe(Effect.scoped))

it.live("changes no file that git, a shell, an editor or an agent would run, where commands run on the files", () =>
  Effect.gen(function* () {
    const { exists, path, read, root } = yield* repository
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root })
    git("init", "-q")
    git("add", ".")
    git("config", "core.hooksPath", "tools/hooks")
    const before = read("repository/.git/config")
    const client = yield* started(["--root", root, "--allow-command", "git"])
    yield* cast(client, "write_file", { path: "a.txt", content: "changed\n" })
    const content = `[diff]\nexternal = touch ${path("M")}\n`
    const refused = yield* cast(client, "write_file", { path: ".git/config", content })
    expect(refused).toMatchObject({ isError: true })
    expect(refused.text).toContain(".git/config: .git is protected here, because people and programs run")
    yield* cast(client, "run_command", { command: "git", arguments: ["diff"] })
    for (
      const name of [
        ".envrc",
        "sub/.vscode/tasks.json",
        ".GIT/hooks/x",
        ".mcp.json",
        ".bashrc",
        "tools/hooks/pre-commit",
      ]
    ) {
      expect([name, yield* cast(client, "write_file", { path: name, content })]).toMatchObject([name, {
        isError: true,
      }])
      expect([name, exists(`repository/${name}`)]).toEqual([name, false])
    }
    const patch = "*** Begin Patch\n*** Add File: .envrc\n+touch M\n*** End Patch\n"
    expect(yield* cast(client, "apply_patch", { patch })).toMatchObject({ isError: true })
    expect(yield* cast(client, "delete_file", { path: ".git/HEAD" })).toMatchObject({ isError: true })
    expect(yield* cast(client, "read_file", { path: ".git/config" })).toMatchObject({ isError: false })
    expect([exists("M"), exists("repository/.envrc"), read("repository/.git/config")]).toEqual([false, false, before])
    const alone = yield* started(["--root", root])
    expect(yield* cast(alone, "write_file", { path: ".envrc", content: "x\n" })).toMatchObject({ isError: false })
  }).pipe(Effect.scoped))

it.live("runs commands in a sandbox, on the folder or on files in memory, with --sandbox", () =>
  Effect.gen(function* () {
    const { path, read, root } = yield* repository
    const client = yield* started(["--root", root, "--sandbox"])
    const script = `cat a.txt; echo new > b.txt; cat '${path("outside.txt")}' /etc/passwd`
    const { structured } = yield* cast(client, "run_script", { script })
    expect(structured).toMatchObject({ exitCode: 1, stdout: "inside\n" })
    expect((yield* cast(client, "read_file", { path: "b.txt" })).text).toContain("new")
    expect(read("repository/b.txt")).toBe("new\n")

    const readOnly = yield* started(["--root", root, "--sandbox", "--read-only"])
    expect(yield* namesOf(readOnly)).toEqual(["read_file", "list_directory", "search_files"])

    const inMemory = yield* started(["--sandbox"])
    yield* cast(inMemory, "write_file", { path: "c.txt", content: "kept\n" })
    expect((yield* cast(inMemory, "run_command", { command: "cat", arguments: ["c.txt"] })).structured)
      .toMatchObject({ stdout: "kept\n" })
  }).pipe(Effect.scoped))

it.live("asks the client's user with --approve, and denies a client that cannot ask", () =>
  Effect.gen(function* () {
    const { root } = yield* repository
    const asked: Array<string> = []
    const client = yield* started(
      ["--root", root, "--allow-command", "*", "--approve", "workspace-write"],
      (question) => {
        asked.push(question.message)
        return { action: "accept", content: { decision: asked.length === 1 ? "allow" : "deny" } }
      },
    )
    expect((yield* cast(client, "write_file", { path: "b.txt", content: "x" })).isError).toBe(false)
    expect(asked).toEqual([])
    expect((yield* cast(client, "run_command", { command: "echo" })).isError).toBe(false)
    expect(yield* cast(client, "run_command", { command: "echo" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("denied"),
    })
    expect(asked).toHaveLength(2)
    expect(asked[0]).toContain("run_command echo")
    const again: Array<string> = []
    const remembering = yield* started(["--root", root, "--approve", "ask"], ({ message }) => {
      again.push(message)
      return { action: "accept", content: { decision: "allow in this session" } }
    })
    for (const content of ["x", "y"]) yield* cast(remembering, "write_file", { path: "c.txt", content })
    expect(again).toHaveLength(1)
    const mute = yield* started(["--root", root, "--approve", "ask"])
    expect((yield* cast(mute, "delete_file", { path: "a.txt" })).text).toContain("this client cannot ask its user")
  }).pipe(Effect.scoped))

it.live("journals the effects of spells, under the id of their call", () =>
  Effect.gen(function* () {
    const { path, read, root } = yield* repository
    const flags = ["--root", root, "--allow-command", "cat", "--journal", path("journal.ndjson")]
    const client = yield* started(flags)
    yield* cast(client, "read_file", { path: "a.txt" })
    yield* cast(client, "run_command", { command: "cat", arguments: ["a.txt"] })
    yield* Effect.promise(client.close)
    const entries = read("journal.ndjson").trim().split("\n").map((line) => JSON.parse(line))
    const idsOf = (tag: string): ReadonlyArray<string> =>
      entries.flatMap((entry) => entry.tag === tag ? [entry.correlationId] : [])
    const [first, second] = idsOf("SpellInvocation")
    expect(idsOf("SpellResult")).toEqual([first, second])
    expect(idsOf("FileRead")).toEqual([`${first}/1`])
    expect(idsOf("ShellExec")).toEqual([`${second}/1`])
  }).pipe(Effect.scoped))

it.live("hides its journal in the folder from the spells, under any name, and nothing else", () =>
  Effect.gen(function* () {
    const { exists, path, read, root } = yield* repository
    for (const flags of [[], ["--approve", "workspace-write"], ["--sandbox"]]) {
      const client = yield* started(["--root", root, "--journal", path("repository/run.ndjson"), ...flags])
      const write = (file: string) => cast(client, "write_file", { path: file, content: "x" })
      const denied = {
        isError: true,
        text: expect.stringContaining("this call was denied: sluice keeps the agent's journal"),
      }
      for (const file of ["run.ndjson", "./run.ndjson", "RUN.ndjson", "sub/../run.ndjson", "run.ndjson.lock"]) {
        expect([flags, file, yield* write(file)]).toEqual([flags, file, expect.objectContaining(denied)])
      }
      expect(yield* cast(client, "edit_file", { path: "run.ndjson", edits: [{ oldText: "a", newText: "b" }] }))
        .toMatchObject(denied)
      const patch = "*** Begin Patch\n*** Delete File: run.ndjson\n*** End Patch"
      expect(yield* cast(client, "apply_patch", { patch })).toMatchObject(denied)
      expect((yield* cast(client, "read_file", { path: "run.ndjson" })).isError).toBe(false)
      expect((yield* write("free.txt")).isError).toBe(false)
      yield* Effect.promise(client.close)
    }
    expect(exists("repository/free.txt")).toBe(true)
    const lines = read("repository/run.ndjson").trim().split("\n")
    expect(lines.map((line) => JSON.parse(line).tag)).toContain("SpellFault")
  }).pipe(Effect.scoped))

it.live("warns where commands can write its journal", () =>
  Effect.gen(function* () {
    const { path, root } = yield* repository
    const warns = (flags: ReadonlyArray<string>, journal: string) =>
      Effect.map(
        runInProcess("mcp", "--spells", "--root", root, "--journal", path(journal), ...flags),
        ({ stderr }) => stderr.includes("the journal is in --root: "),
      )
    expect(yield* warns(["--sandbox"], "repository/run.ndjson")).toBe(true)
    expect(yield* warns(["--allow-command", "cat"], "repository/run.ndjson")).toBe(true)
    expect(yield* warns([], "repository/run.ndjson")).toBe(false)
    expect(yield* warns(["--sandbox", "--read-only"], "repository/run.ndjson")).toBe(false)
    expect(yield* warns(["--sandbox"], "run.ndjson")).toBe(false)
  }).pipe(Effect.scoped))

it.live("ends the processes that spells have started when its client goes, and at a signal", () =>
  Effect.gen(function* () {
    const { path, size, root } = yield* repository
    const start = (client: SpellClient, name: string) =>
      cast(client, "start_process", { command: "sh", arguments: ["-c", `${heartbeat(path(name))} & wait`] })
    const client = yield* started(["--root", root, "--allow-command", "*"])
    yield* start(client, "first")
    yield* eventually("it runs", () => size("first") > 3)
    yield* Effect.promise(client.close)
    yield* settled(() => size("first"))

    const flags = ["--spells", "--root", root, "--allow-command", "*", "--http", "0"]
    const server = yield* startSluice(["mcp", ...flags], { env: { SLUICE_TOKEN: "t0ken" } })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("\n"))
    const remote = yield* Effect.promise(() => spellClients.sdk.http(server.stdout().trim(), "t0ken"))
    yield* start(remote, "second")
    yield* eventually("it runs", () => size("second") > 3)
    yield* Effect.promise(remote.close)
    server.signal("SIGTERM")
    expect(yield* server.status).toBe(0)
    yield* settled(() => size("second"))
  }).pipe(Effect.scoped))

it.live("serves spells over HTTP, with the keys of a configuration file", () =>
  Effect.gen(function* () {
    const { path, root, write } = yield* repository
    write(
      "sluice.toml",
      `[mcp]\nspells = true\nspell = ["read_file", "run_command"]\nroot = '${root}'\nsandbox = true\n`,
    )
    const env = { SLUICE_TOKEN: "t0ken" }
    const server = yield* startSluice(["mcp", "--config", path("sluice.toml"), "--http", "0"], { env })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("\n"))
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => spellClients.client.http(server.stdout().trim(), "t0ken")),
      ({ close }) => Effect.promise(close),
    )
    expect(yield* namesOf(client)).toEqual(["read_file", "run_command"])
    expect((yield* cast(client, "read_file", { path: "a.txt" })).text).toContain("inside")
    expect((yield* cast(client, "run_command", { command: "cat", arguments: ["a.txt"] })).text).toContain("inside")
  }).pipe(Effect.scoped))

for (
  const [flags, what] of [
    [["--spell", "read_file"], "--spell requires --spells"],
    [["--root", "."], "--root requires --spells"],
    [["--spells", "--spell", "read_fil"], 'there is no spell "read_fil"; did you mean "read_file"?'],
    [["--spells", "--spell", "a,b"], '--spell: "a,b" is not a name; repeat the flag for each spell'],
    [["--spells", "--root", "/does/not/exist"], "/does/not/exist"],
    [["--spells", "--sandbox", "--root", "/does/not/exist"], "--root: /does/not/exist"],
    [["--spells", "--approve", "never"], '--approve: "never" is not a policy; write one of ask, workspace-write, full'],
    [["--spells", "--timeout", "5s"], "--timeout and --spells are mutually exclusive"],
    [["--spells", "--read-only", "--spell", "write_file"], "--spells: no spells are left to serve"],
  ] as const
) {
  it.effect(`reports the problem with 'mcp ${flags.join(" ")}' in one line`, () =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* runInProcess("mcp", ...flags)
      expect({ status, stdout }).toEqual({ status: 125, stdout: "" })
      expect(stderr.trim().split("\n").at(-1)).toContain(what)
    }))
}
