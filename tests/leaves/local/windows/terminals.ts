import * as assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Shell, ShellExec, type ShellFault, type ShellOutput } from "@sluice/shell"
import type { StartedProcess } from "../../../../src/shell/ShellService.ts"
import { cmd, eventually, faultOf, isDead, promise, whole, type WindowsPromise } from "./promise.ts"
import { type Bench, bench } from "./programs.ts"

/** Whether the package that makes terminals is installed, on which they depend. */
const isInstalled = ["./node_modules", "../../../../node_modules"].some((folder) =>
  existsSync(fileURLToPath(new URL(`${folder}/@lydell/node-pty-win32-x64`, import.meta.url)))
)

const size = { cols: 91, rows: 31 }

interface Typed {
  readonly type: (keys: string) => Effect.Effect<unknown>
  readonly until: (expected: string) => Effect.Effect<void>
  readonly written: () => string
  readonly process: Effect.Effect<StartedProcess>
  readonly end: Effect.Effect<ShellOutput, ShellFault | Error>
  readonly interrupt: Effect.Effect<void>
}

/** A command on a terminal that is typed into. */
const open = (exec: ShellExec): Effect.Effect<Typed, never, Shell | Scope.Scope> =>
  Effect.gen(function* () {
    const keys = yield* Queue.unbounded<Uint8Array>()
    const started = yield* Deferred.make<StartedProcess>()
    const { bytes } = yield* Shell
    const decoder = new TextDecoder()
    let written = ""
    let output: ShellOutput | undefined
    // The console moves its cursor wherever it likes: between two letters of a word, too.
    // deno-lint-ignore no-control-regex
    const shown = (): string => written.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "")
    let hasStarted = false
    const onSpawn = (process: StartedProcess): void => {
      hasStarted = true
      Deferred.doneUnsafe(started, Effect.succeed(process))
    }
    const fiber = yield* bytes(exec, { terminal: size, stdin: Stream.fromQueue(keys), onSpawn }).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          if (event._tag === "ShellBytes") written += decoder.decode(event.bytes, { stream: true })
          else output = event
        })
      ),
      Effect.andThen(
        Effect.suspend(() => output === undefined ? Effect.fail(new Error(written)) : Effect.succeed(output)),
      ),
      Effect.forkScoped,
    )
    return {
      type: (text) => Queue.offer(keys, new TextEncoder().encode(text)),
      until: (expected) =>
        Effect.catchDefect(
          eventually(`the terminal shows ${expected}`, () => shown().includes(expected)),
          (defect) => {
            const state = hasStarted ? "it shows" : "it has not started, and shows"
            return Effect.die(new Error(`${state} ${JSON.stringify(written)}`, { cause: defect }))
          },
        ),
      written: shown,
      process: Deferred.await(started),
      end: Fiber.join(fiber),
      interrupt: Fiber.interrupt(fiber),
    }
  })

/**
 * A batch file on the console itself: Wine gives a program on a pseudo-console the standard handles of its parent, and
 * Windows those of the console.
 */
const onConsole = ({ write }: Bench, name: string, lines: ReadonlyArray<string>): string => {
  write(`${name}-lines.cmd`, ["@echo off", ...lines].join("\r\n"))
  return write(`${name}.cmd`, `@call "%~dp0${name}-lines.cmd" %1 <CON >CON 2>&1`)
}

const withTerminals: ReadonlyArray<WindowsPromise> = [
  promise(
    "gives a command a terminal: its output, what is typed, its exit code",
    () =>
      Effect.gen(function* () {
        const files = yield* bench
        const file = onConsole(files, "ask", ["set /p word=name? ", "echo got [%word%] %1", "exit 3221225477"])
        const { end, type, until, written } = yield* open(ShellExec.make(file, ["a & b"]))
        yield* until("name?")
        yield* type("hello\r")
        const { exitCode, stderrBytes } = yield* end
        assert.ok(written().includes(`got [hello] "a & b"`), written())
        assert.deepEqual([exitCode, stderrBytes], [2_147_483_647, 0])
        const { capabilities } = yield* Shell
        assert.equal(capabilities.pty, true)
      }),
  ),

  promise("resizes a terminal, and ends the whole tree on it", () =>
    Effect.gen(function* () {
      const files = yield* bench
      const { interrupt, process } = yield* open(ShellExec.make(files.path("tree.cmd"), [files.path("beat")]))
      yield* eventually("it runs", () => files.size("beat") > 2)
      const { resize } = yield* process
      assert.ok(resize !== undefined)
      resize({ cols: 40, rows: 10 })
      yield* interrupt
      yield* isDead(() => files.size("beat"))
    })),

  promise("loses nothing of what is written on a terminal before the exit", () =>
    Effect.gen(function* () {
      const files = yield* bench
      const file = onConsole(files, "count", ["for /l %%i in (1,1,200) do @echo line %%i.", "exit 5"])
      const { end, written } = yield* open(ShellExec.make(file))
      assert.equal((yield* end).exitCode, 5)
      for (const line of [1, 100, 200]) assert.ok(written().includes(`line ${line}.`), `no line ${line}`)
    })),

  promise("reports a failed start on a terminal by a typed fault", () =>
    Effect.gen(function* () {
      const { path, write } = yield* bench
      write("garbage.exe", "not a program")
      const options = { terminal: size }
      const missing = yield* faultOf(ShellExec.make("sluice-no-such-program"), options)
      assert.equal(missing.reason._tag, "NotFound")
      const garbage = yield* faultOf(ShellExec.make(path("garbage.exe")), options)
      assert.deepEqual([garbage.reason._tag, garbage.message.includes("garbage.exe")], ["InvalidRequest", true])
      // The leaf goes on.
      assert.equal((yield* whole(cmd("exit 4"))).exitCode, 4)
    })),
]

export const terminals: ReadonlyArray<WindowsPromise> = isInstalled ? withTerminals : []
