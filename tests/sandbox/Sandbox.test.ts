import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Sandbox, Utilities } from "@sluice/shell/sandbox"
import type { Program } from "../../src/kernel/System.ts"

import { encode, failureOf, stdoutOf, withSandbox } from "../kernel/sandbox/support.ts"

const say = (text: string): Program => (system) => system.writeAll(1, encode(text))

it.live("has the utilities that scripts expect, and the shell by both its names", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const script = "printf 'b\\na\\nb\\n' | sort | uniq -c | sort -rn | head -1 | tr -s ' ' | cut -d ' ' -f 2,3"
      expect(yield* stdoutOf(sandbox, script)).toBe("2 b\n")
      expect(yield* stdoutOf(sandbox, "sh -c 'echo $0 $1' x y; bash -c 'echo bash'; command -v grep")).toBe(
        "x y\nbash\n/usr/bin/grep\n",
      )
    })
  ))

it.live("prefers the programs that it is given to its own", () =>
  withSandbox(
    (sandbox) => Effect.map(stdoutOf(sandbox, "cat; mine | /bin/cat"), (text) => expect(text).toBe("my cat\nmy cat\n")),
    {
      programs: { cat: say("my cat\n"), mine: say("never seen\n") },
    },
  ))

it.live("starts only allowed programs", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* sandbox.run("echo a | cat; wc -l < /dev/null")
      expect([exitCode, stdout]).toEqual([126, "a\n"])
      expect(stderr).toContain("wc: Permission denied")
    }), { allow: ["cat"] }))

it.live("without utilities has only the shell and the given programs", () =>
  Effect.scoped(Effect.gen(function* () {
    const sandbox = yield* Sandbox.makeBare({ programs: { cat: Utilities.cat } })
    const { exitCode, stdout } = yield* sandbox.run("echo kept | cat; ls")
    expect([exitCode, stdout]).toEqual([127, "kept\n"])
  })))

it.live("is a service: one sandbox for each build of its layer", () => {
  const program = Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    yield* sandbox.run("x=kept")
    return yield* sandbox.run("echo $x; cat a.txt 2>/dev/null || echo none")
  })
  return Effect.gen(function* () {
    const layer = Sandbox.layerWith({ files: { "a.txt": "file\n" } })
    expect((yield* Effect.provide(program, layer)).stdout).toBe("kept\nfile\n")
    expect((yield* Effect.provide(program, Sandbox.layer)).stdout).toBe("kept\nnone\n")
    const failure = yield* Effect.flip(Effect.provide(program, Sandbox.layerWith({ timeout: -1 })))
    expect(failure).toMatchObject({ _tag: "OptionError", option: "timeout" })
  })
})

it.live("gives its environment to every run", () =>
  withSandbox(
    (sandbox) =>
      Effect.map(stdoutOf(sandbox, "env | grep -v '^_=\\|SHLVL\\|OLDPWD' | sort"), (text) =>
        expect(text).toBe(
          "A=b c\nHOME=/elsewhere\nPATH=/usr/local/bin:/usr/bin:/bin\nPWD=/home/user\nTMPDIR=/tmp\nUSER=user\n",
        )),
    {
      env: { A: "b c", HOME: "/elsewhere" },
    },
  ))

it.live("applies the sandbox's timeout to runs without their own", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      expect((yield* failureOf(sandbox.run("sleep 60"))).reason).toEqual({ _tag: "Timeout", afterMillis: 80 })
      expect((yield* sandbox.run("sleep 0.12", { timeout: "20 seconds" })).exitCode).toBe(0)
    }), { timeout: "80 millis" }))

it.live("keeps a run within the output that the sandbox allows", () =>
  withSandbox(
    (sandbox) =>
      Effect.map(sandbox.run("yes"), ({ stdoutRaw: stdoutBytes, truncated }) =>
        expect([stdoutBytes.length, truncated]).toEqual([64, true])),
    {
      limits: { maxOutputBytes: 64 },
    },
  ))

it.live("has another session with its own folder and variables", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run("x=1; mkdir sub")
      const session = yield* sandbox.session({ cwd: "sub", env: { B: "2" } })
      expect(yield* stdoutOf(session, "pwd; echo ${x-} $A $B; cd /")).toBe("/home/user/sub\n1 2\n")
      expect([yield* session.cwd, yield* sandbox.cwd]).toEqual(["/", "/home/user"])
    }), { env: { A: "1" } }))
