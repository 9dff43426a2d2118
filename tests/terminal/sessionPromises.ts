/** Tests the promises of a session over every leaf that has terminals. */
import { expect, it } from "@effect/vitest"
import { type Shell, ShellExec } from "@sluice/shell"
import { Terminals, TerminalSession } from "@sluice/shell/terminal"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { mkdtempSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../support/eventually.ts"
import { processesWith } from "../support/processesWith.ts"
import { startsEachOnce } from "../support/startsEachOnce.ts"

/** BusyBox and dash understand it. */
const script = `
printf 'a\\344\\270'; sleep 0.1; printf '\\255b\\n'; stty size; echo "type $TERM"
read -r line; echo "got $line"
trap 'echo interrupted; isOver=1' INT; echo waiting; until [ $isOver ]; do sleep 0.05; done
trap 'stty size; exit 7' WINCH; echo watching; while :; do sleep 0.05; done`

let count = 0

/** Declares the tests of one leaf. */
export const sessionPromises = (
  layer: () => Layer.Layer<Shell, unknown>,
  runs: boolean,
  /** A folder that commands may write, where the leaf shares files with this process. */
  files?: { readonly folder: string },
): void => {
  it.live.runIf(runs)(
    "shows output, takes input, can be interrupted and resized, and ends with its command",
    () =>
      Effect.gen(function* () {
        const session = yield* TerminalSession.open(ShellExec.make("sh", ["-c", script]), {
          cols: 61,
          rows: 17,
          term: "vt100",
        })
        yield* session.waitFor("type vt100")
        expect((yield* session.screen).lines.slice(0, 3)).toEqual(["a中b", "17 61", "type vt100"])
        yield* session.write("käse\n")
        yield* session.waitFor("got käse")
        yield* session.waitFor("waiting")
        yield* session.sendKeys("Ctrl-C")
        yield* session.waitFor("watching")
        expect((yield* session.screen).text).toContain("interrupted")
        yield* session.resize({ cols: 90, rows: 33 })
        expect(yield* session.exit).toMatchObject({ exitCode: 7, stderrBytes: 0 })
        expect(yield* session.screen).toMatchObject({ text: expect.stringContaining("33 90"), cols: 90, rows: 33 })
      }).pipe(Effect.scoped, Effect.provide(layer())),
  )

  it.live.runIf(runs)("ends with all that it started", () =>
    Effect.gen(function* () {
      const marker = `${process.pid}.${++count}`
      const opened = yield* Terminals.open(
        ShellExec.make("sh", ["-c", `sleep ${marker} & trap '' HUP; echo started; sleep ${marker}`]),
      )
      yield* opened.waitFor("started")
      yield* eventually("both run", () => processesWith(`sleep\0${marker}`).length === 2)
      yield* opened.close
      expect(yield* Effect.flip(opened.exit)).toMatchObject({ reason: { _tag: "Cancelled" } })
      yield* eventually("none is left", () => processesWith(`sleep\0${marker}`).length === 0)
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(Terminals.layer, layer()))))

  it.live.runIf(runs)(
    "opens once for each of many callers, started by Effect.forEach a few at a time",
    () =>
      Effect.gen(function* () {
        const witness = files === undefined ? undefined : join(mkdtempSync(join(files.folder, "starts-")), "ran")
        const missing = ShellExec.make("true", [], { cwd: "/no/such/directory" })
        const failures: Array<string> = []
        const all = yield* startsEachOnce(24, (n): Effect.Effect<unknown, unknown, Shell | Scope> => {
          // Some fail at once, so that others that wait are resumed in their start.
          const script = witness === undefined ? "true" : `echo ${n} >> '${witness}'`
          const exec = n % 4 === 3 ? missing : ShellExec.make("sh", ["-c", script])
          return Effect.exit(Effect.flatMap(TerminalSession.open(exec), ({ exit }) => exit)).pipe(
            Effect.tap((exit) =>
              Effect.sync(() => {
                const end = Exit.isSuccess(exit) ? `exit code ${exit.value.exitCode}` : Cause.pretty(exit.cause)
                if (exec !== missing && end !== "exit code 0") failures.push(`${n}: ${end}`)
              })
            ),
          )
        })
        expect(failures).toEqual([])
        if (witness === undefined) return
        const ran = readFileSync(witness, "utf8").trim().split("\n").map(Number)
        expect(ran.toSorted((a, b) => a - b)).toEqual(all.filter((n) => n % 4 !== 3))
      }).pipe(Effect.scoped, Effect.provide(layer())),
  )
}
