import { describe, expect, it } from "@effect/vitest"
import { ShellExec } from "@sluice/shell"
import { IsolatedShell } from "@sluice/shell/isolated"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellOutput } from "../../../src/command/ShellEvent.ts"
import type { StartedProcess } from "../../../src/shell/ShellService.ts"
import { engines, isolationWorks } from "../../support/isolation.ts"

/** What stdin is: a text as soon as the output has another one. */
type Answers = ReadonlyArray<readonly [after: string, keys: string]>

/** Runs a script on a terminal, and types; what it wrote, and how it ended. */
const onTerminal = (
  engine: IsolatedShell.IsolationEngine,
  script: string,
  answers: Answers = [],
  onText: (text: string, process: StartedProcess | undefined) => void = () => {},
) =>
  Effect.gen(function* () {
    const shell = yield* IsolatedShell.make({ engine, env: { HISTFILE: "" } })
    expect(shell.capabilities.pty).toBe(true)
    let text = ""
    let process: StartedProcess | undefined
    let ended: ShellOutput | undefined
    const typed = Stream.fromIterable(answers).pipe(Stream.mapEffect(([after, keys]) => {
      const wait: Effect.Effect<Uint8Array> = Effect.suspend(() =>
        text.includes(after) ? Effect.succeed(new TextEncoder().encode(keys)) : Effect.andThen(Effect.sleep(10), wait)
      )
      return wait
    }))
    yield* Stream.runForEach(
      shell.bytes(ShellExec.make("/bin/bash", ["-c", script], { timeout: "60 seconds" }), {
        terminal: { cols: 100, rows: 30 },
        stdin: Stream.concat(typed, Stream.never),
        onSpawn: (started) => void (process = started),
      }),
      (event) =>
        Effect.sync(() => {
          if (event._tag !== "ShellBytes") return void (ended = event)
          text += new TextDecoder().decode(event.bytes)
          onText(text, process)
        }),
    )
    return { text, ended }
  }).pipe(Effect.scoped)

const pushes =
  `perl -e 'open T,"+<","/dev/tty" or die "no terminal\\n";my $c="x";print ioctl(T,0x5412,$c)?"PUSHED\\n":"refused\\n"'`

describe.runIf(isolationWorks).each(engines)("a terminal isolated by %s", (engine) => {
  it.live("is the command's own: its size, its keys, and no other terminal", () =>
    Effect.gen(function* () {
      const { text, ended } = yield* onTerminal(
        engine,
        `stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo three; (: <>/dev/tty) && echo controls; ${pushes}; ls /dev/pts; ` +
          "read -r line; echo got $line",
        [["ptmx", "typed\r"]],
      )
      expect(text.replaceAll("\r", "")).toBe("30 100\nthree\ncontrols\nrefused\nptmx\ntyped\ngot typed\n")
      expect(ended?.exitCode).toBe(0)
    }))

  it.live("passes Ctrl-C on to the command, also after Ctrl-Z, and its signal back", () =>
    Effect.gen(function* () {
      const { ended } = yield* onTerminal(engine, "echo up; exec sleep 60", [["up", "\x1a\x03"]])
      expect(ended).toMatchObject({ exitCode: 130, signal: "SIGINT" })
    }))

  it.live("has job control, and signals a new size", () =>
    Effect.gen(function* () {
      let resized = false
      const { text } = yield* onTerminal(
        engine,
        "set -m; sleep 0.1 & fg >/dev/null && echo fine; set +m; trap 'stty size; exit' WINCH; echo up; while :; do sleep 0.1; done",
        [],
        (text, process) => {
          if (!text.includes("up") || resized) return
          resized = true
          process?.resize?.({ cols: 77, rows: 22 })
        },
      )
      expect(text.replaceAll("\r", "")).toBe("fine\nup\n22 77\n")
    }))
})
