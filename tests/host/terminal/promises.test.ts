/**
 * Tests that the promises for a command in pipes hold for a command on a terminal: policy, pinned program, directory,
 * environment, limits.
 */
import { describe, expect, it } from "@effect/vitest"
import { LocalShell, type LocalShellOptions, Shell, ShellExec, type ShellExecOptions } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { chmodSync, existsSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StartedProcess } from "../../../src/shell/ShellService.ts"
import { findHost } from "../../../src/host/findHost.ts"
import { openTerminal } from "../../../src/host/terminal/openTerminal.ts"
import { resolveLocalSettings } from "../../../src/leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../../../src/leaves/local/makeLocalService.ts"
import { workshop } from "../../support/workshop.ts"

const terminal = { cols: 80, rows: 24 }

/** Runs a command on a terminal: its output, exit code and signal; or its fault. */
const run = (exec: ShellExec) =>
  Stream.unwrap(Effect.map(Shell, (shell) => shell.exec(exec, { terminal }))).pipe(
    Stream.runCollect,
    Effect.map((events) => {
      const last = events.at(-1)
      return {
        text: events.map((event) => event._tag === "ShellOutputChunk" ? event.content : "").join(""),
        ...(last?._tag === "ShellOutput" ? { exitCode: last.exitCode, signal: last.signal } : undefined),
      }
    }),
    Effect.catchTag("ShellFault", Effect.succeed),
  )

const local = (
  command: string,
  args: ReadonlyArray<string>,
  given: ShellExecOptions = {},
  leaf: LocalShellOptions = {},
) =>
  Effect.provide(run(ShellExec.make(command, [...args], { streamOutput: true, ...given })), LocalShell.layerWith(leaf))

const guarded = (
  settings: Parameters<typeof AccessPolicy.make>[0],
  command: string,
  args: ReadonlyArray<string>,
  given: ShellExecOptions = {},
) =>
  Effect.provide(
    run(ShellExec.make(command, [...args], { streamOutput: true, ...given })),
    AccessPolicy.guard(AccessPolicy.make(settings))(LocalShell.layer),
  )

describe("a command on a terminal", { concurrent: true }, () => {
  it.live.each([{ terminal }, {}])("survives a signal that does not exist: %j", (on) =>
    Effect.gen(function* () {
      const shell = yield* Shell
      let failed: unknown
      const onSpawn = ({ kill }: StartedProcess): void => {
        try {
          kill?.("SIGFOO")
          kill?.("SIGKILL")
        } catch (error) {
          failed = error
          kill?.("SIGKILL")
        }
      }
      const last = yield* Stream.runLast(shell.exec(ShellExec.make("/bin/sleep", ["60"]), { ...on, onSpawn }))
      expect(last).toMatchObject({ value: { signal: "SIGKILL" } })
      expect(failed).toBeUndefined()
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("has the directory and the environment of its request, and the type of the terminal", () =>
    Effect.gen(function* () {
      const { directory } = yield* workshop
      const script = "pwd; echo $NAME-$HOME-$COLUMNS-$LINES-$TERM"
      const cleared = { cwd: directory, env: { NAME: "a", PATH: "/usr/bin:/bin" }, extendEnv: false }
      expect(yield* local("/bin/sh", ["-c", script], cleared)).toEqual({
        text: `${directory}\r\na----xterm-256color\r\n`,
        exitCode: 0,
        signal: undefined,
      })
      expect(yield* local("/bin/sh", ["-c", "echo $TERM"], { env: { TERM: "dumb" } })).toMatchObject({
        text: "dumb\r\n",
      })
      const missing = yield* local("/bin/sh", ["-c", "true"], { cwd: join(directory, "none") })
      expect(missing).toMatchObject({ reason: { _tag: "NotFound", path: join(directory, "none") } })
    }))

  it.live("is subject to its limits", () =>
    Effect.gen(function* () {
      const { directory } = yield* workshop
      const written = yield* local("/bin/sh", ["-c", "head -c 100000 /dev/zero > big; echo $?"], {
        cwd: directory,
        limits: { fileSizeBytes: 4_096 },
      })
      expect(written).toMatchObject({ text: expect.stringMatching(/153|File size limit/) })
      const slow = yield* local("sleep", ["60"], { timeout: "200 millis" })
      expect(slow).toMatchObject({ reason: { _tag: "Timeout" } })
    }))

  it.live("is refused by a policy as in pipes, and by one that lists commands", () =>
    Effect.gen(function* () {
      const { directory } = yield* workshop
      const file = join(directory, "file")
      writeFileSync(file, "text\n")
      const settings = { allowedCommands: ["*"], allowedCwdRoots: [directory] }
      // The directory is held open until the command is in it, and no longer.
      const all = yield* Effect.all(
        Array.from({ length: 12 }, () => guarded(settings, "cat", ["file"], { cwd: directory })),
        { concurrency: 4 },
      )
      for (const each of all) expect(each).toMatchObject({ text: "text\r\n", exitCode: 0 })
      for (
        const refused of [
          guarded(settings, "cat", [file], { cwd: "/" }),
          guarded(settings, "cat", [file], { cwd: directory, env: { LD_PRELOAD: "/tmp/x.so" } }),
          // What is typed would pass no list.
          guarded({ allowedCommands: ["cat"] }, "cat", [file]),
        ]
      ) {
        expect(yield* refused).toMatchObject({ _tag: "ShellFault", reason: { _tag: "NotAllowed" } })
      }
    }))

  it.live("does not start where its program was exchanged after the check", () =>
    Effect.gen(function* () {
      const { directory } = yield* workshop
      const program = join(directory, "program")
      const script = (text: string) => {
        writeFileSync(`${program}.new`, `#!/bin/sh\necho ${text} > ${directory}/ran\n`)
        chmodSync(`${program}.new`, 0o755)
        renameSync(`${program}.new`, program)
      }
      script("good")
      const policy = AccessPolicy.make({ allowedCommands: ["*"] })
      // Between the policy's look and the start.
      const swapped = Layer.effect(
        Shell,
        Effect.map(Shell, (shell) =>
          Shell.of({
            ...shell,
            exec: (exec, options) =>
              Stream.unwrap(Effect.sync(() => {
                script("evil")
                return shell.exec(exec, options)
              })),
          })),
      ).pipe(Layer.provide(LocalShell.layer))
      const answer = yield* Effect.provide(run(ShellExec.make(program)), AccessPolicy.guard(policy)(swapped))
      expect(answer).toMatchObject({ _tag: "ShellFault", reason: { _tag: "NotAllowed", policy: "sameFile" } })
      expect(existsSync(join(directory, "ran"))).toBe(false)
    }))
})

it.live("without an engine the fault names what to install", () =>
  Effect.gen(function* () {
    const host = findHost()
    if (host === undefined) throw new Error("no host")
    const noEngine = { ...host, os: "other" } as const
    const shell = makeLocalShell({
      ...host,
      spawn: (request) => openTerminal(noEngine, request, { cols: 80, rows: 24 }),
    }, resolveLocalSettings({}))
    const fault = yield* Effect.flip(Stream.runDrain(shell.exec(ShellExec.make("sh"), { terminal })))
    expect(fault).toMatchObject({ reason: { _tag: "InvalidRequest", field: "terminal", code: "ENOTSUP" } })
    expect(fault.message).toMatch(
      { deno: /@lydell\/node-pty.*--allow-ffi/, bun: /Bun on Linux/, node: /zigpty/ }[host.runtime],
    )
  }))
