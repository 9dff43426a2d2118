import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice, sluiceLine } from "../support.ts"
import { hasScript, onTerminal } from "./onTerminal.ts"
import { expectRestored, framed } from "./settings.ts"

const linux = it.live.skipIf(!hasScript)

describe("sluice run --tty", () => {
  linux(
    "gives a shell a terminal: size, job control, Ctrl-C, Ctrl-Z, resize, status, journal",
    () =>
      Effect.gen(function* () {
        const { path } = yield* workshop
        const journal = path("runs.db")
        const line = `${sluiceLine} run --tty --env 'PS1=ready> ' --journal ${journal} -- bash --norc --noprofile -i`
        const terminal = yield* onTerminal(framed(line))
        yield* terminal.sees("ready> ")
        terminal.type("stty size; tty; echo term $TERM\r")
        yield* terminal.sees("30 100\r\n/dev/pts/")
        yield* terminal.sees("term xterm\r\n")
        // What it prints shows that it is in the foreground. A loop that starts processes was once not stopped by Ctrl-Z.
        const beats = () => terminal.screen().split("beat").length
        terminal.type("bash -c 'while echo be\"\"at; do read -t 0.1; done'\r")
        yield* terminal.sees("beat\r\n")
        terminal.type("\x1a")
        yield* terminal.sees("Stopped")
        const before = beats()
        terminal.type("fg\r")
        yield* eventually("it continues", () => beats() > before)
        terminal.type("\x03")
        yield* terminal.sees("^C")
        terminal.type("echo inter''rupted $?\r")
        yield* terminal.sees("interrupted 130")
        terminal.stty("rows", "40", "cols", "120")
        terminal.type("until [ \"$(stty size)\" = '40 120' ]; do sleep 0.1; done; echo re''sized\r")
        yield* terminal.sees("resized")
        terminal.type("exit 7\r")
        yield* terminal.sees("status 7")
        expectRestored(terminal.screen())
        const { stdout } = yield* sluice(["journal", "show", "last", "--journal", journal])
        expect(stdout).toContain("interrupted 130")
      }),
  )

  linux("gives the size of the user's terminal also when the output goes elsewhere", () =>
    Effect.gen(function* () {
      const terminal = yield* onTerminal(framed(`${sluiceLine} run --tty -- stty size | cat`))
      yield* terminal.sees("status 0")
      expect(terminal.screen()).toContain("30 100")
    }))

  linux("undoes the modes that a killed program has left", () =>
    Effect.gen(function* () {
      const script = "printf '\\033[?1049h\\033[?25l'; kill -9 \\$\\$"
      const terminal = yield* onTerminal(framed(`${sluiceLine} run --tty -- sh -c "${script}"`))
      yield* terminal.sees("status 137")
      expect(terminal.screen()).toContain("\x1b[?1049h\x1b[?25l\x1b[?1049l\x1b[?25h")
    }))

  linux("restores the terminal after a signal, a fault and a missing program", () =>
    Effect.gen(function* () {
      const run = (words: string) =>
        Effect.gen(function* () {
          const terminal = yield* onTerminal(framed(`${sluiceLine} run --tty ${words}`))
          yield* terminal.sees("status ")
          yield* terminal.status
          expectRestored(terminal.screen())
          return terminal.screen()
        })
      expect(yield* run("-- no-such-program-here")).toContain("status 127")
      expect(yield* run("--timeout 1s -- sleep 100")).toContain("status 124")
      expect(yield* run("-- sh -c 'kill -9 $$'")).toContain("status 137")
      const line = `echo "pid $$ "; exec ${sluiceLine} run --tty -- sh -c "echo begun; sleep 1000"`
      const terminal = yield* onTerminal(framed(`sh -c ${JSON.stringify(line).replaceAll("$", "\\$")}`))
      yield* terminal.sees("begun")
      const [, pid = "0"] = /pid (\d+)/.exec(terminal.screen()) ?? []
      process.kill(Number(pid), "SIGHUP")
      yield* terminal.sees("status 129")
      expectRestored(terminal.screen())
    }))

  it.live.skipIf(!hasScript || !existsSync("/usr/bin/vim"))(
    "runs an editor on the whole screen",
    () =>
      Effect.gen(function* () {
        const { path, read } = yield* workshop
        const terminal = yield* onTerminal(framed(`${sluiceLine} run --tty -- vim -u NONE -N -n ${path("note")}`))
        yield* eventually("vim draws", () => terminal.screen().includes("~"))
        terminal.type("ihéllo\x1b:wq\r")
        yield* terminal.sees("status 0")
        expect(read("note")).toBe("héllo\n")
        expectRestored(terminal.screen())
      }),
  )
})
