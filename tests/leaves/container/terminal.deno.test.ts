/** Terminals in containers of podman: size, keys, signals, ends, in containers of their own. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { afterAll } from "vitest"
import { ShellExec } from "@sluice/shell"
import { ContainerShell } from "@sluice/shell/container"
import { TerminalSession } from "@sluice/shell/terminal"
import { eventually } from "../../support/eventually.ts"
import { engineOptions, makeRootfs } from "../../support/rootfs.ts"

const rootfs = makeRootfs()
afterAll(() => rootfs.remove())

const processesOf = (word: string): string => spawnSync("pgrep", ["-f", word], { encoding: "utf8" }).stdout

// tests/terminal/container.deno.test.ts has sessions in a shared container.
describe.runIf(rootfs.canRun)("terminals in containers of podman", () => {
  const options = { ...engineOptions, rootfs: rootfs.path, warm: 0, grace: "1 second" } as const

  it.live("gives a shell a terminal: its size and type, keys, jobs, exit code, and signals", () =>
    Effect.gen(function* () {
      const shell = ShellExec.make("sh", [], { env: { PS1: "<p> " } })
      const session = yield* TerminalSession.open(shell, { cols: 61, rows: 11 })
      yield* session.waitFor("<p> ")
      yield* session.write("stty size; echo $TERM; [ -t 0 ] && [ -t 2 ] && tty\n")
      yield* session.waitFor(/11 61\s+xterm-256color\s+\/dev\/pts\/\d+\s+<p> $/)
      // Keys at which clients of podman detach by default.
      yield* session.write("cat -v\n")
      yield* session.write("\x10\x11a\n")
      yield* session.waitFor("^Pa")
      yield* session.sendKeys("Ctrl-Z")
      yield* session.waitFor("Stopped")
      yield* session.resize({ cols: 90, rows: 30 })
      yield* session.write('until [ "$(stty size)" = "30 90" ]; do sleep 0.1; done; echo $((6 * 7)); fg\n')
      yield* session.waitFor("42")
      yield* session.waitFor(/cat -v\s+$/)
      yield* session.sendKeys("Ctrl-C")
      yield* session.waitFor(/\^C\s*<p> $/)
      yield* session.write("echo code $?; exit 7\n")
      yield* session.waitFor("code 130")
      expect(yield* session.exit).toMatchObject({ exitCode: 7 })

      const killed = yield* TerminalSession.open(ShellExec.make("sleep", ["71.5"]), {})
      yield* killed.signal("SIGTERM")
      expect(yield* killed.exit).toMatchObject({ exitCode: 143, signal: "SIGTERM" })
    }).pipe(Effect.scoped, Effect.provide(ContainerShell.layer(options))))

  it.live("leaves nothing of a session that is closed", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.gen(function* () {
        const session = yield* TerminalSession.open(ShellExec.shell("trap '' HUP; sleep 72.5 & sleep 72.5"), {})
        yield* eventually("both run", () => processesOf("sleep 72.[5]").trim().split("\n").length >= 2, 100)
        expect(yield* session.screen).toMatchObject({ cols: 80, rows: 24 })
      }))
      expect(processesOf("sleep 72.[5]")).toBe("")
      // As an interactive shell does.
      const deaf = `trap '' TERM; trap 'echo >/work/hup; exit' HUP; echo up; while :; do sleep 0.1; done`
      yield* Effect.scoped(Effect.gen(function* () {
        const session = yield* TerminalSession.open(ShellExec.shell(deaf), {})
        yield* session.waitFor("up")
      }))
      expect(existsSync(`${rootfs.path}/work/hup`)).toBe(true)
    }).pipe(Effect.provide(ContainerShell.layer(options))))
})
