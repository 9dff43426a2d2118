import { Shell, ShellExec, type ShellOutput } from "@sluice/shell"
import { IsolatedShell } from "@sluice/shell/isolated"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import type { ContractFlags } from "./contract/target.ts"
import { localFlags } from "./localFlags.ts"

/** Whether bubblewrap can isolate a command here. */
export const isolationWorks: boolean = process.platform === "linux" &&
  spawnSync("bwrap", ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"]).status === 0

export const isolatedFlags: ContractFlags = { ...localFlags, clock: false, background: false }

export const engines: ReadonlyArray<IsolatedShell.IsolationEngine> = ["bwrap", "unshare"]

/** Runs a script in the open, as an attacker would without walls. */
export const inTheOpen = (script: string, cwd: string): { readonly code: number | null; readonly text: string } => {
  const { status, stderr, stdout } = spawnSync("/bin/sh", ["-c", script], { cwd, encoding: "utf8", timeout: 20_000 })
  return { code: status, text: stdout + stderr }
}

/** Runs scripts behind walls. */
export const behindWalls = <A, E>(
  options: IsolatedShell.IsolatedShellOptions,
  use: (run: (script: string) => Effect.Effect<ShellOutput>) => Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const shell = yield* Effect.orDie(IsolatedShell.make(options))
    const provided = Effect.provideService(Shell, Shell.of(shell))
    return yield* use((script) => Effect.orDie(provided(Shell.run(ShellExec.shell(script, { timeout: "60 seconds" })))))
  }).pipe(Effect.scoped)
