/**
 * A leaf whose every command is a small program on a terminal, written here: it echoes what is typed, and takes a few
 * commands. It needs no pseudo-terminal of the system, so what it tests are the faces, on every runtime.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { resolveLeafSettings } from "../../src/shell/LeafOptions.ts"
import { makeProcessRuns } from "../../src/shell/ProcessLeaf.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import type { ShellService } from "../../src/shell/ShellService.ts"
import type { ExitStatus, SpawnedProcess } from "../../src/shell/SpawnedProcess.ts"
import type { Terminal } from "../../src/command/Terminal.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What the programs of a leaf have done. */
export interface EchoTerminals {
  readonly shell: ShellService
  /** Terminals that were opened, in order. */
  readonly opened: Array<Terminal>
  /** Bytes that programs have written and readers have taken. */
  readonly taken: () => number
  /** Programs that run. */
  readonly running: () => number
  readonly signals: Array<string>
}

/** Bytes that the buffer of a terminal holds: a program that writes more waits for its reader. */
const bufferBytes = 65_536

/**
 * Makes the leaf. Lines that its program understands: `size`, `flood N` (lines of 64 bytes), `stuck` (reads no more),
 * `exit N`; Ctrl-C prints `^C`, Ctrl-D exits.
 */
export const echoTerminals = (): EchoTerminals => {
  const opened: Array<Terminal> = []
  const signals: Array<string> = []
  let taken = 0
  let running = 0

  const spawn = (terminal: Terminal): SpawnedProcess => {
    let { cols, rows } = terminal
    const output: Array<Uint8Array> = []
    let flood = 0
    let line = ""
    let isStuck = false
    let status: ExitStatus | undefined
    let waiting: ((bytes: Uint8Array | undefined) => void) | undefined
    const listeners: Array<(status: ExitStatus) => void> = []
    running++

    const next = (): Uint8Array | undefined => {
      const some = output.shift()
      if (some !== undefined) return some
      if (flood === 0) return undefined
      const lines = Math.min(flood, bufferBytes / 64)
      const first = flood
      flood -= lines
      return encoder.encode(
        Array.from({ length: lines }, (_, at) => `${String(first - at).padStart(8, "0")}${"x".repeat(54)}\r\n`).join(
          "",
        ),
      )
    }
    const deliver = (): void => {
      if (waiting === undefined) return
      const bytes = next()
      if (bytes === undefined && status === undefined) return
      const done = waiting
      waiting = undefined
      taken += bytes?.length ?? 0
      done(bytes)
    }
    const write = (text: string): void => {
      output.push(encoder.encode(text))
      deliver()
    }
    const exit = (exited: ExitStatus): void => {
      if (status !== undefined) return
      status = exited
      running--
      for (const done of listeners) done(exited)
      deliver()
    }
    const perform = (): void => {
      const [name = "", argument = ""] = line.split(" ")
      line = ""
      write("\r\n")
      if (name === "size") write(`${rows} ${cols}\r\n`)
      else if (name === "flood") flood = Number(argument)
      else if (name === "stuck") isStuck = true
      else if (name === "exit") return exit({ exitCode: Number(argument) })
      write("$ ")
    }
    const type = (text: string): void => {
      for (const key of text) {
        if (key === "\r") perform()
        else if (key === "\x03") {
          line = ""
          write("^C\r\n$ ")
        } else if (key === "\x04") exit({ exitCode: 0 })
        else {
          line += key
          write(key)
        }
      }
    }
    write("$ ")
    return {
      executable: "/bin/echo-terminal",
      pid: 4242,
      stdout: {
        read: (done) => {
          waiting = done
          deliver()
        },
        release: () => {
          waiting?.(undefined)
          waiting = undefined
        },
      },
      stdin: {
        write: (bytes) => {
          if (status !== undefined) return Promise.resolve(false)
          if (isStuck) return new Promise((resolve) => listeners.push(() => resolve(false)))
          type(decoder.decode(bytes))
          return Promise.resolve(true)
        },
        end: () => Promise.resolve(),
      },
      onExit: (done) => {
        if (status === undefined) listeners.push(done)
        else done(status)
      },
      signal: (name) => {
        signals.push(name)
        if (name === "SIGKILL" || name === "SIGHUP") exit({ exitCode: name === "SIGHUP" ? 129 : 137, signal: name })
      },
      resize: (size) => {
        ;({ cols, rows } = size)
        write(`[${cols}x${rows}]`)
      },
      terminate: () =>
        Effect.sync(() => {
          exit({ exitCode: 143, signal: "SIGTERM" })
          return []
        }),
    }
  }

  const runs = makeProcessRuns({
    ...resolveLeafSettings("echo", { maxConcurrency: 100 }),
    prepare: (exec, _, { terminal }) => {
      if (terminal === undefined) {
        return Result.fail(
          ShellFault.because(exec.commandId, { _tag: "InvalidRequest", field: "terminal" }, "exec: needs a terminal"),
        )
      }
      opened.push(terminal)
      return Result.succeed(() => spawn(terminal))
    },
  })
  const shell = Shell.make({ ...runs, capabilities: { leaf: "echo", pty: true, backPressure: true } })
  return { shell, opened, signals, taken: () => taken, running: () => running }
}
