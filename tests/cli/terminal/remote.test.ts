import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { token } from "../../http/support.ts"
import { startTerminals } from "../../http/terminals/support.ts"
import { eventually } from "../../support/eventually.ts"
import { sluice, sluiceLine } from "../support.ts"
import { hasScript, onTerminal } from "./onTerminal.ts"
import { expectRestored, framed } from "./settings.ts"

const linux = it.live.skipIf(!hasScript)

describe("sluice run --tty --url", () => {
  linux(
    "has the size and type of the user's terminal, follows it, types, and exits with the command's status",
    () =>
      Effect.gen(function* () {
        const server = yield* Effect.promise(() => startTerminals())
        const line = `${sluiceLine} run --tty --url ${server.url} -- shell`
        const terminal = yield* onTerminal(framed(line), { SLUICE_TOKEN: token, TERM: "screen-256color" })
        yield* terminal.sees("$ ")
        expect(server.terminals.opened).toMatchObject([{ rows: 30, cols: 100, term: "screen-256color" }])
        terminal.stty("rows", "40", "cols", "120")
        yield* terminal.sees("[120x40]")
        terminal.type("\x03\x1a")
        yield* terminal.sees("^C")
        terminal.type("\x03exit 7\r")
        yield* terminal.sees("status 7")
        expectRestored(terminal.screen())
      }),
  )

  linux(
    "detaches at Ctrl-]; sluice attach lists it, comes back to all of its output, and watches it",
    () =>
      Effect.gen(function* () {
        const server = yield* Effect.promise(() => startTerminals())
        const env = { SLUICE_TOKEN: token, SLUICE_URL: server.url }
        expect((yield* sluice(["attach"], { env })).stdout).toBe("no terminals\n")
        const first = yield* onTerminal(framed(`${sluiceLine} run --tty --url ${server.url} -- shell one`), env)
        yield* first.sees("$ ")
        first.type("before\r")
        yield* first.sees("before\r\n$ ")
        first.type("\x1d")
        yield* first.sees("status 0")
        expect(first.screen()).toContain("detached; come back with: sluice attach --url")
        // It moves the cursor of a terminal on its normal screen, over what is there.
        expect(first.screen()).not.toContain("\x1b[?1049l")
        expectRestored(first.screen())
        const { stdout } = yield* sluice(["attach"], { env })
        expect(stdout).toMatch(/^\S+ {2}100x30 +0 clients +\d+ s +shell one\n$/)
        const [id = ""] = stdout.split(" ")
        const watching = yield* onTerminal(framed(`${sluiceLine} attach --read-only ${id.slice(0, -1)}`), env)
        const second = yield* onTerminal(
          framed(`${sluiceLine} attach --detach-key ctrl-q last`, "rows 20 cols 60"),
          env,
        )
        yield* second.sees("before\r\n$ ")
        yield* second.sees("[60x20]")
        watching.type("nothing\r")
        second.type("\x1dafter\r")
        yield* second.sees("after\r\n")
        yield* watching.sees("after\r\n")
        expect(second.screen()).not.toContain("nothing")
        second.type("exit 4\r")
        yield* second.sees("status 4")
        yield* watching.sees("status 4")
        expectRestored(second.screen())
        expectRestored(watching.screen())
        expect((yield* sluice(["attach", "last"], { env })).stderr).toContain("the server has no terminal last")
      }),
  )

  linux(
    "queries that were written before sluice attach are not asked again: the answers would be typed",
    () =>
      Effect.gen(function* () {
        const server = yield* Effect.promise(() => startTerminals())
        const env = { SLUICE_TOKEN: token, SLUICE_URL: server.url }
        const first = yield* onTerminal(framed(`${sluiceLine} run --tty --url ${server.url} -- shell`), env)
        yield* first.sees("$ ")
        // The program echoes it.
        first.type("\x1b[c<before>")
        yield* first.sees("\x1b[c<before>")
        const second = yield* onTerminal(framed(`${sluiceLine} attach last`), env)
        yield* second.sees("$ <before>")
        first.type("\x1b[6n<after>")
        yield* second.sees("\x1b[6n<after>")
        first.type("\x03exit 0\r")
        yield* second.sees("status 0")
      }),
  )

  linux("ends its command at SIGTERM and SIGHUP, and restores the terminal", () =>
    Effect.gen(function* () {
      const server = yield* Effect.promise(() => startTerminals())
      for (const [signal, status] of [["TERM", 143], ["HUP", 129]] as const) {
        const line = `echo "pid $$ "; exec ${sluiceLine} run --tty --url ${server.url} -- shell`
        const terminal = yield* onTerminal(framed(`sh -c ${JSON.stringify(line).replaceAll("$", "\\$")}`), {
          SLUICE_TOKEN: token,
        })
        yield* terminal.sees("$ ")
        const [, pid = "0"] = /pid (\d+)/.exec(terminal.screen()) ?? []
        process.kill(Number(pid), `SIG${signal}`)
        yield* terminal.sees(`status ${status}`)
        expectRestored(terminal.screen())
        yield* eventually("the command ends", () => server.terminals.running() === 0)
      }
    }))
})

describe("the command line", () => {
  it.live("advises without a terminal, without a server, with a wrong token, and with contradictory flags", () =>
    Effect.gen(function* () {
      const said = (...args: ReadonlyArray<string>) =>
        Effect.map(sluice(args), ({ status, stderr }) => [status, stderr])
      expect(yield* said("run", "--tty", "--", "true")).toEqual([
        125,
        expect.stringContaining("--tty needs a terminal on stdin: run it in one"),
      ])
      expect(yield* said("run", "--tty", "--json", "--", "true")).toEqual([
        125,
        "sluice: --tty and --json are mutually exclusive\n",
      ])
      expect(yield* said("attach")).toEqual([125, expect.stringContaining("name a server with --url or SLUICE_URL")])
      expect(yield* said("attach", "--detach-key", "x")).toEqual([125, expect.stringContaining("name a key with Ctrl")])
      const server = yield* Effect.promise(() => startTerminals())
      expect(yield* said("attach", "--url", server.url, "--token", "wrong")).toEqual([
        125,
        expect.stringContaining("401"),
      ])
    }))
})
