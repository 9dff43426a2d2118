/** Tests `--isolated` of `run`, `mcp`, `serve` and `config check`. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lstatSync, readdirSync } from "node:fs"
import { createServer } from "node:http"
import { DaemonShell } from "@sluice/shell/daemon"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { Shell, ShellExec } from "@sluice/shell"
import * as Layer from "effect/Layer"
import { eventually } from "../support/eventually.ts"
import { inTheOpen } from "../support/isolation.ts"
import { workshop } from "../support/workshop.ts"
import { key, serveModels } from "../agent/support/modelServer.ts"
import { sluice, startSluice } from "./support.ts"

const isRefused = "sluice: no connection to b.example:80: b.example is not among the allowed hosts\n"

/** What is the same on every runtime is tested on Deno. */
const once = it.live.skipIf(!("Deno" in globalThis))

/** A web server on a free port, which counts its requests. */
const web = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((_, response) => response.end("from outside\n"))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    return { server, port: typeof address === "object" && address !== null ? address.port : 0 }
  }),
  ({ server }) => Effect.sync(() => server.close()),
)

it.live("run --isolated: the working directory is writable, and no more; the network has the named hosts", () =>
  Effect.scoped(Effect.gen(function* () {
    const { directory, exists, makeDirectory, path, write } = yield* workshop
    const { port } = yield* web
    write("home/secret", "s3cret")
    makeDirectory("home/project")
    const home = { HOME: path("home") }
    const at = { cwd: path("home/project"), env: home }

    const script =
      `pwd; echo kept > file; cat ../secret; echo no > ${directory}/outside; echo no > /usr/x; cat /proc/net/dev | wc -l
      curl -sS http://localhost:${port}/`
    const plain = yield* sluice(["run", "--isolated", "--", "sh", "-c", script], at)
    expect(plain.stdout).toBe(`${path("home/project")}\n3\n`)
    expect(plain.stderr).toMatch(/secret: No such file.*usr\/x: Read-only.*Failed to connect/s)
    expect([exists("home/project/file"), exists("outside")]).toEqual([true, false])

    const network = ["--allow-private-network", `localhost:${port}`, "--journal", path("runs.db")]
    const curl =
      `curl -sS http://localhost:${port}/; curl -sS http://127.0.0.1:${port}/; curl -sSf http://b.example/; exit 4`
    const reached = yield* sluice(["run", "--isolated", ...network, "--", "sh", "-c", curl], at)
    expect(reached.stdout).toBe("from outside\n")
    expect(reached.stderr).toContain(isRefused)
    expect(reached.status).toBe(4)
    const entries = yield* sluice(["journal", "export", "--journal", path("runs.db")])
    const decisions = entries.stdout.split("\n").filter((line) => line.includes("EgressDecision"))
      .map((line) => JSON.parse(line).body)
    expect(decisions.map(({ allowed, host }) => [host, allowed])).toEqual([["localhost", true], ["b.example", false]])
    const shown = yield* sluice(["journal", "show", "last", "--journal", path("runs.db")])
    expect(shown.stderr).toContain(
      `network      localhost:${port} allowed by localhost:${port}\n` +
        "network      b.example:80 refused: b.example is not among the allowed hosts\n",
    )

    const wide = yield* sluice(["run", "--isolated", "--", "ls"], { ...at, cwd: path("home") })
    expect(wide).toMatchObject({ status: 125, stdout: "" })
    expect(wide.stderr).toContain(
      "is or holds your home folder; name the folders that commands may write with --writable",
    )
    const named = yield* sluice(
      [
        "run",
        "--isolated",
        "--writable",
        "out",
        "--readable",
        "in",
        "--",
        "sh",
        "-c",
        "cat in; echo x > in; echo y > out/y",
      ],
      { ...at, cwd: (write("w/in", "input\n"), makeDirectory("w/out"), path("w")) },
    )
    expect(named.stdout).toBe("input\n")
    expect(named.stderr).toContain("Read-only")
    expect(exists("w/out/y")).toBe(true)
  })))

it.live("names the mistake in flags and variables", () =>
  Effect.scoped(Effect.gen(function* () {
    const { directory } = yield* workshop
    const problem = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
      Effect.map(sluice(["run", ...args, "--", "true"], { cwd: directory, env }), ({ status, stderr }) => {
        expect(status).toBe(125)
        return stderr
      })
    expect(yield* problem(["--allow-network", "a.example"])).toContain("--allow-network requires --isolated")
    expect(yield* problem(["--isolated", "--allow-network", "https://a.example"])).toContain(
      `--allow-network: "https://a.example" is not a host; write "registry.example"`,
    )
    expect(yield* problem(["--isolated", "--writable", "/nowhere"])).toContain("--writable: ")
    expect(yield* problem([], { SLUICE_ISOLATED: "yes" })).toContain(`SLUICE_ISOLATED must be 1 or 0, got "yes"`)
  })))

it.live("serve and mcp read it from a configuration file; config check says it", () =>
  Effect.scoped(Effect.gen(function* () {
    const { makeDirectory, path, write } = yield* workshop
    makeDirectory("root")
    write("outside", "s3cret")
    const config = write(
      "sluice.toml",
      `isolated = true
allow-command = ["*"]
allow-cwd-root = ["${path("root")}"]
default-cwd = "${path("root")}"
allow-network = ["registry.example"]
`,
    )
    const checked = yield* sluice(["config", "check", config])
    expect(checked.stdout).toMatch(/^serve: .*isolated.*\ndaemon: .*isolated.*\nmcp: .*isolated/m)
    const server = yield* startSluice(["serve", "--port", "0", "--config", config], { env: { SLUICE_TOKEN: "t" } })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("\n") || server.hasEnded())
    const answer = yield* Effect.promise(async () => {
      const response = await fetch(`${server.stdout().trim()}/exec`, {
        method: "POST",
        headers: { authorization: "Bearer t", "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({
          command: `pwd; cat ${path("outside")}; echo y > file && cat file; curl -sS http://b.example`,
          useShell: true,
        }),
      })
      return await response.json()
    })
    expect(answer.stdout).toBe(`${path("root")}\ny\nsluice: b.example is not among the allowed hosts\n`)
    expect(answer.stderr).toContain("No such file")
    expect(server.stderr()).not.toContain("interpreter")
    // Without a journal of its own.
    expect(server.stderr()).toContain(isRefused)

    const call = {
      name: "execute_command",
      arguments: { command: `cat ${path("outside")}; echo in; pwd; curl -sS http://b.example` },
    }
    const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const tools = yield* startSluice(["mcp", "--config", config], {
      keepsInputOpen: true,
      input: [
        { id: 1, method: "initialize", params: client },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/call", params: call },
      ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""),
    })
    yield* eventually("it answers", () => tools.stdout().includes('"id":2') || tools.hasEnded())
    expect(tools.stdout()).toContain(`in\\n  ${path("root")}`)
    expect(tools.stdout()).not.toContain("s3cret")
    expect(tools.stderr()).toContain(isRefused)
    tools.endInput()
  })))

once(
  "daemon: a program that requests commands gets the isolation of the daemon, and reads its decisions",
  () =>
    Effect.scoped(Effect.gen(function* () {
      const { makeDirectory, path, write } = yield* workshop
      const { port } = yield* web
      const root = makeDirectory("root")
      write("outside", "s3cret")
      const network = ["--allow-private-network", `localhost:${port}`, "--allow-network", "c.example"]
      const daemon = yield* startSluice(
        [
          "daemon",
          "--isolated",
          "--journal",
          path("j.db"),
          "--allow-cwd-root",
          root,
          "--default-cwd",
          root,
          ...network,
        ],
      )
      yield* eventually("it runs", () => daemon.stderr().includes("runs the commands") || daemon.hasEnded())
      const script = `cat ${path("outside")}; echo x > file; curl -sS http://localhost:${port} http://b.example`
      const { stderr, stdout } = yield* Shell.run(ShellExec.shell(script, { commandId: "c1" })).pipe(Effect.provide(
        DaemonShell.layerWith({ acceptTimeout: "60 seconds" }).pipe(
          Layer.provide(SqliteJournal.layer({ path: path("j.db") })),
        ),
      ))
      expect(stdout).toBe("from outside\nsluice: b.example is not among the allowed hosts\n")
      expect(stderr).toContain("No such file")
      expect(daemon.stderr()).toContain(isRefused)
      const shown = yield* sluice(["journal", "show", "c1", "--journal", path("j.db")])
      expect(shown.stderr).toMatch(/^network {6}localhost:\d+ allowed by .*\nnetwork {6}b\.example:80 refused: /m)
    })),
)

once(
  "agent: its commands are isolated, and its user sees which connections were refused",
  () =>
    Effect.scoped(Effect.gen(function* () {
      const { makeDirectory, path, read, write } = yield* workshop
      const root = makeDirectory("root")
      write("outside", "s3cret")
      const script = `cat ${path("outside")}; echo x > file; ln -s .git g; curl -sS http://b.example`
      inTheOpen("git init -q .", root)
      // What commands cannot write, tools on files cannot either.
      const planted = [".git/hooks/pre-commit", "g/config", ".env", "fine"].map((file, index) => ({
        id: `b${index}`,
        name: "write_file",
        arguments: JSON.stringify({ path: file, content: "touch owned\n" }),
      }))
      const { requests, url } = yield* Effect.acquireRelease(
        Effect.promise(() =>
          serveModels((_, turn) => ({
            answer: turn > 1
              ? { text: "Done." }
              : turn === 1
              ? { calls: planted }
              : { calls: [{ id: "a", name: "run_script", arguments: JSON.stringify({ script }) }] },
          }))
        ),
        ({ stop }) => Effect.promise(() => stop()),
      )
      const model = ["--model", "openai-chat/m", "--base-url", `${url}/openai`, "--approve", "full"]
      const { status, stderr, stdout } = yield* sluice(
        ["agent", "look", ...model, "--cwd", root, "--isolated", "--allow-network", "c.example"],
        { env: { OPENAI_API_KEY: key } },
      )
      expect([status, stdout, read("root/file")]).toEqual([0, "Done.\n", "x\n"])
      expect(stderr).toContain(isRefused)
      const seen = JSON.stringify(requests[1]?.body)
      expect(seen).toContain("sluice: b.example is not among the allowed hosts")
      expect(seen).toContain("No such file")
      expect(seen).not.toContain("s3cret")
      expect(inTheOpen("grep -rl owned . --include=* | sort", root).text).toBe("./fine\n")
      expect(JSON.stringify(requests[2]?.body)).toContain("people and programs run or trust it later")
    })),
)

once("leaves no socket, folder or process behind when it is killed", () =>
  Effect.scoped(Effect.gen(function* () {
    const { makeDirectory, path } = yield* workshop
    const folder = makeDirectory("t")
    const cli = yield* startSluice(
      ["run", "--isolated", "--allow-network", "c.example", "--", "sh", "-c", "echo up; exec sleep 987654"],
      { cwd: makeDirectory("w"), env: { TMPDIR: folder } },
    )
    yield* eventually("it runs", () => cli.stdout() === "up\n" || cli.hasEnded())
    const sockets = readdirSync(folder, { recursive: true }).map(String).filter((name) =>
      lstatSync(path(`t/${name}`)).isSocket()
    )
    expect(sockets).toHaveLength(1)
    cli.signal("SIGKILL")
    yield* eventually("all is removed", () => readdirSync(folder).length === 0)
    yield* eventually("all has ended", () => inTheOpen("pgrep -f '[s]leep 987654'", folder).text === "")
  })))

once(
  "--isolated: commands neither see nor make journals of their folder, and one that they could rewrite is refused",
  () =>
    Effect.gen(function* () {
      const { exists, makeDirectory, path } = yield* workshop
      makeDirectory("project")
      const at = { cwd: path("project"), env: { HOME: path("home") } }
      const run = (journal: ReadonlyArray<string>, script: string) =>
        sluice(["run", "--isolated", ...journal, "--", "sh", "-c", script], at)
      const own = ["--journal", ".sluice/journal.db"]
      const attack = "ls -A .sluice; touch .sluice/journal.db 2>/dev/null || echo closed"

      // Without a journal a command could leave a forged one.
      expect((yield* run([], `mkdir .sluice; ${attack}`)).stdout).toBe("closed\n")
      expect(exists("project/.sluice")).toBe(false)
      expect((yield* run(own, attack)).stdout).toBe("closed\n")
      expect((yield* run(own, `mv .sluice away; ${attack}`)).stdout).toBe("closed\n")
      expect((yield* sluice(["journal", "verify", ...own], at)).status).toBe(0)

      const refused = yield* run(["--journal", "runs.db"], "echo ran")
      expect(refused).toMatchObject({ status: 125, stdout: "" })
      expect(refused.stderr).toContain("commands could rewrite the journal runs.db")
      expect(exists("project/runs.db")).toBe(false)
      expect((yield* run(["--journal", path("outside.db")], "echo ran")).stdout).toBe("ran\n")
    }),
)
