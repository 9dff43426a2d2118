import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { workshop } from "../support/workshop.ts"
import { sluiceLine } from "./support.ts"

// script(1) of util-linux gives a program a terminal.
const linux = it.effect.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))

/** Runs a line of shell on a terminal of its own; `type` writes on its keyboard. */
const onTerminal = (line: string, env: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("/usr/bin/script", ["-qefc", line, "/dev/null"], {
        env: { ...process.env, TERM: "xterm", ...env },
        stdio: ["pipe", "pipe", "pipe"],
      })
      let screen = ""
      let status: number | string | undefined
      child.stdout.on("data", (part) => screen += part)
      child.stdin.on("error", () => {})
      child.on("close", (code, signal) => {
        status = code ?? signal ?? "?"
      })
      return {
        screen: () => screen,
        type: (keys: string) => {
          child.stdin.write(keys)
        },
        status: Effect.map(eventually("the terminal closes", () => status !== undefined), () => status),
        end: () => {
          if (status === undefined) child.kill("SIGKILL")
        },
      }
    }),
    (terminal) => Effect.sync(terminal.end),
  )

/** What is left on the screen, line by line, after all erasing. */
const visible = (screen: string): ReadonlyArray<string> =>
  screen.split("\n").map((line) => line.slice(line.lastIndexOf("\r\x1b[K") + 1).replace("\x1b[K", ""))

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const waiting = (path: string): string => `echo one; until [ -e '${path}' ]; do sleep 0.01; done; echo two; exit 3`

linux("shows a status line on a terminal, and leaves nothing of it behind", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const terminal = yield* onTerminal(`${sluiceLine} run -- sh -c ${quoted(waiting(path("go")))}`)
    yield* eventually("the line is drawn twice", () => terminal.screen().split("1 line  4 B").length > 2)
    write("go", "")
    expect(yield* terminal.status).toBe(3)
    const [, ...drawings] = terminal.screen().split("\x1b[2m")
    expect(drawings.length).toBeGreaterThan(1)
    for (const drawing of drawings) expect(drawing.split("\x1b")[0]).toMatch(/^\d+\.\ds {2}\d lines? {2}\d+ B$/)
    expect(visible(terminal.screen())).toEqual(["one\r", "two\r", ""])
  }))

linux("shows none on a terminal that cannot erase, in a pipe, or between events", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    write("go", "")
    const script = quoted(waiting(path("go")).replace("echo two", "sleep 0.4"))
    for (
      const [line, env] of [
        [`${sluiceLine} run -- sh -c ${script}`, { TERM: "dumb" }],
        [`${sluiceLine} run -- sh -c ${script} | cat`, {}],
        [`${sluiceLine} run --json -- sh -c ${script}`, {}],
      ] as const
    ) {
      const terminal = yield* onTerminal(line, env)
      yield* terminal.status
      expect(terminal.screen()).toContain("one")
      expect(terminal.screen()).not.toContain("\x1b[")
    }
  }))

linux("ends the tree at Ctrl-C, a command that ignores it too", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const script = `trap '' INT TERM; ${heartbeat(path("heartbeat"))}`
    const terminal = yield* onTerminal(`${sluiceLine} run --grace 200ms -- sh -c ${quoted(script)}`)
    yield* eventually("it runs", () => size("heartbeat") > 0)
    terminal.type("\x03")
    expect(yield* terminal.status).toBe(130)
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
    expect(terminal.screen()).toContain("exec: sh was cancelled (CANCELLED)\r\n")
  }))
