import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { sluiceLine, startSluice } from "../support.ts"
import { hasScript, onTerminal } from "./onTerminal.ts"
import { expectRestored, framed } from "./settings.ts"

const linux = it.live.skipIf(!hasScript)

const port = (stdout: string): string => /:(\d+)/.exec(stdout)?.[1] ?? "0"

linux(
  "works against sluice serve: a shell with job control, over a restart of the client; a killed server is told",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const journal = path("runs.db")
      const env = { SLUICE_TOKEN: "t0ken" }
      const server = yield* startSluice(["serve", "--port", "0", "--journal", journal], { env })
      yield* eventually("it listens", () => server.stdout().includes("\n"))
      const url = `http://127.0.0.1:${port(server.stdout())}`
      const client = { ...env, SLUICE_URL: url }
      const first = yield* onTerminal(
        framed(`${sluiceLine} run --tty --url ${url} --env 'PS1=ready> ' -- bash --norc --noprofile -i`),
        client,
      )
      yield* first.sees("ready> ")
      first.type("stty size; sh -c 'echo be\"\"gun; exec sleep 1000'\r")
      yield* first.sees("30 100\r\nbegun\r\n")
      first.type("\x1a")
      yield* first.sees("Stopped")
      first.type("\x1d")
      yield* first.sees("status 0")
      expectRestored(first.screen())
      const second = yield* onTerminal(framed(`${sluiceLine} attach last`, "rows 22 cols 66"), client)
      yield* second.sees("Stopped")
      second.type("until [ \"$(stty size)\" = '22 66' ]; do sleep 0.1; done; jobs; echo he''re\r")
      yield* second.sees("here\r\n")
      expect(second.screen()).toContain("Stopped                 sh -c 'echo be\"\"gun; exec sleep 1000'")
      server.signal("SIGKILL")
      yield* Effect.sleep("500 millis")
      // It tries for two minutes; the key that detaches works meanwhile.
      second.type("\x1d")
      yield* second.sees("status 0")
      expectRestored(second.screen())
    }),
)

// The client's part is the same on every runtime.
it.live.skipIf(!hasScript || process.versions["deno"] === undefined)(
  "takes a paste of 2.4 MB whole",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const env = { SLUICE_TOKEN: "t0ken" }
      const server = yield* startSluice(["serve", "--port", "0", "--journal", path("runs.db")], { env })
      yield* eventually("it listens", () => server.stdout().includes("\n"))
      const paste = Array.from({ length: 400_000 }, (_, at) => `${at}`.padStart(6, "0")).join("")
      const command = `stty raw -echo; echo REA""DY; head -c ${paste.length} > ${path("pasted")}; echo WHO""LE`
      const url = `http://127.0.0.1:${port(server.stdout())}`
      const terminal = yield* onTerminal(framed(`${sluiceLine} run --tty --url ${url} -- sh -c '${command}'`), env)
      yield* terminal.sees("READY")
      terminal.type(paste)
      yield* terminal.sees("status 0")
      expect(terminal.screen()).toContain("WHOLE")
      expect(readFileSync(path("pasted"), "utf8") === paste).toBe(true)
    }),
)
