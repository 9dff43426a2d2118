import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { RemoteShell } from "../../../src/leaves/remote/mod.ts"
import { RendezvousPipe } from "../../../src/shell/RendezvousPipe.ts"
import type { StartedProcess } from "../../../src/shell/ShellService.ts"
import { token } from "../../http/support.ts"
import { startTerminals } from "../../http/terminals/support.ts"
import { eventually } from "../../support/eventually.ts"

it.live("runs a command on a terminal of a server: size, typing, resize, signal, exit code; others attach", () =>
  Effect.gen(function* () {
    const server = yield* Effect.promise(() => startTerminals())
    const shell = yield* RemoteShell.make({ url: server.url, token })
    const keyboard = new RendezvousPipe()
    const type = (text: string) => Effect.promise(() => keyboard.write(new TextEncoder().encode(text)))
    let process: StartedProcess | undefined
    let text = ""
    const run = shell.exec(ShellExec.make("shell", [], { commandId: "t" }), {
      terminal: { cols: 90, rows: 20, term: "vt220" },
      stdin: keyboard.stream,
      onSpawn: (started) => void (process = started),
    })
    const running = yield* Effect.forkScoped(Stream.runFold(run, () => undefined, (last: number | undefined, event) => {
      if (event._tag === "ShellOutput") return event.exitCode
      text += event.content
      return last
    }))
    yield* eventually("it starts", () => text.includes("$ "))
    expect(server.terminals.opened).toEqual([{ cols: 90, rows: 20, term: "vt220" }])
    yield* type("size\r")
    yield* eventually("it says its size", () => text.includes("20 90"))
    for (let cols = 91; cols <= 120; cols++) process?.resize?.({ cols, rows: 30 })
    yield* eventually("it is resized", () => text.includes("[120x30]"))
    process?.kill?.("SIGUSR1")
    yield* eventually("it is signalled", () => server.terminals.signals.length === 1)
    const other = yield* Effect.promise(() => server.attach("t"))
    other.type("hello\r")
    yield* eventually("both see it", () => text.includes("hello") && other.text().includes("hello"))
    yield* type("exit 9\r")
    expect(yield* Fiber.join(running)).toBe(9)
    yield* eventually("the other has everything too", () => other.closed() !== undefined)
    expect(text).toBe(other.text())
  }))

it.live("ends the command on the server with its stream, and passes on that a server has no terminals", () =>
  Effect.gen(function* () {
    const server = yield* Effect.promise(() => startTerminals())
    const shell = yield* RemoteShell.make({ url: server.url, token })
    const terminal = { cols: 80, rows: 24 }
    const running = yield* Effect.forkScoped(Stream.runDrain(shell.exec(ShellExec.make("shell"), { terminal })))
    yield* eventually("it runs", () => server.terminals.running() === 1)
    yield* Fiber.interrupt(running)
    expect(server.terminals.running()).toBe(0)
    const fault = yield* Effect.flip(Stream.runDrain(shell.exec(ShellExec.make("shell"))))
    expect(fault.reason).toMatchObject({ _tag: "InvalidRequest", field: "terminal" })
  }))
