/** Runs a line of shell on a terminal of its own, by script(1) of util-linux; `type` writes on its keyboard. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { eventually } from "../../support/eventually.ts"

export const hasScript = process.platform === "linux" && existsSync("/usr/bin/script")

export interface OnTerminal {
  readonly screen: () => string
  readonly type: (keys: string) => void
  readonly sees: (text: string) => Effect.Effect<void>
  /** Runs stty(1) on the terminal, whose name the line has printed. */
  readonly stty: (...args: ReadonlyArray<string>) => string
  readonly status: Effect.Effect<number | string | undefined>
  readonly pid: number
}

export const onTerminal = (
  line: string,
  env: Readonly<Record<string, string>> = {},
): Effect.Effect<OnTerminal, never, Scope.Scope> =>
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
        pid: child.pid ?? 0,
        screen: () => screen,
        type: (keys: string) => {
          child.stdin.write(keys)
        },
        sees: (text: string) =>
          Effect.timeoutOrElse(Effect.asVoid(eventually("it is seen", () => screen.includes(text))), {
            duration: "50 seconds",
            orElse: () =>
              Effect.die(new Error(`${JSON.stringify(text)} is not on ${JSON.stringify(screen.slice(-2_000))}`)),
          }),
        stty: (...args: ReadonlyArray<string>) => {
          const [tty = "?"] = /\/dev\/pts\/\d+/.exec(screen) ?? []
          return spawnSync("stty", ["-F", tty, ...args], { encoding: "utf8" }).stdout
        },
        status: Effect.map(eventually("the terminal closes", () => status !== undefined), () => status),
        end: () => {
          if (status === undefined) child.kill("SIGKILL")
        },
      }
    }),
    (terminal) => Effect.sync(terminal.end),
  )
