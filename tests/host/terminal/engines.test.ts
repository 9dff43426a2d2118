/** The promises of the runtime's engine of terminals, kept on the real programs of this machine. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { findHost } from "../../../src/host/findHost.ts"
import { resolveLocalSettings } from "../../../src/leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../../../src/leaves/local/makeLocalService.ts"
import { findEngine, hasEngine } from "../../../src/host/terminal/findEngine.ts"
import type { ShellService, StartedProcess } from "../../../src/shell/ShellService.ts"
import { eventually } from "../../support/eventually.ts"
import { random } from "../../support/random.ts"
import { isAlive } from "./isAlive.ts"
import { openMasters } from "./openMasters.ts"

const size = { cols: 100, rows: 30 }
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytes = (given: string): Uint8Array => new TextEncoder().encode(given)

const makeShell = (): ShellService => {
  const host = findHost()
  if (host === undefined) throw new Error("no host")
  return makeLocalShell(host, resolveLocalSettings({ grace: "2 seconds" }))
}

/** Runs a script to its end; what it wrote, and how it ended. */
const run = (shell: ShellService, script: string, input = "", env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    let written = ""
    const events = shell.bytes(ShellExec.make("/bin/sh", ["-c", script], { env }), {
      terminal: size,
      stdin: Stream.succeed(bytes(input)).pipe(Stream.concat(Stream.never)),
    })
    let output
    const decoder = new TextDecoder()
    for (
      const event of yield* Stream.runCollect(
        Stream.map(
          events,
          (event) => event._tag === "ShellBytes" ? decoder.decode(event.bytes, { stream: true }) : event,
        ),
      )
    ) {
      if (typeof event === "string") written += event
      else output = event
    }
    return { written, output }
  })

/** A terminal that a test types into. */
const open = (shell: ShellService, command: string, args: ReadonlyArray<string>, given: object = {}) =>
  Effect.gen(function* () {
    const typed = yield* Queue.unbounded<Uint8Array>()
    let written = ""
    let process: StartedProcess | undefined
    const fiber = yield* Effect.forkScoped(Stream.runForEach(
      shell.bytes(ShellExec.make(command, [...args]), {
        terminal: size,
        stdin: Stream.fromQueue(typed),
        onSpawn: (started) => void (process = started),
        ...given,
      }),
      (event) => Effect.sync(() => void (event._tag === "ShellBytes" && (written += text(event.bytes)))),
    ))
    const until = (expected: string): Effect.Effect<string> =>
      Effect.suspend(() =>
        written.includes(expected) ? Effect.succeed(written) : Effect.andThen(Effect.sleep(10), until(expected))
      )
    return {
      type: (keys: string) => Queue.offer(typed, bytes(keys)),
      until,
      fiber,
      process: Effect.suspend(function wait(): Effect.Effect<StartedProcess> {
        return process === undefined ? Effect.andThen(Effect.sleep(5), Effect.suspend(wait)) : Effect.succeed(process)
      }),
      clear: () => void (written = ""),
    }
  })

const host = findHost()
const engine = host === undefined ? undefined : await findEngine(host)

it("finds the engine of this runtime", () => {
  expect(engine?.name).toBe({ deno: "node-pty", node: "zigpty", bun: "bun" }[host?.runtime ?? "node"])
  expect(host !== undefined && hasEngine(host)).toBe(true)
})

describe.runIf(engine !== undefined)(engine?.name ?? "no engine", { concurrent: true }, () => {
  const shell = makeShell()

  it.live("gives a command a terminal of the size, with its type, and one output", () =>
    Effect.gen(function* () {
      const { output, written } = yield* run(
        shell,
        "tty; stty size; echo $TERM; echo err >&2; test -t 0 && test -t 2; echo $?",
      )
      expect(written).toMatch(/^\/dev\/pts\/\d+\r\n30 100\r\nxterm-256color\r\nerr\r\n0\r\n$/)
      expect(output).toMatchObject({ exitCode: 0, stderrBytes: 0 })
    }))

  it.live("passes on typed input, exit codes and signals", () =>
    Effect.gen(function* () {
      const { output, written } = yield* run(shell, "read line; echo got $line; exit 7", "hello\n")
      expect(written).toContain("got hello\r\n")
      expect(output).toMatchObject({ exitCode: 7 })
      expect((yield* run(shell, "kill -TERM $$")).output).toMatchObject({ exitCode: 143, signal: "SIGTERM" })
      expect((yield* run(shell, "kill -KILL $$")).output).toMatchObject({ exitCode: 137, signal: "SIGKILL" })
    }))

  it.live("makes the command the leader of a session whose terminal it controls", () =>
    Effect.gen(function* () {
      const { written } = yield* run(shell, "ps -o pid=,sid=,tpgid=,tty= -p $$")
      const [pid, session, foreground, tty] = written.trim().split(/\s+/)
      expect(session).toBe(pid)
      expect(foreground).not.toBe("-1")
      expect(tty).toMatch(/^pts\//)
    }))

  it.live("carries every byte both ways in raw mode, in pieces of any size", () =>
    Effect.gen(function* () {
      const { cut, int } = random(14)
      for (const length of [1, 4_096, 4_097, int(10_000, 30_000), 150_001]) {
        const sent = Uint8Array.from({ length }, () => int(0, 255))
        const got: Array<number> = []
        let isReady = false
        const script = `stty raw -echo; printf R; exec head -c ${length}`
        yield* shell.bytes(ShellExec.make("/bin/sh", ["-c", script]), {
          terminal: size,
          // Typed when the terminal is raw: before, its line editor would take a part.
          stdin: Stream.unwrap(
            Effect.map(eventually("the terminal is raw", () => isReady), () => Stream.fromIterable(cut(sent, 20))),
          ).pipe(Stream.concat(Stream.never)),
        }).pipe(Stream.runForEach((event) =>
          Effect.sync(() => {
            if (event._tag !== "ShellBytes") return
            for (const byte of event.bytes.subarray(isReady ? 0 : 1)) got.push(byte)
            isReady = true
          })
        ))
        expect(got.length).toBe(length)
        expect(got.findIndex((byte, index) => byte !== sent[index])).toBe(-1)
      }
    }))

  it.live("keeps unread output for a slow reader when the command exits", () =>
    Effect.gen(function* () {
      let count = 0
      let output
      yield* shell.bytes(ShellExec.make("/bin/sh", ["-c", "stty -opost; head -c 40000 /dev/zero; exit 3"]), {
        terminal: size,
        stdin: Stream.never,
      })
        .pipe(Stream.runForEach((event) =>
          event._tag === "ShellBytes"
            ? Effect.andThen(Effect.sync(() => void (count += event.bytes.length)), Effect.sleep(60))
            : Effect.sync(() => void (output = event))
        ))
      expect(count).toBe(40_000)
      expect(output).toMatchObject({ exitCode: 3 })
    }))

  it.live("blocks a command whose output is not read", () =>
    Effect.gen(function* () {
      // What was written is counted beside the terminal.
      const { fiber, process } = yield* open(shell, "/bin/sh", ["-c", "exec head -c 30000000 /dev/zero"], {
        stdout: { write: () => new Promise(() => {}), end: () => Promise.resolve() },
      })
      const { pid } = yield* process
      yield* Effect.sleep(800)
      // A program that is not held back needs no half a second for 30 MB.
      expect(isAlive(pid)).toBe(true)
      yield* Fiber.interrupt(fiber)
      expect(isAlive(pid)).toBe(false)
    }))

  it.live("changes the size, and the command gets SIGWINCH", () =>
    Effect.gen(function* () {
      const { fiber, process, until } = yield* open(shell, "/bin/sh", [
        "-c",
        "trap 'stty size; exit 5' WINCH; echo ready; while :; do sleep 0.05; done",
      ])
      yield* until("ready")
      const { resize } = yield* process
      resize?.({ cols: 132, rows: 43 })
      yield* until("43 132")
      yield* Fiber.join(fiber)
    }))

  it.live("types Ctrl-C, Ctrl-Z and fg into bash with job control", () =>
    Effect.gen(function* () {
      const { fiber, type, until } = yield* open(shell, "bash", ["--norc", "--noprofile", "-i"], {
        // Without the escape sequences that readline writes before the prompt.
        terminal: { ...size, term: "dumb" },
      })
      yield* type("PS1='<p>'\n")
      yield* until("\n<p>")
      yield* type("sleep 61\n")
      yield* until("sleep 61\r\n")
      yield* Effect.sleep(150)
      yield* type("\x1a")
      yield* until("Stopped")
      yield* type("fg\n")
      yield* until("fg\r\nsleep 61")
      yield* Effect.sleep(150)
      yield* type("\x03")
      yield* type("echo status $?\n")
      yield* until("status 130")
      yield* type("exit 9\n")
      yield* Fiber.join(fiber)
    }))

  it.live("does not echo a password", () =>
    Effect.gen(function* () {
      const { fiber, type, until } = yield* open(shell, "bash", [
        "-c",
        "read -s -p 'Password: ' word; echo; echo ${#word}",
      ])
      yield* until("Password: ")
      yield* Effect.sleep(50)
      yield* type("hunter2\n")
      expect(yield* until("\r\n7\r\n")).not.toContain("hunter2")
      yield* Fiber.join(fiber)
    }))

  it.live("ends an interactive shell with its jobs when the run ends", () =>
    Effect.gen(function* () {
      const { fiber, process, type, until } = yield* open(shell, "bash", ["--norc", "--noprofile", "-i"])
      yield* type("sleep 62 & echo job $!.\n")
      const job = Number(/job (\d+)\./.exec(yield* until("job ").pipe(Effect.andThen(until(".\r\n"))))?.[1])
      const { pid } = yield* process
      yield* Fiber.interrupt(fiber)
      expect([isAlive(pid), isAlive(job)]).toEqual([false, false])
    }))

  it.live("accepts no more than the terminal takes for a program that never reads", () =>
    Effect.gen(function* () {
      let taken = 0
      const { fiber, until } = yield* open(shell, "/bin/sh", ["-c", "stty raw -echo; echo ready; sleep 60"], {
        stdin: Stream.unwrap(Effect.succeed(Stream.range(1, 1_000))).pipe(
          Stream.map(() => new Uint8Array(4_096).fill(97)),
          Stream.tap(() => Effect.sync(() => void taken++)),
        ),
      })
      yield* until("ready")
      yield* Effect.sleep(500)
      // Of 4 MB: the buffers of the terminal, and of sockets to a relay.
      expect(taken * 4_096).toBeLessThan(1_000_000)
      yield* Fiber.interrupt(fiber)
    }))

  it.live("ends the input of a program that reads lines when its input ends", () =>
    Effect.gen(function* () {
      const exec = ShellExec.make("cat", [], { input: "one\n" })
      const output = yield* Stream.runCollect(shell.bytes(exec, { terminal: size }))
      expect(output.at(-1)).toMatchObject({ exitCode: 0 })
    }))

  it.live("does not hang up a program that closes its terminal and keeps running", () =>
    Effect.gen(function* () {
      const { output, written } = yield* run(shell, "echo bye; exec <&- >&- 2>&-; sleep 0.3; exit 5")
      expect(written).toBe("bye\r\n")
      expect(output).toMatchObject({ exitCode: 5 })
    }))

  it.live("refuses a missing program, and an impossible size", () =>
    Effect.gen(function* () {
      const fault = (exec: ShellExec, terminal: { cols: number; rows: number }) =>
        Effect.map(Effect.flip(Stream.runDrain(shell.exec(exec, { terminal }))), ({ reason }) => reason)
      expect(yield* fault(ShellExec.make("no-such-program"), size)).toMatchObject({ _tag: "NotFound" })
      expect(yield* fault(ShellExec.make("/etc/passwd"), size)).toMatchObject({ _tag: "PermissionDenied" })
      expect(yield* fault(ShellExec.make("sh"), { cols: 0, rows: 24 })).toMatchObject({ field: "terminal.cols" })
    }))

  it.live("gives the terminal to no other command", () =>
    Effect.gen(function* () {
      const { fiber, until } = yield* open(shell, "/bin/sh", ["-c", "echo ready; sleep 60"])
      yield* until("ready")
      const list = ShellExec.make("/bin/sh", ["-c", "ls -l /proc/self/fd"])
      const [plain] = yield* Stream.runCollect(shell.exec(list))
      expect(plain).toMatchObject({ content: expect.not.stringContaining("ptmx") })
      const { written } = yield* run(shell, "ls -l /proc/self/fd")
      expect(written).not.toContain("ptmx")
      yield* Fiber.interrupt(fiber)
    }))

  it.live("leaves neither a descriptor nor a terminal behind", () =>
    Effect.gen(function* () {
      const ended: Array<number> = []
      for (let round = 0; round < 5; round++) {
        ended.push(Number(/\d+/.exec((yield* run(shell, "tty")).written)))
        const { fiber, until } = yield* open(shell, "/bin/sh", ["-c", "tty; echo ready; exec sleep 60"])
        ended.push(Number(/\d+/.exec(yield* until("ready"))))
        yield* Fiber.interrupt(fiber)
      }
      // Others may open terminals with the same numbers meanwhile, and close them.
      for (const index of new Set(ended)) {
        yield* eventually(`terminal ${index} is closed`, () => !openMasters().includes(index))
      }
    }), { concurrent: false })
})
