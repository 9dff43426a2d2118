/**
 * The words in which the promises of the Windows leaf are written. They are kept by node:assert, because they are
 * also looked at where there is no test runner: by the Windows programs of the runtimes, under Wine.
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  type LocalShellOptions,
  Shell,
  ShellExec,
  type ShellExecOptions,
  type ShellFault,
  type ShellOutput,
  WindowsShell,
} from "@sluice/shell"
import type { LeafRunOptions } from "@sluice/shell/leaf"
import { scriptPrefix } from "./programs.ts"

/** Something that holds on Windows. */
export interface WindowsPromise {
  readonly title: string
  readonly keep: Effect.Effect<unknown, unknown, Scope.Scope>
}

/** A promise in the default leaf, or in one with settings of its own. */
export const promise = (
  title: string,
  keep: () => Effect.Effect<unknown, unknown, Shell | Scope.Scope>,
  settings: LocalShellOptions = {},
): WindowsPromise => ({ title, keep: Effect.provide(Effect.suspend(keep), WindowsShell.layerWith(settings)) })

/** The whole output. */
export const whole = (exec: ShellExec, options?: LeafRunOptions): Effect.Effect<ShellOutput, ShellFault, Shell> =>
  Effect.map(Stream.runCollect(Shell.exec(new ShellExec({ ...exec, streamOutput: false }), options)), (events) => {
    const output = events.at(-1)
    if (output?._tag !== "ShellOutput" || events.length !== 1) throw new Error("a run ends with its ShellOutput")
    return output
  })

/** The fault of a command that must have one. */
export const faultOf = (exec: ShellExec, options?: LeafRunOptions): Effect.Effect<ShellFault, Error, Shell> =>
  Effect.matchEffect(Stream.runCollect(Shell.exec(exec, options)), {
    onFailure: Effect.succeed,
    onSuccess: (events) => Effect.fail(new Error(`${exec.command}: no fault, but ${JSON.stringify(events.at(-1))}`)),
  })

/** A script for cmd.exe. */
export const cmd = (script: string, options?: ShellExecOptions): ShellExec => ShellExec.shell(script, options)

/** A script for the runtime. */
export const script = (file: string, args: ReadonlyArray<string> = [], options?: ShellExecOptions): ShellExec => {
  const [program, ...first] = scriptPrefix
  return ShellExec.make(program, [...first, file, ...args], options)
}

/** Waits until something is so, at most a minute. */
export const eventually = (what: string, isSo: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    const start = performance.now()
    while (!isSo()) {
      assert.ok(performance.now() - start < 60_000, `${what}: not within a minute`)
      yield* Effect.sleep("50 millis")
    }
  })

/** That a heartbeat has stopped: the file does not grow any more. */
export const isDead = (size: () => number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const before = size()
    assert.ok(before > 0, "it never lived")
    yield* Effect.sleep("400 millis")
    assert.equal(size(), before)
  })

/** Waits until a heartbeat stops: the system ends the process, and not this program. */
export const stops = (size: () => number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const start = performance.now()
    assert.ok(size() > 0, "it never lived")
    for (let before = -1; before !== size();) {
      assert.ok(performance.now() - start < 60_000, "it did not stop within a minute")
      before = size()
      yield* Effect.sleep("400 millis")
    }
  })

/** That a process lives: its file grows. */
export const isAlive = (size: () => number): Effect.Effect<void> => {
  const before = size()
  return eventually("it runs", () => size() > before + 2)
}
