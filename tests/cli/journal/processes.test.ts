import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { appendFileSync, existsSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { fileURLToPath } from "node:url"
import { findRuntime } from "../../../scripts/runtimes.mjs"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice, sluiceLine, startSluice } from "../support.ts"

const posix = it.effect.skipIf(process.platform === "win32")
const withoutJournal = { SLUICE_JOURNAL: "" }

/** What a line of bash writes on stdout. */
const inShell = (line: string, cwd: string, env: Readonly<Record<string, string>> = withoutJournal) =>
  Effect.callback<string>((resume) => {
    execFile("bash", ["-c", line], { cwd, env: { ...process.env, ...env } }, (_, stdout) => {
      resume(Effect.succeed(stdout))
    })
  })

posix("journals a run byte for byte, and returns it unchanged", () =>
  Effect.gen(function* () {
    const { directory, write } = yield* workshop
    write("script", `printf '\\377\\000\\303(' > bytes; cat bytes; echo é >&2; exit 4`)
    const run = yield* sluice(["run", "--journal", "j.db", "--", "sh", "script"], {
      cwd: directory,
      env: withoutJournal,
    })
    expect(run).toMatchObject({ status: 4, stderr: "é\n" })
    const shown = `${sluiceLine} journal show last --journal j.db > again 2> told; cmp again bytes && tail -n 1 told`
    expect(yield* inShell(shown, directory)).toBe("é\n")
    const replayed = `${sluiceLine} journal replay last --speed max --journal j.db > again; echo $?; cmp again bytes`
    expect(yield* inShell(replayed, directory)).toBe("4\n")
  }))

posix(
  "warns of a repaired journal on stderr, so that stdout has only the command's output",
  () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      const run = sluice(["run", "--journal", "j.ndjson", "--", "echo", "one"], { cwd: directory, env: withoutJournal })
      yield* run
      appendFileSync(path("j.ndjson"), '{"position":')
      const again = yield* run
      expect(again).toMatchObject({ status: 0, stdout: "one\n" })
      expect(again.stderr).toContain("did not end with a whole transaction")
    }),
)

posix(
  "finds the default journal here or above, and explains how to create a missing one",
  () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path } = yield* workshop
      const deep = makeDirectory("a/b")
      const none = yield* sluice(["journal", "list"], { cwd: deep, env: withoutJournal })
      expect(none).toMatchObject({ status: 125, stdout: "" })
      expect(none.stderr).toMatch(/^sluice: there is no \.sluice\/journal\.db here or above; create one with .*\n$/)
      yield* sluice(["run", "--journal", ".sluice/journal.db", "--", "echo", "one"], {
        cwd: directory,
        env: withoutJournal,
      })
      const found = yield* sluice(["journal", "list", "--json"], { cwd: deep, env: withoutJournal })
      expect(JSON.parse(found.stdout)).toMatchObject({ line: "echo one", workingDirectory: directory })
      expect(existsSync(path("a/b/.sluice"))).toBe(false)
    }),
)

posix("follows all commands line by line, from several processes, until Ctrl-C", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const options = { cwd: directory, env: { SLUICE_JOURNAL: path("j.db") } }
    yield* sluice(["run", "--", "echo", "before"], options)
    const tail = yield* startSluice(["journal", "tail"], options)
    // It has begun when it shows what comes; what came before its start it does not show.
    const probe = Effect.gen(function* () {
      while (!tail.stdout().includes("| probe")) yield* sluice(["run", "--", "echo", "probe"], options)
    })
    yield* probe
    const script = "echo one; echo two >&2; printf three; exit 3"
    yield* Effect.all([
      sluice(["run", "--", "sh", "-c", script], options),
      sluice(["run", "--", "echo", "other"], options),
    ], { concurrency: 2 })
    yield* eventually("both have ended", () => /= exit 3/.test(tail.stdout()) && /\| other\n/.test(tail.stdout()))
    tail.signal("SIGINT")
    expect(yield* tail.status).toBe(130)
    const lines = tail.stdout().split("\n").filter((line) => / sh +[$|=]/.test(line))
    const [id = ""] = /^\S+ sh/.exec(lines[0] ?? "") ?? []
    expect(lines.map((line) => line.replace(id, "").trim())).toEqual([
      `$ sh -c '${script}'`,
      "| one",
      "| three",
      expect.stringMatching(/^= exit 3 after \d+ms$|^= exit 3 after [\d.]+s$/),
    ])
    expect(tail.stderr().replace(id, "").trim()).toBe("| two")
    expect(tail.stdout()).not.toContain("before")
  }))

posix("follows one command to its end, and exits with its status", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    const options = { cwd: directory, env: { SLUICE_JOURNAL: path("j.ndjson") } }
    const script = `echo begun; until [ -e '${path("go")}' ]; do sleep 0.01; done; echo done; exit 7`
    const running = yield* startSluice(["run", "--", "sh", "-c", script], options)
    yield* eventually("it runs", () => running.stdout() === "begun\n")
    expect(JSON.parse((yield* sluice(["journal", "list", "--json"], options)).stdout)).toMatchObject({
      state: "running",
    })
    const tail = yield* startSluice(["journal", "tail", "last"], options)
    yield* eventually("what was written is there", () => tail.stdout() === "begun\n")
    write("go", "")
    expect(yield* tail.status).toBe(7)
    expect({ out: tail.stdout(), err: tail.stderr() }).toEqual({ out: "begun\ndone\n", err: "" })
    expect(yield* running.status).toBe(7)
    // What has ended is all there at once.
    expect(yield* sluice(["journal", "tail", "last"], options)).toEqual({
      status: 7,
      stdout: "begun\ndone\n",
      stderr: "",
    })
  }))

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

posix(
  "reports a command as lost if its host was killed, and as cancelled if Ctrl-C ended it",
  () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      const options = { cwd: directory, env: { SLUICE_JOURNAL: path("j.db") } }
      const state = Effect.map(
        sluice(["journal", "list", "--json", "--max-count", "1"], options),
        ({ stdout }) => JSON.parse(stdout),
      )
      const killed = yield* startSluice(["run", "--", "sh", "-c", "echo $$; exec sleep 60"], options)
      yield* eventually("it runs", () => killed.stdout().endsWith("\n"))
      killed.signal("SIGKILL")
      yield* eventually("its host is dead", killed.hasEnded)
      const pid = Number(killed.stdout())
      if (process.platform === "linux") yield* eventually("the command ends with it", () => !isThere(pid))
      else process.kill(pid, "SIGKILL")
      expect(yield* state).toMatchObject({ state: "lost" })
      const cancelled = yield* startSluice(["run", "--", "sh", "-c", "echo ready; exec sleep 60"], options)
      yield* eventually("it runs", () => cancelled.stdout() === "ready\n")
      cancelled.signal("SIGINT")
      expect(yield* cancelled.status).toBe(130)
      expect(yield* state).toMatchObject({ state: "faulted", reason: "Cancelled" })
      // The next run on the journal has ended the lost command.
      const all = yield* sluice(["journal", "list", "--json"], options)
      const states = all.stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
      expect(states).toContainEqual(expect.objectContaining({ state: "faulted", reason: "HostLost" }))
    }),
)

/** A server that takes every connection, and says nothing. */
const silentServer = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer(() => {}).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close()),
)

posix(
  "exits at a signal while a journal does not respond, and runs nothing",
  () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      const server = yield* silentServer
      let connections = 0
      server.on("connection", (socket) => {
        connections++
        socket.on("error", () => {})
      })
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const journal = `postgres://me@127.0.0.1:${port}/x`
      for (
        const args of [["run", "--journal", journal, "--", "touch", "ran"], ["journal", "tail", "--journal", journal]]
      ) {
        const before = connections
        const running = yield* startSluice(args, { cwd: directory, env: withoutJournal })
        yield* eventually("it knocks", () => connections > before)
        running.signal("SIGTERM")
        expect(yield* running.status, args[0]).toBe(143)
        expect(running.stderr()).toBe(args[0] === "run" ? "exec: touch was cancelled (CANCELLED)\n" : "")
      }
      expect(existsSync(path("ran"))).toBe(false)
    }),
)

posix("exits silently when the reader closes the pipe", () =>
  Effect.gen(function* () {
    const { directory } = yield* workshop
    yield* sluice(["run", "--journal", "j.db", "--", "seq", "200000"], { cwd: directory, env: withoutJournal })
    for (const words of ["export", "replay last", "export last --format asciicast"]) {
      // Its head is read; the rest finds no room in the pipe.
      const line = `${sluiceLine} journal ${words} 2> told | head -n 1 > first; echo "\${PIPESTATUS[0]}"; cat told`
      expect(yield* inShell(line, directory, { SLUICE_JOURNAL: "j.db" }), words).toBe("141\n")
    }
  }))

const root = fileURLToPath(new URL("../../..", import.meta.url))
const script = `${root}/scripts/start.mjs`

posix("npm start journals its command where sluice journal finds it", () =>
  Effect.gen(function* () {
    const { directory, exists } = yield* workshop
    const runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node"
    const env = { SLUICE_JOURNAL: "", SLUICE_RUNTIME: runtime }
    const node = findRuntime("node", root)
    expect(yield* inShell(`'${node}' '${script}' echo hi 2>&1 < /dev/null`, directory, env)).toBe("hi\n")
    expect(exists(".sluice/journal.db")).toBe(true)
    const { stdout } = yield* sluice(["journal", "list"], { cwd: directory, env })
    expect(stdout).toMatch(/^ID .*\n\S+ .* echo hi\n$/)
  }))

it.effect.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
  "fits its table to the terminal that it is on, in colours",
  () =>
    Effect.gen(function* () {
      const { directory, write } = yield* workshop
      const env = { SLUICE_JOURNAL: "j.db", NO_COLOR: "", TERM: "xterm" }
      yield* sluice(["run", "--", "sh", "-c", `exit 3 # ${"x".repeat(200)}`], { cwd: directory, env })
      write("line", `stty cols 70; ${sluiceLine} journal list`)
      const screen = yield* inShell("/usr/bin/script -qec 'sh line' /dev/null < /dev/null", directory, env)
      expect(screen).toContain("\x1b[31m3\x1b[39m")
      // deno-lint-ignore no-control-regex
      const [, row = ""] = screen.replace(/\x1b\[\d+m/g, "").split("\r\n")
      expect(row).toMatch(/ (?:ago|now) .* sh -c 'exit 3 # x+…$/)
      expect(row).toHaveLength(70)
    }),
)
